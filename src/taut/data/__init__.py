"""Rows in, arrays out; signs and units of values change only here.

Reading order: rows, dataset, moderate, ledger, history.
"""
