"""What the user declares.

Reading order: formula, parameters, functions, bundles, tables, problem, space, slopes, known.
"""
