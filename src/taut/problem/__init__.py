"""What the user declares.

Reading order: formula, parameters, functions, tables, problem, space, slopes, known.
"""
