"""Gaussian-process beliefs, one per function: arrays in, arrays out."""
