# Everything runs in .venv, which the first target builds from the locked requirements.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run test check lint types layering manual web soak fuzz mutation bench lock clean licences audit

help:                   ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

run: .venv/ready        ## build .venv and run the bundled example
	$(BIN)/thalweg demo

test: .venv/ready       ## all tests
	$(BIN)/pytest --numprocesses 2 --dist loadgroup

check: lint types layering test  ## everything continuous integration runs

lint: .venv/ready       ## style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready      ## types
	$(BIN)/mypy

layering: .venv/ready   ## which room imports which
	$(BIN)/lint-imports

manual: .venv/ready     ## the manual as a site in build/manual, every link checked
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/manual

web:                    ## build the page anew from web/ (needs Node.js)
	cd web && npm ci --ignore-scripts && npm run build

soak: .venv/ready       ## the long generated comparisons
	$(BIN)/pytest --soak

mutation: .venv/ready   ## mutants of ROOM, columnar unless told: does a test notice? (OPTIONS="--sample 20")
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target build/mutation/tools mutmut==3.8.0 libcst==1.9.0
	PYTHONPATH=build/mutation/tools $(BIN)/python tests/mutation/mutate.py $(or $(ROOM),columnar) $(OPTIONS)

fuzz: .venv/ready       ## made-up texts for everything that reads text, SECONDS long for each reader
	$(BIN)/python tests/reliability/fuzz_with_atheris.py all $(or $(SECONDS),120)

bench: .venv/ready      ## the papers' tables and figures, and peers, in about half an hour
	$(BIN)/thalweg bench

lock:                   ## resolve requirements.lock anew
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --extra dev --generate-hashes --no-header pyproject.toml -o requirements.lock

licences: .venv/ready   ## write LICENCES.md anew
	$(BIN)/python .ci/licences.py

audit: .venv/ready      ## known vulnerabilities in what is locked, where advisories can be had
	$(BIN)/python .ci/audit.py

clean:                  ## remove .venv and what was built
	rm -rf .venv build
