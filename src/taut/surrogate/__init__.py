"""The belief: arrays in, posteriors out.

Reading order: ties, settings, repeats, selection, kernels, trend, hyper, factor, drift, posterior, gp, known,
calibration, likelihood, priors, warp, roughness, doubt, task, fit, exact, scale, ratio, sceptic, model, paths, labels,
success, success_fit.
"""
