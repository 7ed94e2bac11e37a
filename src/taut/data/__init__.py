"""Rows in, arrays out; signs and units of values change only here.

Reading order: rows, considered, results, bend, designs, charges, ledger, durations, prices, known, dataset,
same, measured, beliefs, survey, moderate, digits, edges, honesty, coverage, exhausted, history.
"""
