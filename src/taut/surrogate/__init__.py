"""The belief: arrays in, posteriors out.

Reading order: ties, settings, repeats, selection, kernels, factor, posterior, gp, known, calibration, likelihood,
priors, warp, roughness, doubt, fit, scale, ratio, sceptic, model, paths, labels, success, success_fit.
"""
