# Every target sets up what it needs in $(VENV) and does nothing twice.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
FLOOR := 95
ENGINE := $(foreach module,rules rng layout actions scoring legality transitions integrity batch,ra_env/$(module).py)

comma := ,
empty :=
space := $(empty) $(empty)

.DEFAULT_GOAL := help
.PHONY: help install train test compiled boundscheck coverage lint type check bench peers clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(VENV)/.has-cli ## Install the package and its command line into .venv
	@echo "Ready. To use it: . $(BIN)/activate"

train: $(VENV)/.has-train ## Train an agent by self-play for two minutes, and compare it with the others
	$(BIN)/ra-env train $(ARGS)

test: $(VENV)/.has-test ## Run all tests: the three runs below, side by side
	@echo "Three runs side by side; each shows its output when it is done, in several minutes."
	@$(MAKE) --no-print-directory -j3 --output-sync=target compiled boundscheck coverage

compiled: $(VENV)/.has-test ## Run the full suite, compiled
	@echo "== Full suite, compiled =="
	$(PYTEST)

boundscheck: $(VENV)/.has-test ## Run the tests marked boundscheck with every array index checked
	@echo "== Engine tests, compiled with bounds checks =="
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m boundscheck

coverage: $(VENV)/.has-test ## Run uncompiled, and fail if the engine's line coverage is too low
	@echo "== Uncompiled suite, engine coverage at least $(FLOOR) % =="
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m "not compiled"
	$(BIN)/coverage report --fail-under=$(FLOOR) --include=$(subst $(space),$(comma),$(ENGINE))

lint: $(VENV)/.has-dev ## Check style, formatting and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

type: $(VENV)/.has-dev ## Check types
	$(BIN)/mypy

check: lint type test ## Run everything that must pass before a commit

bench: $(VENV)/.has-cli ## Measure the speed of the engine
	$(BIN)/python -m benchmarks.check

peers: $(VENV)/.has-peers ## Compare with other libraries' games
	$(BIN)/python -m benchmarks.peers

clean: ## Remove everything that make has made, .venv too
	rm -rf $(VENV) build dist *.egg-info .coverage .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# $(VENV)/.has-<extra> says that the package is installed with that extra.
$(VENV)/.has-%: pyproject.toml constraints.txt | $(VENV)/.created
	@echo "Installing ra-env[$*] into $(VENV) (up to a minute) ..."
	@$(PIP) install -c constraints.txt setuptools
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[$*]'
	@touch $@

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "ra-env needs Python 3.10 or newer; '$(PYTHON)' is not. Try: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { \
		echo "'$(PYTHON)' lacks venv. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@
