"""The belief: arrays in, posteriors out.

Reading order: settings, kernels, factor, gp, likelihood, priors, warp, fit, model, paths.
"""
