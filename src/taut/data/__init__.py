"""Rows in, arrays out; signs and units of values change only here.

Reading order: rows, ledger, dataset, designs, beliefs, moderate, digits, history.
"""
