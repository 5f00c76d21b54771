# Every target sets up what it needs: a fresh machine with git, make and Python 3.11 or newer is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow check format bench bench-regression bench-utility clean

demo: $(VENV)/demo.ready
	$(BIN)/discreet demo

test: $(VENV)/test.ready
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/test.ready
	$(BIN)/python -m pytest -n 2 -m slow
	$(BIN)/python -m pytest -n 2 tests/property --hypothesis-profile=thorough

check: $(VENV)/check.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/check_claims.py

format: $(VENV)/check.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: benchmarks/.venv/bench.ready
	benchmarks/.venv/bin/python -m benchmarks

bench-regression: benchmarks/.venv/bench.ready benchmarks/.venv-diffprivlib/bench.ready
	benchmarks/.venv/bin/python -m benchmarks.regression $(if $(CENSUS),--census $(CENSUS))

bench-utility: benchmarks/.venv/bench.ready benchmarks/.venv-diffprivlib/bench.ready
	benchmarks/.venv/bin/python -m benchmarks.utility

clean:
	rm -rf $(VENV) benchmarks/.venv benchmarks/.venv-diffprivlib .mypy_cache .ruff_cache .pytest_cache .hypothesis discreet-demo

$(VENV)/pip.ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "discreet needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/demo.ready: pyproject.toml $(VENV)/pip.ready
	$(BIN)/python -m pip install --quiet --editable ".[plots]"
	touch $@

$(VENV)/test.ready: pyproject.toml $(VENV)/pip.ready
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group test
	touch $@

$(VENV)/check.ready: pyproject.toml $(VENV)/pip.ready
	$(BIN)/python -m pip install --quiet --editable . --group check
	touch $@

# The peers have an environment of their own. One that cannot be installed costs its own rows of the table and no others.
benchmarks/.venv/bench.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv benchmarks/.venv
	benchmarks/.venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	benchmarks/.venv/bin/python -m pip install --quiet --editable .
	benchmarks/.venv/bin/python -m pip install --quiet --requirement benchmarks/requirements.txt || \
		grep '^[a-z]' benchmarks/requirements.txt | while read -r peer; do \
			benchmarks/.venv/bin/python -m pip install --quiet "$$peer" || echo "$$peer could not be installed"; \
		done
	touch $@

# diffprivlib needs an older scikit-learn than the rest. Without it the benchmark leaves out its column.
benchmarks/.venv-diffprivlib/bench.ready:
	$(PYTHON) -m venv benchmarks/.venv-diffprivlib
	benchmarks/.venv-diffprivlib/bin/python -m pip install --quiet "diffprivlib>=0.6.6" "scikit-learn<1.7" || \
		{ echo "diffprivlib could not be installed"; rm -rf benchmarks/.venv-diffprivlib; mkdir benchmarks/.venv-diffprivlib; }
	touch $@
