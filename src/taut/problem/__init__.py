"""What the user declares.

Reading order: formula, parameters, discrete, functions, bundles, tables, problem, space, slopes, known, limits, design.
"""
