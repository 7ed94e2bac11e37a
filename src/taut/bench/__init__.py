"""Test problems with known optimum: taut.bench.problem("mystery"), taut.bench.names().

Reading order: formulas, problems.
"""

from taut.bench.problems import BenchProblem, names, problem

__all__ = ["BenchProblem", "names", "problem"]
