# Everything a developer or the CI runs. Only make and Python 3.11 or newer are needed beforehand.
PYTHON ?= $(shell command -v python3.11 2>/dev/null || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
# Small matrices: BLAS threads only get in the way of the parallel test workers.
THREADS := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
TESTS ?= tests

.PHONY: venv demo test check coverage chaos oracle

venv: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $(STAMP)

demo: $(STAMP)
	$(THREADS) $(BIN)/taut demo

test: $(STAMP)
	$(THREADS) $(BIN)/python -m pytest -n 2 $(TESTS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src

coverage: $(STAMP)
	$(THREADS) $(BIN)/python -m pytest -n 2 --cov=taut --cov-report=term-missing $(TESTS)

# Kills runs and programs at a hundred random moments; takes some minutes.
KILLS ?= 100
SEED ?= 0

chaos: $(STAMP)
	$(THREADS) $(BIN)/python tests/chaos.py $(KILLS) $(SEED)

# Against GPyTorch and BoTorch, in an environment of its own; needs a few hundred megabytes and minutes to install.
ORACLE := .venv-oracle

oracle: $(ORACLE)/.stamp
	$(THREADS) $(ORACLE)/bin/python -m pytest -W default tests/oracle

$(ORACLE)/.stamp: requirements/oracle.txt requirements/dev.txt pyproject.toml
	test -x $(ORACLE)/bin/python || $(PYTHON) -m venv $(ORACLE)
	$(ORACLE)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/oracle.txt
	$(ORACLE)/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $(ORACLE)/.stamp
