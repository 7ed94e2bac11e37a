"""Answers of taut run again by real solvers: the programs of examples/aerofoil (XFOIL) and examples/panel (CalculiX).

Debian's packages xfoil, xvfb, xfonts-base and calculix-ccx; `make trust-real`, or python -m benchmarks.real --help.

Reading order: solver, cases, cache, seed, table, program, scan, __main__.
"""
