# Everything a developer or the CI runs. Only make and Python 3.11 or newer are needed beforehand.
PYTHON ?= $(shell command -v python3.11 2>/dev/null || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
# Small matrices: BLAS threads only get in the way of the parallel test workers.
THREADS := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
TESTS ?= tests

.PHONY: venv demo browser test thorough check coverage chaos chaos-numbers admissible oracle bench bench-quick bench-page bench-paper bench-paper-quick settings-page trust trust-page trust-real guard guard-page noise noise-rival noise-page engineers engineers-rivals

venv: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $(STAMP)

demo: $(STAMP)
	$(THREADS) $(BIN)/taut demo

# Three workers on two cores: some tests wait for other processes, which start faster if bytecode is kept.
test: $(STAMP)
	PYTHONDONTWRITEBYTECODE= $(THREADS) $(BIN)/python -m pytest -n 3 --dist worksteal $(TESTS)

# What the tests leave out: variants of methods, more random studies, and all golden scenes. After a change of what methods share.
thorough: $(STAMP)
	$(THREADS) $(BIN)/python -m pytest -n 2 -m thorough $(TESTS)
	$(THREADS) $(BIN)/python tests/golden/decisions.py

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src

coverage: $(STAMP)
	$(THREADS) $(BIN)/python -m pytest -n 2 --cov=taut --cov-report=term-missing $(TESTS)

# Kills, stops and disturbs runs in every way we know of, until there were KILLS events in the series SEED; takes some minutes.
# BACKENDS=sqlite and KINDS=run,server select. Each study is a line of the file OUT: a series goes on where it was stopped.
KILLS ?= 100
SEED ?= 0
BACKENDS ?= sqlite,postgresql
KINDS ?=
OUT ?= chaos.jsonl

chaos: $(STAMP)
	$(THREADS) PYTHONPATH=tests $(BIN)/python -m chaos.chaos $(KILLS) --seed $(SEED) --backends "$(BACKENDS)" --kinds "$(KINDS)" \
		--out "$(OUT)" --keep "$(OUT:.jsonl=.kept)"

# Random studies at the edge of floating point, 25 steps each; takes hours, and goes on where it was stopped.
STUDIES ?= 1000
FOLDER ?= chaos-results

chaos-numbers: $(STAMP)
	$(THREADS) PYTHONPATH=tests $(BIN)/python -m chaos.numerical $(STUDIES) $(SEED) $(FOLDER)

# Suggestions over random mixed problems; every value must be one that was declared.
SUGGESTIONS ?= 10000

admissible: $(STAMP)
	$(THREADS) PYTHONPATH=tests $(BIN)/python -m chaos.admissible $(SUGGESTIONS) $(SEED)

# An environment of its own for what the suite does not need: requirements/NAME.txt goes into .venv-NAME.
.venv-%/.stamp: requirements/%.txt requirements/dev.txt pyproject.toml
	test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/$*.txt
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

# Against GPyTorch and BoTorch, in an environment of its own; needs a few hundred megabytes and minutes to install.
ORACLE := .venv-oracle

oracle: $(ORACLE)/.stamp
	$(THREADS) $(ORACLE)/bin/python -m pytest -W default tests/oracle

# The live page in a real browser (Debian: chromium), driven by Playwright from an environment of its own. SHOTS=folder keeps
# pictures of it: look at them. BROWSING=--untimed judges no times.
BROWSER := .venv-browser
SHOTS ?=
BROWSING ?=

browser: $(BROWSER)/.stamp
	$(THREADS) PYTHONPATH=tests $(BROWSER)/bin/python -m browser.check $(if $(SHOTS),--shots "$(SHOTS)") $(BROWSING)

# The documentation site, into site/: offline, every warning an error. Pictures are made first, from small studies.
DOCS := .venv-docs

.PHONY: docs tutorial
docs: $(DOCS)/.stamp
	$(THREADS) $(DOCS)/bin/python website/pictures.py docs/pictures
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=website $(DOCS)/bin/python -m mkdocs build --strict --quiet
	@echo "site/index.html is the documentation"

# Runs the tutorial with its simulator and prints docs/tutorial.md again, in an environment of its own.
TUTORIAL := .venv-tutorial

tutorial: $(TUTORIAL)/.stamp
	$(THREADS) MPLBACKEND=agg $(TUTORIAL)/bin/python website/notebook.py website/tutorial.py docs/tutorial.md

# A study on a real SLURM of one node, with jobs that are killed, and the executors of others. What is missing of Debian's
# packages is installed (as root, or by sudo); the daemons live in a temporary folder and are stopped afterwards.
SLURM := .venv-slurm
SUDO := $(if $(filter 0,$(shell id -u)),,sudo -n)
CLUSTER = $(THREADS) PYTHONPATH=tests $(SLURM)/bin/python -m

.PHONY: slurm executors
slurm: $(SLURM)/.stamp
	PATH="$$PATH:/usr/sbin" sh -c 'command -v munged && command -v slurmctld && command -v slurmd' >/dev/null \
		|| { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends slurm-wlm munge; }
	$(CLUSTER) cluster.check

executors: $(SLURM)/.stamp
	$(CLUSTER) cluster.executors

# taut inside OpenMDAO, libEnsemble, Optimas and Xopt, in an environment of its own: several gigabytes, as Xopt brings PyTorch.
HOSTS := .venv-hosts
HOSTED ?= tests/hosts

.PHONY: hosts
hosts: $(HOSTS)/.stamp
	$(THREADS) $(HOSTS)/bin/python -m pytest -W default $(HOSTED)

# Two cases with real solvers (Debian: xfoil, xvfb, xfonts-base, calculix-ccx; nothing is installed here, missing ones are named): every
# final answer is run again. An hour or more; goes on where it was stopped. REAL="--case panel --seeds 0-2" selects.
REAL ?=
ANSWERS := benchmarks/results/tmp/real/answers.jsonl

trust-real: $(STAMP)
	$(THREADS) PYTHONPATH=$(TAUT) $(BIN)/python -m benchmarks.real run --out $(ANSWERS) $(REAL)
	$(THREADS) PYTHONPATH=$(TAUT) $(BIN)/python -m benchmarks.real table $(ANSWERS) | tee benchmarks/results/trust-real.md

# Real simulators. make example-water and so on install what they need by name (by pip into an environment of its own, or from
# Debian, for which one has to be root), run the study of examples/NAME, and leave a page and a picture beside it. A study that
# is finished is not run again: remove examples/NAME/NAME.db for that.
DEBIAN_aerofoil := xfoil xvfb xfonts-base
DEBIAN_panel := calculix-ccx
DEBIAN_amplifier := ngspice
BY_PIP := example-water example-grid
BY_APT := example-aerofoil example-panel example-amplifier
.PHONY: $(BY_PIP) $(BY_APT) examples-page
.PRECIOUS: .venv-example-%/.stamp

define EXAMPLE
	PATH="$(CURDIR)/$(1)/bin:$$PATH" $(THREADS) taut run examples/$*/study.toml --plain
	PATH="$(CURDIR)/$(1)/bin:$$PATH" $(THREADS) taut report examples/$*/study.toml -o examples/$*/$*.html
	$(THREADS) $(1)/bin/python examples/picture.py examples/$*
endef

$(BY_PIP): example-%: .venv-example-%/.stamp
	$(call EXAMPLE,.venv-example-$*)

$(BY_APT): example-%: $(STAMP)
	dpkg --status $(DEBIAN_$*) > /dev/null 2>&1 || apt-get install --yes $(DEBIAN_$*)
	$(call EXAMPLE,$(VENV))

.venv-example-%/.stamp: requirements/example-%.txt pyproject.toml
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

# Decoupled against coupled on them, and docs/examples.md; an hour. Goes on where it was stopped.
examples-page: .venv-example-water/.stamp .venv-example-grid/.stamp $(STAMP)
	for name in water grid; do PYTHONPATH=src .venv-example-$$name/bin/python benchmarks/simulators.py run $$name || exit 1; done
	for name in amplifier aerofoil panel; do PYTHONPATH=src $(BIN)/python benchmarks/simulators.py run $$name || exit 1; done
	PYTHONPATH=src $(BIN)/python benchmarks/simulators.py page

# Known formulas, whole numbers and catalogues: ENGINEERS="--cases spring --seeds 0-4" selects; then docs/engineers.md.
ENGINEERS ?=
ENGINEERED := benchmarks/results/engineers.jsonl benchmarks/results/engineers-rivals.jsonl
engineers: $(STAMP)
	$(THREADS) PYTHONPATH=$(TAUT) $(BIN)/python benchmarks/engineers.py run --out benchmarks/results/engineers.jsonl $(ENGINEERS)
	PYTHONPATH=$(TAUT) $(BIN)/python benchmarks/engineers.py page $(ENGINEERED)

# The same with Optuna's samplers and EGObox, in an environment of their own, on the problems with whole numbers and choices.
engineers-rivals: .venv-engineers/.stamp
	$(THREADS) PYTHONPATH=$(TAUT) .venv-engineers/bin/python benchmarks/engineers.py rivals --out benchmarks/results/engineers-rivals.jsonl \
		$(ENGINEERS)
	PYTHONPATH=$(TAUT) .venv-engineers/bin/python benchmarks/engineers.py page $(ENGINEERED)

# docs/settings.md, from the declarations of the settings.
settings-page: $(STAMP)
	$(BIN)/python benchmarks/settings_page.py

# The published experiments and their report; finished repetitions are not run again. The small form takes some minutes:
# short runs, five seeds for the comparisons that are judged and one for the others.
WORKERS ?= 2
PAPER := bench-results
PAPER_RUN = $(THREADS) $(BIN)/taut bench run --workers $(WORKERS)
JUDGED := dckg,cei+,ckg,cei,pesc,dckg-uncoupled

bench-paper: $(STAMP)
	$(PAPER_RUN) paper --scale code --seeds 20 --out $(PAPER)/code
	$(THREADS) $(BIN)/taut bench report --out $(PAPER)/code

bench-paper-quick: $(STAMP)
	$(PAPER_RUN) baseline redundant costs ablation --presets default --methods $(JUDGED) --budget 40 --seeds 5 \
		--out $(PAPER)/quick
	$(PAPER_RUN) baseline redundant costs presets presets-pesc presets-costs presets-ablation --budget 40 --seeds 1 --out $(PAPER)/quick
	$(PAPER_RUN) engineering --budget 20 --seeds 1 --out $(PAPER)/quick
	$(THREADS) $(BIN)/taut bench report --out $(PAPER)/quick

# Whether certainty is true, on simulator-like problems; hours. Runs that are finished are not run again. TRUST="--cases
# exact hash2 --seeds 0-4" selects; LABEL=earlier TAUT=/other/checkout/src measures another taut. Then docs/trust.md is
# written from all that is kept: LABEL against BASE.
LABEL ?= now
BASE ?= today
TRUST ?=
ROWS ?= trust.jsonl
ARENA = $(THREADS) PYTHONPATH=$(TAUT) $(BIN)/python benchmarks/trust.py

trust: $(STAMP)
	$(ARENA) run --label $(LABEL) --out $(ROWS) --processes $(WORKERS) $(TRUST)
	$(ARENA) run --label $(LABEL) --out $(ROWS) --processes $(WORKERS) --cases exact --no-verify
	$(ARENA) run --label $(LABEL) --out $(ROWS) --processes $(WORKERS) --method cei --seeds 0-4
	$(ARENA) keep $(ROWS)
	$(ARENA) page --label $(LABEL) --base $(BASE)

trust-page: $(STAMP)
	$(ARENA) page --label $(LABEL) --base $(BASE)

# Does the default get worse anywhere? Paper, engineering and own problems; hours. GUARD="--cases own --seeds 0-4" selects;
# LABEL=earlier TAUT=/other/checkout/src measures another taut. Then docs/guard.md is written from all that is kept.
GUARD ?=
GUARDED ?= guard.jsonl
GUARDING = $(THREADS) PYTHONPATH=$(TAUT) $(BIN)/python benchmarks/guard.py

guard: $(STAMP)
	$(GUARDING) run --label $(LABEL) --out $(GUARDED) $(GUARD)
	$(GUARDING) keep $(GUARDED) --labels $(LABEL)
	$(GUARDING) page --label $(LABEL) --base $(BASE)

# COCO's bbob-constrained, a public suite: the library's methods, then others that evaluate everything at each trial, in an
# environment of their own; runs that are finished are not run again. BBOB="--dimensions 5 --functions 1-6" selects, and
# goes to both; what was run is kept in benchmarks/results/bbob.jsonl, and docs/arena.md is written from that.
BBOB ?=
SUITE ?= bbob-results
BBOB_VENV := .venv-arena
.PHONY: arena arena-rivals arena-page
arena: $(BBOB_VENV)/.stamp
	$(THREADS) $(BBOB_VENV)/bin/taut bench run bbob-constrained --out $(SUITE) --processes $(WORKERS) $(BBOB)
	$(THREADS) PYTHONPATH=src $(BBOB_VENV)/bin/python benchmarks/bbob.py keep $(SUITE)

arena-rivals: $(BBOB_VENV)/.stamp
	$(THREADS) PYTHONPATH=src $(BBOB_VENV)/bin/python benchmarks/bbob.py rivals --out $(SUITE) $(BBOB)
	$(THREADS) PYTHONPATH=src $(BBOB_VENV)/bin/python benchmarks/bbob.py keep $(SUITE)

arena-page: $(STAMP)
	$(THREADS) PYTHONPATH=src $(BIN)/python benchmarks/bbob.py page

# Are prices of limits, verdicts and the rule to stop right? Two hours; goes on where it was stopped. SEEDS=10-12 and
# MEANING="--problems spring" select; docs/right.md is written from all that was judged.
MEANING ?=
SEEDS ?= 10-19
STUDIES ?= meaning-studies
.PHONY: meaning meaning-page
meaning: $(STAMP)
	$(THREADS) PYTHONPATH=src $(BIN)/python benchmarks/meaning.py run --studies $(STUDIES) --seeds $(SEEDS) $(MEANING)
	$(THREADS) PYTHONPATH=src $(BIN)/python benchmarks/meaning.py judge --studies $(STUDIES) --seeds $(SEEDS)
	$(THREADS) PYTHONPATH=src $(BIN)/python benchmarks/meaning.py page

meaning-page: $(STAMP)
	$(THREADS) PYTHONPATH=src $(BIN)/python benchmarks/meaning.py page

guard-page: $(STAMP)
	$(GUARDING) page --label $(LABEL) --base $(BASE)

# What the defaults buy, and how runs behave in all that is stored: ten minutes; goes on where it was stopped.
# QUALITY="--variants default --seeds 4-9" selects; docs/quality.md is written from all that is kept.
QUALITY ?=
QUALITY_ROWS ?= quality.jsonl
.PHONY: quality quality-page
quality: $(STAMP)
	$(THREADS) PYTHONPATH=$(TAUT) $(BIN)/python benchmarks/quality.py run --out $(QUALITY_ROWS) $(QUALITY)
	PYTHONPATH=src $(BIN)/python benchmarks/quality.py keep $(QUALITY_ROWS)
	PYTHONPATH=src $(BIN)/python benchmarks/quality.py page

quality-page: $(STAMP)
	PYTHONPATH=src $(BIN)/python benchmarks/quality.py page

# Do measured costs do as well as known ones? The table of docs/costs.md; goes on where it was stopped.
COSTS ?=
.PHONY: costs costs-page
costs: $(STAMP)
	$(THREADS) PYTHONPATH=src $(BIN)/python benchmarks/measured_costs.py run $(COSTS)
	PYTHONPATH=src $(BIN)/python benchmarks/measured_costs.py page

costs-page: $(STAMP)
	PYTHONPATH=src $(BIN)/python benchmarks/measured_costs.py page

# CPU time and quality of decisions, against BoTorch. TAUT=/other/checkout/src measures another taut; BENCH="--parts
# quality --seeds 0-4" selects. Units that are finished are not run again; docs/speed.md and its numbers are rewritten.
BENCH_VENV := .venv-bench
TAUT ?= src
BENCH ?=
# Large arrays are kept instead of returned to the system each time, which would be half of the time of BoTorch's KG.
MALLOC := MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=8000000000 MALLOC_TOP_PAD_=67108864
SPEED = $(THREADS) $(MALLOC) PYTHONPATH=$(TAUT):benchmarks $(BENCH_VENV)/bin/python -m speed

bench: $(BENCH_VENV)/.stamp
	$(SPEED) --write $(BENCH)

bench-quick: $(BENCH_VENV)/.stamp
	$(SPEED) --quick $(BENCH)

bench-page: $(BENCH_VENV)/.stamp
	$(SPEED) --from-json

$(BENCH_VENV)/.stamp: requirements/bench.txt requirements/oracle.txt requirements/dev.txt pyproject.toml
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/bench.txt
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $(BENCH_VENV)/.stamp

# Noisy functions: the default and its own rivals, then BoTorch; hours. NOISE="--seeds 100-104 --given" selects; goes on where it
# was stopped, keeps the runs in benchmarks/results/noise.jsonl and writes docs/noise.md.
NOISE ?= --seeds 100-104
NOISY ?= noise.jsonl
noise: $(STAMP)
	$(THREADS) PYTHONPATH=$(TAUT) $(BIN)/python benchmarks/noise.py run --label now --out $(NOISY) --methods dckg ckg cei $(NOISE)
	$(BIN)/python benchmarks/noise.py keep $(NOISY)
	$(BIN)/python benchmarks/noise.py page

noise-rival: $(BENCH_VENV)/.stamp
	$(THREADS) PYTHONPATH=$(TAUT) $(BENCH_VENV)/bin/python benchmarks/noise.py run --label botorch --out $(NOISY) --methods nei $(NOISE)
	$(BENCH_VENV)/bin/python benchmarks/noise.py keep $(NOISY)
	$(BENCH_VENV)/bin/python benchmarks/noise.py page

noise-page: $(STAMP)
	$(BIN)/python benchmarks/noise.py page
