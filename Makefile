# Each target does its own set-up; a second run skips what is there already.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
SETUP := deploy/setup
BIN := .venv/bin
.PHONY: help env images test crash demo walkthrough lint lock clean

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  \1\t/' | expand -t 16

env: ## make .venv with the locked packages
	@$(SETUP)/python-env runtime

images: ## build the sandbox, gateway and lab images
	@$(SETUP)/docker-engine
	@$(SETUP)/images

test: ## set everything up, then lint, type-check and run all tests
	@$(SETUP)/docker-engine
	@$(SETUP)/python-env dev
	@$(SETUP)/images
	@$(SETUP)/chromium
	@$(MAKE) --no-print-directory lint
	$(BIN)/pytest --cov --cov-report=term

crash: env images ## kill the bot at every point of the crash matrix; takes long
	@$(SETUP)/python-env dev
	$(BIN)/pytest tests/crash -m crash

demo: images env ## run lab, local workspace and bot; prints the page's address
	$(BIN)/revalid demo

walkthrough: images env ## play three retests and print their threads
	$(BIN)/revalid walkthrough

lint: ## check style, types and the import rules
	@$(SETUP)/python-env dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

lock: ## write the lock files anew from pyproject.toml
	$(SETUP)/lock

clean: ## remove what the set-up and the tests made in this folder
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage htmlcov build *.egg-info
