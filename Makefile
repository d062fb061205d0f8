# Every target makes the virtual environment that it needs from a bare Python with pip.
PYTHON ?= python3
RUNTIME := .venv-demo
DEVELOPMENT := .venv
LOWEST := .venv-lowest
# Modules are compiled when they are first imported, which is quicker than all of them at once.
PIP := pip install --quiet --disable-pip-version-check --no-compile

# Processes of the tests; more than there are cores do not help.
PROCESSES ?= 2
PYTEST = $(DEVELOPMENT)/bin/python -m pytest --dist loadgroup

.PHONY: help demo test test-all lint types unit slow bench-test generate docs linkcheck lowest browser site peers wheel bench clean

help:
	@echo "make demo       label a generated corpus end to end"
	@echo "make test       style, types and the everyday tests"
	@echo "make test-all   the same, then the slow tests and those of the laboratory"
	@echo "make bench-test the tests of the laboratory alone (benchmarks/)"
	@echo "make docs       build the documentation: docs/_build/html/index.html"
	@echo "make lowest     a quick test run with the lowest declared versions"
	@echo "make browser    the tests of reports and documentation in Chromium, which must be installed"
	@echo "make peers      the tests of other libraries' methods, which are installed for it"
	@echo "make wheel      build the wheel, install it alone and import it"
	@echo "make bench      repeat the tables in benchmarks/tables (needs ISTHMUS_DATA)"

demo: $(RUNTIME)/ready
	$(RUNTIME)/bin/isthmus demo --output demo-predictions.csv --report demo-report.html --force

test: lint types unit

test-all: test slow bench-test

lint: $(DEVELOPMENT)/ready
	$(DEVELOPMENT)/bin/ruff check src tests tools benchmarks docs examples
	$(DEVELOPMENT)/bin/ruff format --check src tests tools benchmarks docs examples
	$(DEVELOPMENT)/bin/codespell *.md pyproject.toml src tests tools benchmarks docs examples

types: $(DEVELOPMENT)/ready
	$(DEVELOPMENT)/bin/mypy

# What follows from the registry of methods: imports for type checkers, tables in the documentation.
generate: $(DEVELOPMENT)/ready
	$(DEVELOPMENT)/bin/python tools/update_generated.py

unit: $(DEVELOPMENT)/ready
	$(PYTEST) -n $(PROCESSES) -m "not slow" tests src

# Clusters, other processes, the emulated GPU, the examples of pages; all examples of properties.
# Always two processes: these tests spend much time waiting.
slow: $(DEVELOPMENT)/ready
	$(PYTEST) -n 2 -m "slow or hypothesis" --hypothesis-profile all tests

bench-test: $(DEVELOPMENT)/ready
	$(PYTEST) -n $(PROCESSES) --hypothesis-profile all benchmarks/tests benchmarks/src

# Two to four minutes the first time. Warnings are errors, and an example that fails stops the build.
# Once the packages are installed, no network is needed. The results of examples are kept in
# docs/gallery, so that only those that changed run again.
docs: $(DEVELOPMENT)/docs-ready
	$(DEVELOPMENT)/bin/python -m sphinx --fail-on-warning --keep-going --jobs 2 -b html docs docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html"

# External links; it needs a network.
linkcheck: $(DEVELOPMENT)/docs-ready
	$(DEVELOPMENT)/bin/python -m sphinx -D plot_gallery=0 --jobs 2 --quiet -b linkcheck docs docs/_build/linkcheck

# The tests that can fail with other versions of the dependencies. Warnings of old versions are
# not errors. Loops are compiled in their own tests only.
LOWEST_PYTEST = $(LOWEST)/bin/python -m pytest -q -W default -n $(PROCESSES) --dist loadgroup -m "not slow" -k "not huge and not freedict and not dask"
lowest: $(LOWEST)/ready
	ISTHMUS_QUICK_TESTS=1 ISTHMUS_COMPILE=never $(LOWEST_PYTEST) tests/contract tests/solvers tests/numerics tests/text tests/files/test_parquet.py tests/storage tests/transfer tests/cli/test_cli.py
	ISTHMUS_QUICK_TESTS=1 $(LOWEST_PYTEST) tests/kernels tests/matrices tests/text/test_compiled_counting.py

