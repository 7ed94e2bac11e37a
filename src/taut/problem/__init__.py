"""What the user declares.

Reading order: parameters, functions, bundles, problem, space.
"""
