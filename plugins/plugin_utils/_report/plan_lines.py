# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a host in lines for a terminal, with the sentences and the order of the plan page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ...module_utils._errors import REFUSAL
from ...module_utils._guard.acceptance import acceptance_text
from ...module_utils._text import left_out
from .._baseline.host_task import LineOnRun
from .._baseline.results import HostRun
from .._baseline.variables import ACCEPT_RISKS
from .plan_document import Base, PlanDocument, plan_document
from .plan_words import Line, operations_part, traffic_part
from .results import host_results, is_refusal

MOST_OPERATIONS: Final = 30  # of a host are shown; the diff shows all of them
REFUSED: Final = (
    f"Refused for {{}}; the failure says why. If this is meant, add this to {ACCEPT_RISKS}:"
)
FOR_ONE_RUN: Final = "Or accept it for one run: run the same again with"


def traffic_lines(host: str, run: HostRun) -> Iterator[LineOnRun]:
    """The lines on traffic that the changes of a run treat differently; none if it failed."""
    if not run.failed and run.result.get("operations"):
        yield from _lines_on_traffic(_document_of(host, run))


def plan_lines(host: str, run: HostRun, accepted: Iterable[Any]) -> Iterator[LineOnRun]:
    """The lines on a plan that is predicted or refused: traffic, acceptances to copy, and the
    operations; for a run that made its changes, those on traffic alone. `accepted` are the
    acceptances in the variables of the host, which the command to copy has as well.
    """
    is_refused = run.refusal is not None and is_refusal(run.result)
    if not (is_refused or run.only_predicted) or (run.failed and not is_refused):
        yield from traffic_lines(host, run)
        return
    document = _document_of(host, run)
    yield from _lines_on_traffic(document)
    yield from _lines_on_refusal(host, run, document, accepted)
    operations = operations_part(document).lines
    for line in operations[:MOST_OPERATIONS]:
        yield LineOnRun(_text(line))
    hidden = left_out(len(operations), MOST_OPERATIONS, "change", "changes")
    if hidden:
        yield LineOnRun(f"{hidden}, which --diff shows")


def _document_of(host: str, run: HostRun) -> PlanDocument:
    """The plan of the host, as the plan page has it."""
    result = {**run.result, REFUSAL: run.refusal} if run.refusal else run.result
    record = host_results(host, {}, {host: result}).record
    return plan_document("", [record], Base(), ())


def _lines_on_traffic(document: PlanDocument) -> Iterator[LineOnRun]:
    for line in traffic_part(document).lines:
        yield LineOnRun(_text(line))


def _lines_on_refusal(
    host: str, run: HostRun, document: PlanDocument, accepted: Iterable[Any]
) -> Iterator[LineOnRun]:
    """The acceptances of what is refused, for the inventory and in a command. The message of the
    failure has the sentences.
    """
    codes: list[str] = []
    lacking: list[str] = []
    for plan in document["changes"]:
        for risk in plan["risks"]:
            lacking += risk["accept"]
            codes += [] if risk["accepted"] else [risk["code"]]
    if not lacking:
        return
    yield LineOnRun(REFUSED.format(", ".join(dict.fromkeys(codes))))
    for acceptance in dict.fromkeys(lacking):
        yield LineOnRun(f"  - {acceptance}", to_copy=True)
    if run.refusal and run.refusal["lacks_acceptances"]:
        yield LineOnRun(FOR_ONE_RUN)
        acceptances = dict.fromkeys([*map(acceptance_text, accepted), *lacking])
        yield LineOnRun(f"  {_options(host, [*acceptances])}", to_copy=True)


def _options(host: str, acceptances: Sequence[str]) -> str:
    """The options of ansible-playbook, quoted for a shell, by which the run of a host has these
    acceptances: they replace those of the inventory, so that the run is limited to the host.
    """
    variables = f"{{{ACCEPT_RISKS}: [{', '.join(acceptances)}]}}"
    return f"--limit {shlex.quote(host)} -e {shlex.quote(variables)}"


def _text(line: Line) -> str:
    return "".join(piece if isinstance(piece, str) else piece.text for piece in line.pieces)
