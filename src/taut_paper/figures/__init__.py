"""Draws the results."""
