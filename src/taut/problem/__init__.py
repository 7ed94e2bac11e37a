"""What the user declares.

Reading order: parameters, functions, problem, space.
"""
