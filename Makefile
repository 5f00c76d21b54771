# Every target sets up what it needs: a fresh machine with git, make and Python 3.11 or newer is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# All that demo, test and check install, and what it is built with, has the version that this file says.
LOCK := constraints.txt
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(LOCK)
INSTALL_PROJECT := $(INSTALL) --build-constraint $(LOCK)
# Two workers; one that breaks down is a failure and ends the run, where a new one in its place would wait for ever.
IN_TWO := -m pytest -n 2 --max-worker-restart=0
# The environment is made anew when the Python, the folder or the lock is another one: a marker is named after all three.
MADE_OF := $(shell { $(PYTHON) -VV; pwd; cat $(LOCK); } 2>&1 | cksum | cut -d ' ' -f 1)

# What a machine may have set for other projects: it would change what is installed, or what is tested.
unexport PIP_CONSTRAINT PIP_BUILD_CONSTRAINT PIP_PRE PIP_PREFIX PIP_REQUIREMENT PIP_TARGET PIP_USER
unexport PYTHONHOME PYTHONPATH VIRTUAL_ENV DISCREET_CONNECTION

.PHONY: demo test test-slow test-newest package check docs format schema lock bench bench-regression bench-utility clean

demo: $(VENV)/demo.ready
	$(BIN)/discreet demo

test: $(VENV)/test.ready
	$(BIN)/python tools/check_lock.py
	$(BIN)/python $(IN_TWO)

test-slow: $(VENV)/test.ready
	$(BIN)/python $(IN_TWO) -m slow
	$(BIN)/python $(IN_TWO) tests/property --hypothesis-profile=thorough

# The newest of everything, as a user gets it today; and DuckDB without Ibis, which holds it back.
test-newest:
	$(PYTHON) -m venv --clear .venv-newest
	.venv-newest/bin/python -m pip install --quiet --upgrade pip
	.venv-newest/bin/python -m pip install --quiet --editable ".[all]" --group test --group check --group docs
	.venv-newest/bin/python -m pip list --outdated
	$(PYTHON) -m venv --clear .venv-newest-duckdb
	.venv-newest-duckdb/bin/python -m pip install --quiet --upgrade pip
	.venv-newest-duckdb/bin/python -m pip install --quiet --editable ".[duckdb]" --group test
	.venv-newest-duckdb/bin/python $(IN_TWO) tests/engines
	.venv-newest/bin/mypy
	.venv-newest/bin/python $(IN_TWO)

# What would be published: a wheel and an sdist, the wheel installed afresh, the tests of the sdist run with it, and a small
# typed program under both type checkers, as a user has them.
package:
	rm -rf dist build/package
	$(PYTHON) -m venv --clear .venv-package
	.venv-package/bin/python -m pip install --quiet --upgrade pip
	.venv-package/bin/python -m pip install --quiet build pyright mypy
	.venv-package/bin/python -m build --outdir dist .
	mkdir -p build/package && tar --extract --gzip --strip-components=1 --directory build/package --file dist/discreet-*.tar.gz
	wheel=$$(ls dist/discreet-*.whl) && cd build/package && \
		../../.venv-package/bin/python -m pip install --quiet --constraint constraints.txt "../../$$wheel[all]" --group test
	.venv-package/bin/python -m mypy --strict build/package/tests/typing/test_release_types.py
	.venv-package/bin/pyright --pythonpath .venv-package/bin/python build/package/tests/typing/test_release_types.py
	cd build/package && ../../.venv-package/bin/python $(IN_TWO)

check: $(VENV)/check.ready
	$(BIN)/python tools/check_lock.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/check_claims.py
	$(BIN)/python tools/check_scripts.py

# The site, in build/site. Nothing is fetched; a warning, a dead link and an address of another machine stop it.
docs: $(VENV)/docs.ready
	rm -rf build/site
	$(BIN)/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going --jobs 2 --doctree-dir build/site-pages docs build/site
	$(BIN)/python tools/website/links.py build/site

format: $(VENV)/check.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The published schema of release files, from the shapes that read and write them.
schema: $(VENV)/check.ready
	$(BIN)/python tools/write_schema.py

# Brings the lock up to date: one version of each package for all Pythons, each with a wheel but Spark, which has none.
lock:
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv
	echo "# The packages of make demo, make test, make check, make docs and the build. Made by: make lock" > .venv-lock/$(LOCK)
	.venv-lock/bin/uv pip compile pyproject.toml --all-extras --group build --group check --group docs --group test --universal \
		--python-version 3.11 --fork-strategy fewest --no-header --no-annotate >> .venv-lock/$(LOCK)
	for version in 3.11 3.12 3.13 3.14; do \
		.venv-lock/bin/uv pip install --quiet --dry-run --python .venv-lock --python-version $$version \
			--target .venv-lock/$$version --only-binary :all: --no-binary pyspark --requirement .venv-lock/$(LOCK) || exit 1; \
	done
	mv .venv-lock/$(LOCK) $(LOCK)

bench: benchmarks/.venv/bench.ready
	benchmarks/.venv/bin/python -m benchmarks

bench-regression: benchmarks/.venv/bench.ready benchmarks/.venv-diffprivlib/bench.ready
	benchmarks/.venv/bin/python -m benchmarks.regression $(if $(CENSUS),--census $(CENSUS))

bench-utility: benchmarks/.venv/bench.ready benchmarks/.venv-diffprivlib/bench.ready
	benchmarks/.venv/bin/python -m benchmarks.utility

clean:
	rm -rf $(VENV) .venv-package build dist .venv-newest .venv-newest-duckdb .venv-lock benchmarks/.venv benchmarks/.venv-diffprivlib .mypy_cache .ruff_cache .pytest_cache .hypothesis discreet-demo

$(VENV)/made-of-$(MADE_OF):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "discreet needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(INSTALL) pip setuptools
	touch $@

$(VENV)/demo.ready: pyproject.toml $(VENV)/made-of-$(MADE_OF)
	$(INSTALL_PROJECT) --editable ".[plots]"
	touch $@

$(VENV)/test.ready: pyproject.toml $(VENV)/made-of-$(MADE_OF)
	$(INSTALL_PROJECT) --editable ".[all]" --group test
	touch $@

$(VENV)/check.ready: pyproject.toml $(VENV)/made-of-$(MADE_OF)
	$(INSTALL_PROJECT) --editable . --group check
	touch $@

$(VENV)/docs.ready: pyproject.toml $(VENV)/made-of-$(MADE_OF)
	$(INSTALL_PROJECT) --editable . --group docs
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
