"""What the user declares.

Reading order: formula, parameters, discrete, functions, tables, problem, space, slopes, known.
"""
