# Everything runs in .venv, which the first target builds from the locked requirements.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check lint types layering soak bench lock clean

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

run: .venv/ready        ## run the bundled example
	$(BIN)/thalweg demo

test: .venv/ready       ## all tests
	$(BIN)/pytest --numprocesses 2 --dist loadgroup

check: lint types layering test  ## everything continuous integration runs

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

layering: .venv/ready
	$(BIN)/lint-imports

soak: .venv/ready       ## the long generated comparisons
	$(BIN)/pytest --soak

bench: .venv/ready      ## the papers' tables and figures, and peers, in about half an hour
	$(BIN)/thalweg bench

lock:                   ## resolve requirements.lock anew
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --extra dev --generate-hashes --no-header pyproject.toml -o requirements.lock

clean:
	rm -rf .venv
