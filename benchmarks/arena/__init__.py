"""Simulator-like problems, runs on them, and what they say about trust. See ../trust.py.

Reading order: variants, reference, cases, belief, trial, store, record, figures, faults, bars, table, pictures, page.
"""
