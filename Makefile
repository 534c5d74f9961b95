# Needs Python 3.11 or newer and nothing else installed by hand: everything goes into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup run test lint check bench screenshots clean

help:
	@echo 'make run          install what is missing, then open the console on a private copy of the sample memory'
	@echo 'make test         all tests'
	@echo 'make check        style, format, types, import contracts, then all tests'
	@echo 'make lint         the same without the tests'
	@echo 'make bench        measure speed and memory against the budgets'
	@echo 'make screenshots  draw screenshots/ anew from the sample memory'
	@echo 'make setup        only install'
	@echo 'make clean        remove .venv, caches and build products'

setup: $(STAMP)

# The stamp is older than pyproject.toml when a dependency changed: install again.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo 'Python 3.11 or newer is needed; name it with: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'installing into $(VENV) ...'
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: $(STAMP)
	@$(BIN)/assay demo

test: $(STAMP)
	@$(BIN)/python -m pytest -n 2

lint: $(STAMP)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { echo 'not formatted; run: $(BIN)/ruff format .' >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo

check: lint test

bench: $(STAMP)
	@test -f tests/bench/__main__.py || { echo "tests/bench/ has no program: there is nothing to measure with in this checkout" >&2; exit 1; }
	@$(BIN)/python -m tests.bench

screenshots: $(STAMP)
	@$(BIN)/python tests/support/screenshots.py

clean:
	rm -rf $(VENV) dist build *.egg-info snapshot_report.html
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find core stores tui tests -name __pycache__ -type d -prune -exec rm -rf {} +
