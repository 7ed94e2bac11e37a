"""What is believed of every function at many points at once: the numbers behind slices, boundaries and convergence."""

from dataclasses import dataclass

from taut.base.arrays import Array
from taut.data.beliefs import mean_from_inner
from taut.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class Survey:
    """At m points: mean, sd and probability that each function meets its limits, [m, K + 1]; feasibility [m].

    Functions in declared order; the probability of the objective is 1. From a method it comes in inner form (dataset),
    `in_user_units` turns it round.
    """

    mean: Array
    sd: Array
    probability: Array
    feasibility: Array
    """Probability that all functions can be computed and all constraints hold."""

    def part(self, rows: slice) -> "Survey":
        """Of some of the points."""
        return Survey(self.mean[rows], self.sd[rows], self.probability[rows], self.feasibility[rows])


def in_user_units(problem: Problem, found: Survey) -> Survey:
    """The same in the user's units and signs."""
    mean = found.mean.copy()
    for k, name in enumerate(problem.functions):
        mean[:, k] = [mean_from_inner(problem, name, float(y)) for y in found.mean[:, k]]
    return Survey(mean, found.sd, found.probability, found.feasibility)
