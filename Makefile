# Every target sets up what it needs. PYTHON may name another interpreter: make test PYTHON=python3.12
PYTHON ?= python3
# One BLAS thread: the matrices are small, and two threads on two busy cores are many times slower than one.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
PIP := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help demo test lint types check bench bench-quick bench-peers bench-paper tune tune-paper paper paper-quick clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.venv-demo/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python $(PIP) --editable .
	touch $@

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	.venv/bin/python $(PIP) --editable '.[dev]'
	touch $@

.venv-bench/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python $(PIP) --editable '.[bench]'
	touch $@

demo: .venv-demo/ready  ## a small steel study to the end, with core dependencies only
	.venv-demo/bin/python examples/steel.py

lint: .venv/ready  ## ruff
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: .venv/ready  ## mypy --strict
	.venv/bin/mypy

check: .venv/ready  ## the test suite alone
	.venv/bin/pytest -n 2

test: lint types check  ## lint, types and the whole test suite

bench: .venv-bench/ready  ## the table of figures, beside Optuna and BoTorch (an hour; finished parts are kept)
	.venv-bench/bin/python benchmarks/quality_peers.py
	.venv-bench/bin/python benchmarks/bench.py

bench-quick: .venv/ready  ## what of the table needs no peers, with few seeds
	.venv/bin/python benchmarks/bench.py --quick

tune: .venv/ready  ## how the cost's strength was chosen: benchmarks/results/tune_cost.md
	.venv/bin/python benchmarks/tune_cost.py

.venv-paper/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-paper
	.venv-paper/bin/python $(PIP) --editable '.[paper]'
	touch $@

PAPER := .venv-paper/bin/camobo paper
PAPER_OUT ?= paper-runs
paper: .venv-paper/ready  ## the paper's experiments in full, its figures and docs/paper.md's table (hours; can be stopped)
	$(PAPER) cost-surface --out $(PAPER_OUT)/cost-surface
	$(PAPER) zdt3 --out $(PAPER_OUT)/zdt3
	$(PAPER) cross-holder --cost paper --cost additive --cost printed --out $(PAPER_OUT)/cross-holder
	$(PAPER) matyas-booth --out $(PAPER_OUT)/matyas-booth
	$(PAPER) steel --out $(PAPER_OUT)/steel
	$(PAPER) steel --objectives 2 --out $(PAPER_OUT)/steel-2
	$(PAPER) forest --out $(PAPER_OUT)/forest
	$(PAPER) network --runs 2 --iterations 100 --out $(PAPER_OUT)/network
	for name in zdt3 cross-holder matyas-booth steel steel-2 forest network; do \
	  mkdir -p benchmarks/results/paper/$$name && cp $(PAPER_OUT)/$$name/summary.json benchmarks/results/paper/$$name/; done
	$(PAPER) table benchmarks/results/paper --write docs/paper.md

paper-quick: .venv-paper/ready  ## the synthetic ones and steel in short, a few minutes
	$(PAPER) cost-surface --out $(PAPER_OUT)-quick/cost-surface
	for name in zdt3 cross-holder matyas-booth steel; do $(PAPER) $$name --quick --out $(PAPER_OUT)-quick/$$name || exit 1; done

bench-paper: .venv-paper/ready  ## milliseconds a suggestion in the paper's experiments, and their growth
	.venv-paper/bin/python benchmarks/paper_speed.py

tune-paper: .venv-paper/ready  ## how the additive cost was set for the paper's experiments: benchmarks/results/tune_paper.md
	.venv-paper/bin/python benchmarks/tune_paper.py

clean:  ## remove the environments and caches
	rm -rf .venv .venv-demo .venv-bench .venv-paper .mypy_cache .pytest_cache .ruff_cache .hypothesis
