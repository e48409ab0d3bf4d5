# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The mark of a watched change: a file in the directory of snapshots, which is there before the
first write and goes with the end of the watch. A run that is killed leaves it to the next one.

The mark of a change that was set back stays, so that nobody applies the same again unawares.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._api.lock import try_to_lock
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import Resource, State
from ...module_utils._text import first_few
from ...module_utils._timestamps import read_timestamp, to_the_minute
from .._baseline.variables import CONFIRMED as CONFIRMED_BY
from .._baseline.variables import SNAPSHOT_DIRECTORY, SNAPSHOTS
from .._baseline.watch_terms import WatchTerms
from .._files import host_folder, write_private
from .set_back import PlannedChange
from .verdict import WatchedObject
from .wanted import WantedObject, target_of

WATCH_FOLDER = "watch"
WRITING, WATCHING, CONFIRMED = "writing", "watching", "confirmed"
SETTING_BACK, SET_BACK = "setting back", "set back"
UNFINISHED = "A change of {moment} is watched, or its run was killed; the next run ends it."
OVER = (
    "A change of {moment} is in force, and nobody watches it: its run was killed, and its time is"
    " over. The next run of the baseline sets it back."
)


@dataclass(frozen=True)
class WatchMark:
    """A watched change: its plan, the time by Cloudflare's clock at which it was written, and all
    that its way back needs. `status` is one of the words above; `reason` says why it was set
    back, and `culprits` are the operations because of which it was; `in_force` are the titles of
    what others had changed, so that it was not set back. `owners` are the ids of the account and
    the zone, as far as they are known."""

    plan_id: str
    written: str
    terms: WatchTerms
    operations: Sequence[Mapping[str, Any]]
    before: State
    collections: Sequence[str]
    status: str = WRITING
    after: State | None = None
    watched: Sequence[WatchedObject] = ()
    reason: str = ""
    wanted: Sequence[WantedObject] = ()
    in_force: Sequence[str] = ()
    owners: Mapping[str, str] = field(default_factory=dict)

    @property
    def change(self) -> PlannedChange:
        """The change that the mark is about."""
        return PlannedChange(self.operations, self.before, self.after)

    @property
    def sources(self) -> list[str]:
        """The sources of the samples that show what the change stops."""
        return [*dict.fromkeys(watched.source for watched in self.watched)]

    @property
    def resources(self) -> list[Resource]:
        """The resources that the host described."""
        return [BY_PLURAL[plural] for plural in self.collections]

    @property
    def since(self) -> datetime:
        """The time at which the change was written; raises ValueError."""
        moment = read_timestamp(self.written)
        if moment is None:
            raise ValueError(f"'{self.written}' is not a timestamp")
        return moment

    def concerns(self, planned: Iterable[Mapping[str, Any]]) -> bool:
        """Return whether operations or steps are about an object of the change."""
        wanted = {item.target for item in self.wanted}
        return not wanted.isdisjoint(map(target_of, planned))

    def is_over(self, now: datetime) -> bool:
        """Return whether the time of the watch is over, with that in which the analytics may
        come late."""
        return now - self.since > self.terms.length + self.terms.longest_delay

    @property
    def in_force_in_words(self) -> str:
        """A sentence on what was not set back; empty if all of it was."""
        if not self.in_force:
            return ""
        return (
            f"A change was NOT set back, and is still in force: {first_few(self.in_force)}."
            f" {self.reason} Change it by the variables, and end this with -e"
            f" {CONFIRMED_BY}={self.plan_id}."
        )

    def with_status(self, status: str, **fields: Any) -> WatchMark:
        """The mark with another status, and further fields."""
        return replace(self, status=status, **fields)


UNFINISHED_WAY_BACK = (
    "A run was killed while it set back a change of {moment}. The next run of the baseline goes on"
    " with that."
)
BROKEN_OFF = (
    "A run was killed on {moment} while it wrote a change that was to be watched. The next run of"
    " the baseline sets back what it wrote."
)


class WatchedWords(NamedTuple):
    """Sentences on the watched changes of a host: on those that wait for their end or were set back
    and are described (`watched`), and on those that need somebody, since they are in force though
    their time is over (`not_set_back`)."""

    watched: Sequence[str] = ()
    not_set_back: Sequence[str] = ()


