"""The belief: arrays in, posteriors out.

Reading order: settings, repeats, selection, kernels, factor, gp, likelihood, priors, warp,
roughness, fit, model, paths.
"""
