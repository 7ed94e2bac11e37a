"""Answers of taut run again by real solvers: an aerofoil with XFOIL, a ribbed plate with CalculiX.

Debian's packages xfoil, xvfb and calculix-ccx; `make trust-real`, or python -m benchmarks.real --help.

Reading order: solver, section, xfoil, panel, calculix, cases, cache, seed, table, program, scan, __main__.
"""