# Reports and, if it is built, the documentation in a browser, and the tests of what its build
# generates. One process is enough: it runs one Chromium.
browser: $(DEVELOPMENT)/browser-ready
	ISTHMUS_BROWSER_TESTS=1 $(DEVELOPMENT)/bin/python -m pytest -q tests/browser tests/project/test_site.py tests/project/test_generated.py tests/project/test_command_reference.py
	ISTHMUS_BROWSER_TESTS=1 $(DEVELOPMENT)/bin/python -m pytest -q benchmarks/tests/test_page_in_browser.py

# The documentation, and then its tests.
site: $(DEVELOPMENT)/browser-ready
	$(MAKE) docs
	$(MAKE) browser

# Methods of other libraries. Run it last: their packages change the versions of others.
peers: $(DEVELOPMENT)/ready
	$(DEVELOPMENT)/bin/python -m $(PIP) "skada>=0.6"
	$(DEVELOPMENT)/bin/python -m pytest -q benchmarks/tests/test_peers.py benchmarks/tests/test_peer_embeddings.py

# The demo reads the data files of the package, which must be in the wheel.
wheel: $(DEVELOPMENT)/ready
	rm -rf dist .venv-wheel
	$(DEVELOPMENT)/bin/python -m build --wheel --outdir dist .
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m $(PIP) "$$(echo dist/*.whl)"
	cd dist && ../.venv-wheel/bin/python -c "import isthmus; [getattr(isthmus, name) for name in isthmus.__all__]; print('isthmus', isthmus.__version__, 'imports from', isthmus.__file__)"
	cd dist && ../.venv-wheel/bin/isthmus version
	cd dist && ../.venv-wheel/bin/isthmus demo --output demo.csv --report demo.html --force > demo.txt
	$(PYTHON) -m zipfile -l dist/*.whl > dist/files.txt
	! grep bench dist/files.txt
	.venv-wheel/bin/python -m $(PIP) ./benchmarks
	cd dist && ../.venv-wheel/bin/isthmus-bench list > isthmus-bench.txt

bench: $(RUNTIME)/ready
	$(RUNTIME)/bin/python -m $(PIP) --editable . --editable './benchmarks[japanese,peers]'
	-$(RUNTIME)/bin/isthmus-bench run all --jobs 2
	$(RUNTIME)/bin/isthmus-bench report

$(RUNTIME)/ready: pyproject.toml
	@echo "Installing isthmus and what it needs into $(RUNTIME), about a minute ..."
	$(PYTHON) tools/check_python.py
	$(PYTHON) -m venv $(RUNTIME)
	$(RUNTIME)/bin/python -m $(PIP) --editable .
	touch $@

$(DEVELOPMENT)/ready: pyproject.toml benchmarks/pyproject.toml
	@echo "Installing isthmus and its development tools into $(DEVELOPMENT), about a minute ..."
	$(PYTHON) tools/check_python.py
	$(PYTHON) -m venv $(DEVELOPMENT)
	$(DEVELOPMENT)/bin/python -m $(PIP) --editable ".[dev]" --editable ./benchmarks
	touch $@

$(DEVELOPMENT)/docs-ready: $(DEVELOPMENT)/ready
	$(DEVELOPMENT)/bin/python -m $(PIP) --editable ".[docs]"
	touch $@

$(DEVELOPMENT)/browser-ready: $(DEVELOPMENT)/docs-ready
	$(DEVELOPMENT)/bin/python -m $(PIP) --editable ".[browser]"
	touch $@

$(LOWEST)/ready: pyproject.toml
	$(PYTHON) tools/check_python.py
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) tools/lowest_versions.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m $(PIP) --constraint $(LOWEST)/lowest.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(RUNTIME) $(DEVELOPMENT) $(LOWEST) .venv-wheel dist build docs/_build docs/_pictures docs/gallery docs/project docs/reference/api .mypy_cache .ruff_cache .pytest_cache .hypothesis benchmarks/.pytest_cache