def watched_fields(
    host: str, directory: Any, planned: Sequence[Mapping[str, Any]], clock: Callable[[], datetime]
) -> dict[str, Sequence[str]]:
    """The fields of the record of a host on its watched change: sentences if it has not come to its
    end, or if it was set back and one of the `planned` operations and steps would bring it again.
    `clock` is that of Cloudflare."""
    return _watched_in_words(host, directory, planned, clock)._asdict()


def _watched_in_words(
    host: str, directory: Any, planned: Sequence[Mapping[str, Any]], clock: Callable[[], datetime]
) -> WatchedWords:
    try:
        file = MarkFile.of_host(str(directory or SNAPSHOTS), host, predicts=True)
    except ValueError:  # a host whose name is no name of a file was never watched
        return WatchedWords()
    try:
        mark = file.read()
        is_watched = mark is not None and file.is_watched()
    except ValueError as exc:
        return WatchedWords(not_set_back=[str(exc)])
    if mark is None:
        return WatchedWords()
    if mark.status == SET_BACK:
        return _set_back_in_words(mark, planned)
    moment = to_the_minute(mark.written)
    if mark.status == WRITING and not is_watched:
        return WatchedWords(not_set_back=[BROKEN_OFF.format(moment=moment)])
    if mark.status == SETTING_BACK and not is_watched:
        return WatchedWords(not_set_back=[UNFINISHED_WAY_BACK.format(moment=moment)])
    if mark.status == WATCHING and not is_watched and mark.is_over(clock()):
        return WatchedWords(not_set_back=[OVER.format(moment=moment)])
    return WatchedWords([UNFINISHED.format(moment=moment)])


def _set_back_in_words(mark: WatchMark, planned: Sequence[Mapping[str, Any]]) -> WatchedWords:
    if mark.in_force:
        return WatchedWords(not_set_back=[mark.in_force_in_words])
    return WatchedWords([f"A change was set back: {mark.reason}"] if mark.concerns(planned) else [])


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raises ValueError with the reason why a file of a watch cannot be written."""
    try:
        yield
    except OSError as exc:
        reason = exc.strerror or str(exc)
        raise ValueError(f"{SNAPSHOT_DIRECTORY}: {path} cannot be written: {reason}.") from exc


@dataclass(frozen=True)
class MarkFile:
    """The file of the mark of a host, which stays as it is if a run only `predicts`."""

    path: Path
    predicts: bool = False

    @classmethod
    def of_host(cls, directory: str, host: str, predicts: bool = False) -> MarkFile:
        """The file of a host in a directory of snapshots; raises ValueError for a host whose name
        is no name of a file."""
        folder = host_folder(os.path.join(directory, WATCH_FOLDER), host)
        return cls(folder.with_name(f"{folder.name}.json"), predicts)

    def read(self) -> WatchMark | None:
        """The mark, None if there is none; raises ValueError if the file is not one."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise ValueError(f"{self.path} cannot be read: {exc.strerror}.") from exc
        try:
            fields = json.loads(text)
            terms = WatchTerms(**fields.pop("terms"))
            fields["watched"] = [WatchedObject(*values) for values in fields["watched"]]
            fields["wanted"] = [WantedObject(*values) for values in fields["wanted"]]
            mark = WatchMark(terms=terms, **fields)
            mark.since  # noqa: B018
        except (ValueError, TypeError, KeyError, AttributeError) as exc:
            raise ValueError(
                f"{self.path} is not the mark of a watched change, so nobody knows whether one is"
                " to be set back. Look at the state, restore it if need be, and delete the file."
            ) from exc
        return mark

    def write(self, mark: WatchMark) -> None:
        """Write the mark, so that it survives a power failure; raises ValueError."""
        if self.predicts:
            return
        fields = {**asdict(mark), "terms": mark.terms._asdict()}
        with _told(self.path):
            write_private(self.path, json.dumps(fields, default=str), lasting=True)

    def remove(self) -> None:
        """Remove the mark; raises ValueError."""
        if self.predicts:
            return
        with _told(self.path):
            self.path.unlink(missing_ok=True)

    @contextmanager
    def watching(self) -> Iterator[bool]:
        """Hold the watch of the host while this process lives; false if another run holds it.
        Raises ValueError."""
        lock = self.path.with_suffix(".lock")
        with _told(lock):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield try_to_lock(descriptor)
        finally:
            os.close(descriptor)

    def is_watched(self) -> bool:
        """Return whether a run watches the host now; raises ValueError."""
        if not self.path.with_suffix(".lock").exists():
            return False
        with self.watching() as is_ours:
            return not is_ours
