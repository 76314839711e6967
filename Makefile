# Two commands are enough on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PACKAGES := system settings hooks tools harness cli
EXAMPLES ?= 500
PYTEST := $(BIN)/pytest -n 2 --dist worksteal -q

.PHONY: help setup links schemas fmt lint type test external check demo bench faults clean

help:
	@echo "make demo    watch hames repair a small project (scripted model, no key needed)"
	@echo "make test    run the tests"
	@echo "make check   lint, types, all tests with 10,000 generated examples"
	@echo "also: setup links schemas fmt lint type external bench faults clean"

setup: $(VENV)/.ready links

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[media]' --group dev
	touch $@

# Type checkers and pytest see the packages under their import names through git-ignored links.
links:
	@mkdir -p build/src/hames
	@for d in $(PACKAGES); do ln -sfn ../../../$$d build/src/hames/$$d; done
	@for f in __init__.py __main__.py py.typed; do ln -sfn ../../../cli/_hames/$$f build/src/hames/$$f; done

schemas: setup
	$(BIN)/python -m hames.tools.schemas
	$(BIN)/python -m hames.settings.schemas

fmt: setup
	$(BIN)/ruff check --fix --quiet $(PACKAGES) tests benchmarks
	$(BIN)/ruff format --quiet $(PACKAGES) tests benchmarks

lint: setup
	$(BIN)/ruff check $(PACKAGES) tests benchmarks
	$(BIN)/ruff format --check $(PACKAGES) tests benchmarks

type: setup
	$(BIN)/mypy
	$(BIN)/pyright

test: setup
	HAMES_EXAMPLES=$(EXAMPLES) $(PYTEST) -m 'not external'
	@echo "left out: the external tests (make check runs them)"

external: setup
	$(PYTEST) -m external

# Every test in one run, the generated examples twenty times as many as in `make test`.
check: lint type
	HAMES_EXAMPLES=10000 $(PYTEST) --timeout 1800

demo: setup
	@$(BIN)/hames demo

bench: setup
	$(BIN)/python -m benchmarks

faults: setup
	HAMES_KILLS=200 $(BIN)/pytest -n 2 -q -m fault

clean:
	rm -rf build dist .bench .pytest_cache .mypy_cache .ruff_cache *.egg-info
