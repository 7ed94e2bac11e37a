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
- The library's methods run with their defaults, without the part of the budget that `taut run` keeps for verifying
  the answer. The others evaluate all functions at each trial and pay 1 + K units for it: with K = 18 and d = 2 that is
  three trials. They are EGObox 1.0.0, BoTorch 0.18.1 (logarithm of constrained expected improvement, told that values
  are exact), SCBO (written again with BoTorch's models) and COBYQA 1.1.4 (from the best design, and from the next ones
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

{tables}
"""
LOSSES = """\
**Many walls at once.** The more constraints, the further `dckg` falls behind `cei+`, which is the library's own and
decoupled as well. With one or three constraints they are level; with nine or more `cei+` reaches more targets. The
suite lets two thirds of all constraints be active at the optimum, so that each of them forbids it until it is known
better there. `dckg` asks what one more value would change in the recommendation: when many walls forbid the way, a
value of one of them moves the recommendation only as far as the next wall allows, and the best such value lies close
by. So it goes in small steps: the table "way" has how far points lie on the way from the recommendation to the
optimum, and after how many units the recommendation is within 1 % of the box of it. `cei+` chooses the point first, by
improvement times probability of feasibility, and then asks the constraints there one by one; that is what this
geometry rewards. The set of functions that `dckg` plans is no remedy: it is bought one function at a time and planned
anew after each of them, at another point.

**Against coupled optimisers** the order is the other way round: with several constraints paying for one function at a
time is worth more than anything else, and over all functions with three constraints or more both decoupled methods
reach more targets than every coupled one. With one constraint there is little to save, and COBYQA and EGObox are as
good: near the optimum of a smooth problem a quadratic model, or a model that takes values as exact, comes closer than
our recommendation.

**How far this carries.** One instance and one seed of each function: single functions are chance, and the tables
"against" say on how many of them the order holds. Nothing was tuned to these runs, which were made with commit 0fceead.
"""
