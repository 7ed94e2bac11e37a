"""Runs the study of a file with its programs."""
