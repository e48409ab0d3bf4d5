# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The function for each risk that is declared."""

from __future__ import annotations

from typing import Sequence

from ..finding import Finding
from ..risks.declaration import Limits, Risk
from .account import ACCOUNT_FINDERS
from .base import Change, Finder
from .deletions import DELETION_FINDERS


def finder_of(risk: Risk) -> Finder:
    """The finder of a risk. The file with the finders for risks of rules is loaded only by tasks
    that have such risks, since Ansible compiles each file in every run.
    """
    for finders in (DELETION_FINDERS, ACCOUNT_FINDERS):
        if risk in finders:
            return finders[risk]
    from .rulesets import RULE_FINDERS

    return RULE_FINDERS[risk]


def find_risks(change: Change, limits: Limits, risks: Sequence[Risk]) -> list[Finding]:
    """The risks that a plan has, accepted or not."""
    findings = [finder_of(risk).in_change(change, limits) for risk in risks]
    return [finding for finding in findings if finding]
