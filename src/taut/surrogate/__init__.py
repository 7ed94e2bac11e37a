"""The belief: arrays in, posteriors out.

Reading order: settings, repeats, selection, kernels, factor, gp, likelihood, priors, warp, fit, model, paths,
labels, success.
"""
