"""The words of docs/arena.md. LOSSES was written by hand, on the rows that are kept: read it again when they change."""

WORDS = """\
# The public arena: bbob-constrained

Printed by `make arena-page` from `benchmarks/results/bbob.jsonl` ({runs} runs); do not edit. `make arena` and
`make arena-rivals` measure again, and go on where they were stopped.

COCO's suite bbob-constrained has 54 functions: nine objectives, each with six numbers
of constraints K, from 1 to 9 + 9d/2. About two thirds of the constraints are active at the optimum, where many more
walls meet than there are parameters.

## The rules

- Every evaluation of the objective, and every evaluation of one constraint, costs one unit. The suite itself gives all
  constraints in one call; counting them one by one is our accounting.
- The initial design has 2 (d + 1) points, each with all functions, and is not charged. One of them is the feasible
  start that the suite offers to everybody, the others are the Latin hypercube of the seed. All methods get the same
  points. Then there are 30 d units.
- The library's methods run with their defaults, without the part of the budget that `taut run` keeps for verifying
  the answer. The others evaluate all functions at each trial and pay 1 + K units for it: with K = 18 and d = 2 that is
  three trials. They are EGObox 1.0.0, BoTorch 0.18.1 (logarithm of constrained expected improvement, told that values
  are exact), SCBO (written again with BoTorch's models; 1,000 candidates a step where its authors take more) and
  COBYQA 1.1.4 (from the best design, and from the next ones
  when it has converged). Constraints reach them in units of their spread. Adapters are in `benchmarks/coco`.
- Feasible means c <= 0 exactly, as COCO has it; no tolerance.

**Targets.** 41 precisions f - f* from 1e2 to 1e-6, evenly in the logarithm, as in COCO's own pages of this suite; each
function has its 41, and a share of all of them is what counts. A target is reached at the cost at which it is first
met. For the library's methods the design that is judged is the recommendation after each decision, by the true
functions; for the others it is the best feasible trial, which is what they hand out. The two are not the same
thing: a recommendation is a prediction that nobody has evaluated, and the user does not see when it hits. The table
"otherwise" judges the same runs in other ways: with 1e-6 of a constraint's range forgiven (near), by designs with
all functions evaluated only (trials), and by the last answer alone, which has to hold.

**The best values f\\*.** The suite does not print them, but it builds every problem round its optimum and writes
that point to a file on request. For {problems} problems that point was read, found feasible, and checked by local
searches (SLSQP with the true functions) from it, from the feasible start and from Sobol points: none ended below by
more than {below} (what a slack of 1e-9 of a constraint's range allows), and on {confirmed} of the {used} problems used
here at least one search that began elsewhere ended within 1e-5 of it. Values and counts are in
`src/taut_paper/arena/optima.json`, made by `python benchmarks/bbob.py optima`. No run of an optimiser under test is
part of it.

## Where and why dckg loses

{losses}

## Results

Shares of targets in percent, by the number of constraints, along the way, and by objective; then the same runs judged
otherwise, with the share of units spent on the objective and the share of steps farther than 5 % of the box from the
recommendation before them. The pictures have the share of targets against the units spent for each parameter.

"How runs behave" counts all runs of a dimension that have what it takes, whether or not the others have the same
problem. Stuck: from the last answer a local search on the true functions does not lead to the optimum; what is far
from it, but in its basin, is not stuck. Promised and true: the probability of feasibility reported with the
recommendations of a run, and the share of them that was feasible, without tolerance. Objective: of feasible
recommendations, those whose true value is more than two reported standard deviations away. Near-repeats: evaluations
within 1e-6 of a side of the box of an earlier one of the same function. CPU: of a decision, all threads of a rival
together. A dash: the method says no such thing, or it was not recorded.

{tables}
"""
LOSSES = """\
**Far ahead of coupled optimisers, because of two things.** Paying for one function at a time is worth much where there
are several constraints; and functions that are exactly linear or quadratic are seen to be (`surrogate/exact.py`): on
the sphere, the linear slope and the different powers, whose constraints are linear, `dckg` and `cei+` reach nearly all
targets, within a dozen units. Before that (the same functions, seed and instance) `dckg` had 42.0 % of all targets in
the plane, now 55.6 %; EGObox, the best of the others, has 22.3 %. On the objectives with a transformation of their
variables (ellipsoids, discus, bent cigar) nothing is exact, and the gain is small.

**Many walls at once: level with `cei+`, not ahead.** The suite lets two thirds of all constraints be active at the
optimum, so that each of them forbids it until it is known better there. Functions are asked at one place where four or
more constraints are in play (`policy/meeting.py`); over all functions the difference to `cei+` is less than a percent,
`cei+` being ahead on the way and on the ellipsoids, `dckg` with one constraint and on the bent cigar. Where the best
place for an improvement is known already, `cei+` still asks the function it knows least there, `dckg` goes elsewhere;
that may be what is left, and is not tested.

**What a coupled method has that a decoupled one has not** is a design of which everything was measured: the comparison
rests on answers that nobody has evaluated. With verification off, judged by such designs alone (trials), `dckg` and
`cei+` are behind EGObox.

**Many local optima.** On the two Rastrigin objectives nobody goes far within 30 d units. We have not looked into why.

**At the wall.** Of the last recommendations of `dckg` and `cei+` a few are infeasible by less than 1e-4 of a
constraint's range, which counts as nothing reached at that time; forgiving 1e-6 (near) changes the shares by about one
percent.

**How far this carries.** One instance and one seed of each function: single functions are chance, and the tables
"against" say on how many of them the order holds. With d = 5 the library was run on the functions that the tables
name, most of them those with an exact answer. Where a table has fewer than 54 functions, the others have not been run
with all its methods. The rule for four constraints and more was chosen on six functions of instance 3, nothing else in
the library on this suite. Of the rivals, BoTorch was told that values are exact after its first runs (better), and SCBO
got 1,000 instead of 2,000 candidates to save time (on the first function it ended worse, 1.4 instead of 0.2).
"""
