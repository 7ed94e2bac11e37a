"""The belief: arrays in, posteriors out.

Reading order: kernels, factor, gp, likelihood, warp, fit, model, paths.
"""
