"""What the user declares.

Reading order: names, formula, parameters, discrete, functions, bundles, tables, problem, space, slopes, known,
gradients, limits, design.
"""
