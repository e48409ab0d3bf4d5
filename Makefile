# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The port of make serve; 0 takes a free one.
PORT ?= 0
STATE ?= tests/demo/state.yml
NOX = .cache/nox/bin/python -m nox
# The further targets that run the session of their name, or those that have it for a tag.
SESSIONS := quick e2e downstream models coverage plans parity every-row engine comparisons judges browser awx netbox prometheus workflows bench kills mutants \
    docs-update docs lock build ee release-check sanity sanity-all integration
MATRICES := matrix matrix-all
TAGS := targets targets-all $(MATRICES)
.PHONY: help demo serve test lint importer evidence clean nox $(SESSIONS) $(TAGS)

help: ## Show what there is.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@awk '/^def / { name = $$2; sub(/\(.*/, "", name); gsub("_", "-", name) } \
	    /^    """.*"""$$/ && index(" test $(SESSIONS) $(TAGS) ", " " name " ") { gsub(/"""|^ +/, ""); printf "make %-13s %s\n", name, $$0; name = "" }' \
	    tests/sessions/{quick,running,sources,pythons,archive}.py

demo: ## Export one account, and plan, apply and report three with a zone, on a local service; VERBOSE=1 shows all.
	@.ci/install service
	@.venv/bin/python -m tests.demo

serve: ## Keep the local service running, to play with; PORT=8080 names its port, STATE=FILE what it holds.
	@.ci/install service
	@.venv/bin/python -m tests.fake_service --state $(STATE) --port $(PORT)

nox:
	@.ci/install nox .cache/nox

test: nox
	@$(NOX) -s $@

$(SESSIONS): nox
	@$(NOX) -s $@

$(filter-out $(MATRICES),$(TAGS)): nox
	@$(NOX) -t $@

# Two cells side by side, a core each.
$(MATRICES): nox
	@.ci/install test
	@$(NOX) --list --tags $@ | awk '$$1 == "*" { print $$2 }' | JOBS=0 xargs -P 2 -I CELL bash -c \
	    '$(NOX) -s CELL >.cache/CELL.log 2>&1 || { cat .cache/CELL.log; exit 255; }; sed -n "s/^.* passed.*/CELL: &/p; s/^.*NOT TESTED/CELL: &/p; s/^.*interpreter .* not found/CELL: NOT TESTED: &/p" .cache/CELL.log'

matrix-%: nox
	@$(NOX) -s $@

lint: nox ## Check format, style, types, the direction of imports, licences and documentation.
	@CI=true $(NOX) -s lint types docs-check license-check extra-checks ansible-lint

evidence: nox ## Run all that holds the claims of the documentation, as CI does once a week.
	@$(NOX) -t $@

importer: nox ## Build the archive, and run Galaxy's importer on it.
	@$(NOX) -s build-import-check

clean: ## Remove everything that the other targets made.
	rm -rf .venv .nox .cache .ansible .mypy_cache .ruff_cache .pytest_cache .hypothesis
