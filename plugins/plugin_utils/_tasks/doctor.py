# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the playbook doctor: it reads what a host has, and says what of it the collection
does not expect."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._api.settings import known_secrets
from ...module_utils._text import plural, redact
from ...module_utils._timestamps import write_timestamp
from .._action import say
from .._baseline.fleet import FleetAction
from .._baseline.host_task import HeldTexts, HostTask
from .._baseline.variables import OF_CONNECTION, host_part
from .._doctor.answers import examine_host
from .._doctor.doctor import (
    DOCTOR,
    Record,
    bundle_text,
    failures,
    is_as_expected,
    line_of,
    lines_of,
    record_of,
    versions,
)
from .._doctor.recording import Recording, document_of, recording_text
from .._files import host_folder, write_private
from .._variables import all_read

BUNDLE = "bundle.json"
RECORDING_FILE = "recording.json"
CLOCK = partial(datetime.now, timezone.utc)


class Examined(NamedTuple):
    """A host that the doctor has examined: its record and its lines."""

    record: Record
    lines: Sequence[str]
    is_as_expected: bool
    recording: Recording
    path_of_recording: Path | None = None  # if it is to be written
    secrets: Collection[str] = ()


class DoctorAction(FleetAction):
    """Reads hosts, whether the play runs in check mode or not, and writes a file about each."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        examined: dict[str, Examined] = {}
        texts: dict[str, HeldTexts] = {}

        def examine(task: HostTask) -> dict[str, Any]:
            texts[task.host] = task.hold()
            return self._examine(task, examined)

        try:
            result = self.results(variables, examine)
            recorded = self._recorded(examined)
        except (OSError, ValueError) as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}
        for host in sorted(texts):
            texts[host].show()
        self._say(examined, len(self.hosts(variables)))
        for path in recorded:
            say(self.display, f"The answers without their values, for an issue: {path.absolute()}")
        return result

    def _recorded(self, examined: Mapping[str, Examined]) -> list[Path]:
        """Write the recordings of hosts, one file for all in a directory, and return the paths;
        raises OSError."""
        by_path: dict[Path, list[Examined]] = defaultdict(list)
        for host in examined.values():
            if host.path_of_recording is not None and not self._task.check_mode:
                by_path[host.path_of_recording].append(host)
        for path, hosts in by_path.items():
            document = document_of([host.recording for host in hosts], versions())
            secrets = [secret for host in hosts for secret in host.secrets]
            write_private(path, redact(recording_text(document), secrets))
        return list(by_path)

    def _say(self, examined: Mapping[str, Examined], number: int) -> None:
        """Show the lines on the hosts, of which this task has so many."""
        has_several = number > 1
        in_short = has_several and self._display.verbosity == 0
        lines = [*lines_of_hosts(examined, in_short)]
        if has_several:
            lines.append(counted_hosts(examined, number))
        for line in lines:
            say(self.display, line)

    def _examine(self, task: HostTask, examined: dict[str, Examined]) -> dict[str, Any]:
        """The result of a host, which gets into `examined`; raises OSError and ValueError."""
        options: dict[str, Any] = {}
        all_read(
            task.require_control_node,
            lambda: options.update(task.options(DOCTOR, "doctor_", self.arguments)),
            lambda: task.require_right(OF_CONNECTION),
        )
        part = host_part(task.host, task.values(OF_CONNECTION))
        secrets = known_secrets(part.options, os.environ)
        recording = Recording()
        screen = task.screen("doctor")
        examination = examine_host(part, task.warn, CLOCK, screen, recording.hear)
        record = record_of(task.host, write_timestamp(CLOCK()), examination)
        record = redact(record, secrets)
        path = host_folder(options["directory"], task.host) / BUNDLE
        lines = [*lines_of(record)]
        if not self._task.check_mode:
            bundle = bundle_text(record, examination.answers)
            write_private(path, redact(bundle, secrets))
            lines.append(f"  {path.absolute()}")
        examined[task.host] = Examined(
            record,
            lines,
            is_as_expected(record, examination.answers),
            recording,
            path.parent.parent / RECORDING_FILE if options["record"] else None,
            secrets,
        )
        result = {"changed": False, "path": str(path), "warnings": task.misspelt_variables()}
        reasons: list[str] = []
        for kind in options["fail_on"]:
            reasons += failures(record, kind)
        if not reasons:
            return {**result, "doctor": record}
        message = f"{'; '.join(reasons)}. Nothing was changed."
        return {**result, "failed": True, "msg": message}


def lines_of_hosts(examined: Mapping[str, Examined], in_short: bool) -> Iterator[str]:
    """The lines on all hosts in the order of their names; in short, a host that is as expected has
    one."""
    for host in sorted(examined):
        if in_short and examined[host].is_as_expected:
            yield line_of(examined[host].record)
        else:
            yield from examined[host].lines


def counted_hosts(examined: Mapping[str, Examined], number: int) -> str:
    """The numbers of hosts, of which this task has so many, in a sentence."""
    expected = sum(host.is_as_expected for host in examined.values())
    unlike = len(examined) - expected
    return (
        f"{plural(number, 'host', 'hosts')}: {expected} as expected, {unlike} otherwise,"
        f" {number - len(examined)} not examined."
    )
