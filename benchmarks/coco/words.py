"""The words of docs/arena.md. LOSSES was written by hand, on the rows that are kept: read it again when they change."""

WORDS = """\
# The public arena: bbob-constrained

Printed by `make arena-page` from `benchmarks/results/bbob.jsonl` ({runs} runs); do not edit. `make arena` and
`make arena-rivals` measure again, and go on where they were stopped.

COCO's suite bbob-constrained has 54 functions: nine objectives, each with six numbers
of constraints K, from 1 to 9 + 9d/2. About two thirds of the constraints are active at the optimum, where many more
walls meet than there are parameters. Nothing in the library was chosen on it.

## The rules

- Every evaluation of the objective, and every evaluation of one constraint, costs one unit. The suite itself gives all
  constraints in one call; counting them one by one is our accounting.
- The initial design has 2 (d + 1) points, each with all functions, and is not charged. One of them is the feasible
  start that the suite offers to everybody, the others are the Latin hypercube of the seed. All methods get the same
  points. Then there are 30 d units.
- The library's methods run with their defaults, without the part of the budget that `taut run` keeps for verifying the
  answer. The others evaluate all functions at each trial and pay 1 + K units for it: with K = 18 and d = 2 that is three
  trials. EGObox 1.0.0, BoTorch 0.18.1 (logarithm of constrained expected improvement, told that values are exact), SCBO
  (written again with BoTorch's models) and COBYQA 1.1.4 (from the best design, and from the next ones when it has
  converged) are adapters in `benchmarks/coco`; constraints reach them in units of their spread.
- Feasible means c <= 0 exactly, as COCO has it; no tolerance.

**Targets.** 41 precisions f - f* from 1e2 to 1e-6, evenly in the logarithm, as in COCO's own pages of this suite; each
function has its 41, and a share of all of them is what counts. A target is reached at the cost at which it is first
met. For the library's methods the design that is judged is the recommendation after each decision, by the true
functions; for the others it is the best feasible trial, which is what they hand out. The two are not the same
thing: a recommendation is a prediction that nobody has evaluated, and the user does not see when it hits. The table
"otherwise" judges the same runs in other ways: with 1e-6 of a constraint's range forgiven (near), by designs with
all functions evaluated only (trials), and by the last answer alone, which has to hold.

**The best values f\\*.** The suite does not print them, but it builds every problem round its optimum and writes
that point to a file on request. For {problems} problems that point was read, found feasible, and checked by local searches
(SLSQP with the true functions) from it, from the feasible start and from Sobol points: none ended below by more
than {below} (what a slack of 1e-9 of a constraint's range allows), and on {confirmed} of the {used} problems used here at
least one search that began elsewhere ended within 1e-5 of it. Values and counts are in `src/taut_paper/arena/optima.json`, made
by `python benchmarks/bbob.py optima`. No run of an optimiser under test is part of it.

## Where and why dckg loses

{losses}

## Results

Shares of targets in percent, by the number of constraints, along the way, and by objective; then the same runs judged
otherwise, with the share of units spent on the objective and the share of steps farther than 5 % of the box from the
recommendation before them. The pictures have the share of targets against the units spent for each parameter.

{tables}
"""
LOSSES = ""
