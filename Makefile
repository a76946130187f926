# `make demo` and `make test` do all the set-up: they need git, make and Python 3.10 or newer (or uv), nothing else.
# The first run makes the virtual environment .venv; later runs start at once, until pyproject.toml changes.

VENV ?= .venv
ARGS ?=
PURE_TESTS := tests/test_fixtures.py tests/reference tests/unit/lineage tests/unit/syntax tests/e2e
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
UV := $(shell command -v uv 2>/dev/null)

# A name on PATH may be a version manager's stand-in for a Python that is not there: only running it tells.
FIND_PYTHON = for python in python3.13 python3.12 python3.11 python3.10 python3 python 'py -3'; do \
	if $$python -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)' >/dev/null 2>&1; then \
	echo "$$python"; exit 0; fi; done; \
	echo 'error: Python 3.10 or newer with its venv module (Debian, Ubuntu: python3-venv), or uv, is needed' >&2; exit 1

.DEFAULT_GOAL := help
.PHONY: help demo test pure lint types contracts check exports robust editors clean

help: ## show the targets
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

demo: $(VENV)/.run ## start the real server on examples/ (or ARGS="path/to/folder") and show what an editor would
	@$(BIN)/sql-lineage-ls demo $(ARGS)

test: $(VENV)/.test ## run the tests; ARGS="-k unnest" chooses some
	@$(PY) -m pytest -p no:cacheprovider $(ARGS)

pure: ## lineage and server tests on sqlglot without its compiled modules
	@$(MAKE) --no-print-directory VENV=.venv-pure .venv-pure/.pure
	@$(MAKE) --no-print-directory VENV=.venv-pure test ARGS="$(PURE_TESTS) $(ARGS)"

lint: $(VENV)/.lint ## ruff
	@$(BIN)/ruff check .

types: $(VENV)/.lint ## mypy --strict
	@$(BIN)/mypy

contracts: $(VENV)/.lint ## which layer may import which
	@PYTHONPATH=. $(BIN)/lint-imports

check: lint types contracts test ## all of the above

exports: $(VENV)/.exports ## compare the exports with DataHub's own functions
	@$(PY) -m pytest -p no:cacheprovider tests/unit/exporters $(ARGS)

oracle: $(VENV)/.oracle ## compare thousands of random queries with real engines; ORACLE_SEED=8 chooses others
	@ORACLE_QUERIES=$${ORACLE_QUERIES:-2000} $(PY) -m pytest -p no:cacheprovider tests/oracle $(ARGS)

robust: $(VENV)/.test ## every prefix of 200 files, thousands of mutations, enormous texts; ROBUST_FOLDER adds yours
	@ROBUST=1 $(PY) -m pytest -p no:cacheprovider tests/robustness $(ARGS)

editors: $(VENV)/.editors ## drive real VS Code and Neovim on examples/; pictures go to artefacts/
	@bash editors/install_editors.sh
	@$(PY) -m pytest -p no:cacheprovider tests/editors --editors $(ARGS)

bench: $(VENV)/.test ## measure speed and memory; ARGS="--quick" takes two minutes instead of ten
	@$(PY) -m benchmarks $(ARGS)

clean: ## remove the virtual environments, caches and artefacts
	rm -rf .venv .venv-pure .editors artefacts dist build .mypy_cache .ruff_cache .import_linter_cache .pytest_cache
	rm -rf .hypothesis editors/vscode/node_modules editors/vscode/dist editors/vscode/bundled
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

ifdef UV
UNINSTALL = uv pip uninstall --quiet --python $(PY)
INSTALL = uv pip install --quiet --python $(PY)
$(VENV)/.venv:
	@echo "setting up $(VENV) with uv"
	@uv venv --quiet --python '>=3.10' $(VENV)
	@touch $@
else
UNINSTALL = $(PY) -m pip uninstall --quiet --yes
INSTALL = $(PY) -m pip install --quiet --disable-pip-version-check
# Dependency groups need pip 25.1.
$(VENV)/.venv:
	@python=$$($(FIND_PYTHON)) && echo "setting up $(VENV) with $$python" && $$python -m venv --clear $(VENV)
	@$(INSTALL) 'pip>=25.1'
	@touch $@
endif

$(VENV)/.run: $(VENV)/.venv pyproject.toml
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.run
	@$(INSTALL) --group test
	@touch $@

$(VENV)/.pure: $(VENV)/.test
	@$(UNINSTALL) sqlglotc
	@$(PY) -c "from sqlglot import parser; assert parser.__file__.endswith('.py'), parser.__file__"
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	@$(INSTALL) --group lint
	@touch $@

$(VENV)/.exports: $(VENV)/.test
	@$(INSTALL) --group exports
	@touch $@

$(VENV)/.oracle: $(VENV)/.test
	@$(INSTALL) --group oracle
	@touch $@

$(VENV)/.editors: $(VENV)/.test
	@$(INSTALL) --group editors
	@touch $@
