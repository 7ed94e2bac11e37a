"""How long a decision takes, and how good it is: taut against stock BoTorch, and against a slow accurate valuation.

PYTHONPATH=src:benchmarks python -m speed --help
"""
