"""Rows in, arrays out; signs and units of values change only here.

Reading order: rows, ledger, dataset, measured, beliefs, moderate, digits, history.
"""
