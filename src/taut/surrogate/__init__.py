"""The belief: arrays in, posteriors out.

Reading order: settings, repeats, selection, kernels, factor, posterior, gp, calibration, likelihood, priors, warp,
roughness, doubt, fit, scale, model, paths, labels, success, success_fit.
"""
