# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo serve test coverage plans parity bench lint sanity docs docs-update build targets integration matrix ee awx importer release-check mutants kills clean

PYTHON := .venv/bin/python
JOBS ?= 2
# The port of make serve; 0 takes a free one.
PORT ?= 0
STATE ?= tests/demo/state.yml
PYTEST = $(PYTHON) -m pytest -q -n $(JOBS) --dist worksteal
# The unit tests of the plugins run at least so many percent of the lines and branches of plugins/module_utils.
COVERAGE ?= 95
UNIT_TESTS = $(PYTEST) tests/unit/plugins --cov --cov-fail-under=$(COVERAGE)

help: ## Show what there is.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.venv/.installed-%: tests/requirements/%.txt
	@.ci/install $*

demo: .venv/.installed-service ## Export, plan, apply and report three accounts and a zone, on a local service; VERBOSE=1 shows all.
	@$(PYTHON) -m tests.demo

serve: .venv/.installed-service ## Keep the local service running, to play with; PORT=8080 names its port, STATE=FILE what it holds.
	@$(PYTHON) -m tests.fake_service --state $(STATE) --port $(PORT)

test: .venv/.installed-test ## Run the tests that start no playbook; the unit tests alone run 95 % of the module code.
	@mkdir -p .cache
	@$(UNIT_TESTS) --cov-report= 2>&1 | tee .cache/test.log
	@$(PYTEST) tests/unit/fake_service tests/unit/repository tests/functional tests/benchmark 2>&1 | tee -a .cache/test.log

.PHONY: e2e
e2e: .venv/.installed-test ## Run the playbooks, the roles and every example of every page.
	@$(PYTEST) tests/e2e

coverage: .venv/.installed-test ## Show which lines and branches of the module code the unit tests leave out.
	@$(UNIT_TESTS) --cov-report=term-missing

plans: .venv/.installed-test ## Compare 2,000 random plans with a model of the docs.
	@HYPOTHESIS_PROFILE=plans $(PYTEST) tests/functional/test_random_plans.py

parity: .venv/.installed-test ## Compare modules inside the worker process with modules packed and started.
	@$(PYTHON) -m pytest -q tests/parity

.PHONY: browser
browser: .venv/.installed-browser ## Test the report's page in Chromium.
	@.ci/browser

.PHONY: engine evidence
engine: .venv/.installed-test ## Compare expressions and migrations with the vendor's engine.
	@.ci/engine

evidence: .venv/.installed-test ## Compare more of them, and write docs/evidence.md.
	@.ci/engine --evidence

bench: .venv/.installed-test ## Measure against other ways to do the same, and write docs/performance.md.
	@$(PYTHON) -m tests.benchmark

lint: .venv/.installed-lint ## Check format, types, imports, licences and style.
	@.ci/lint

.PHONY: workflows
workflows: .venv/.installed-lint ## Check the workflows of the repository, and those that the guides show.
	@.ci/workflows

sanity: .venv/.installed-lint ## Run ansible-test sanity on every Python found.
	@.ci/sanity

docs-update: .venv/.installed-test ## Write the pages and documentation blocks that are generated.
	@$(PYTHON) -m tests.documentation
	@for page in fault:faults hostile:hostile; do \
	    $(PYTHON) -m tests.functional.$${page%:*}_cases > .cache/page.md && cp .cache/page.md "docs/$${page#*:}.md"; \
	done

docs: .venv/.installed-docs ## Build the documentation site.
	@.ci/docs

build: .venv/.installed-lint ## Build the archive, install it and read its documentation.
	@.ci/build

targets: .venv/.installed-test ## Import the modules, and run the tests of module code, on every Python found.
	@.ci/targets

integration: .venv/.installed-test ## Run ansible-test integration, also on the oldest that make targets has set up.
	@.ci/integration

matrix: .venv/.installed-test ## Run the tests on the other releases of ansible-core, and on an old requests.
	@JOBS=$(JOBS) .ci/matrix

ee: build ## Make the build context of the execution environment, and the image where podman or docker runs.
	@.ci/ee

awx: .venv/.installed-test ## Run the playbook of extensions/awx with the modules of awx.awx, on a controller in memory.
	@.ci/awx

importer: build ## Run Galaxy's importer on the archive.
	@.ci/importer

release-check: importer ## Check that versions, changelog and archive are fit for a release.
	@$(PYTHON) -m tests.release

mutants: .venv/.installed-mutants ## Change plan, risks, expressions, calls and values in small ways; a unit test must notice each.
	@JOBS=$(JOBS) .ci/mutants

kills: .venv/.installed-test ## End thirty runs at random calls; one more run must converge, without duplicates or losses.
	@$(PYTHON) -m tests.kills

clean: ## Remove everything that the other targets made.
	rm -rf .venv .cache .ansible .mypy_cache .ruff_cache .pytest_cache .hypothesis
