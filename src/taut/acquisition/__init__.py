"""Scores of points: probability of feasibility, expected improvement, Knowledge Gradient of any set of functions."""
