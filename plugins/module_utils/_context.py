# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The knowledge of a host that a role gives to a module, and no option of a task does."""

from __future__ import annotations

import json
from typing import Any, Mapping, NamedTuple, Sequence

from ._text import OWN_NAMES, Names, Option

CONTEXT = "EDGEOPS_PROTECTION_CONTEXT"  # an environment variable of packed modules
NOW = "now"  # the time of Cloudflare, beside the collections of an owner
EXISTING = "existing"  # what a prediction has read, which its role takes out of the result
UNLIKE_BASELINE = "unlike_baseline"  # for a report, the traffic that exists and is not described
UNREAD = "unread"  # reasons, by collection, of a reading in part
CHANGES_HOURS = "changes_hours"  # of the audit log, beside them as well
VENDOR_RULESETS = "vendor_rulesets"  # that rules of these collections execute, beside them as well
WATCHED_SINCE = "watched_since"  # the moment of a change, whose traffic stands beside them as well
WATCHED_ZONES = "watched_zones"  # more zones whose traffic stands there, each with its moment
WATCHED_SOURCES = "watched_sources"  # of an account, the data sets that show it
WATCHED_REQUESTS = "watched_requests"  # or examples of what rules have stopped since then
LACKING = "lacking"  # of a failure: lists that rules name and the account does not have
LATER = "later_plan_id"  # of a result: the plan of the last turn of an account
STAYING = "left_out"  # of a result: what stays of lists to which rules of other hosts refer
OF_FLEET = (
    "of_fleet"  # in a result, what the other hosts of a fleet take from it; removed by the role
)
OWNING_ACCOUNT = "owning_account"  # likewise, if the result of a zone names objects of its account
WATCH = "watch"  # its samples by their source, and in the result of a role the outcome
NO_VALUES: Mapping[str, Any] = {}


class PostureValues(NamedTuple):
    """The values of a posture for one object, named by the plural of its collection and its key as
    text: to be set while the posture `holds`, and to be taken back afterwards."""

    plural: str
    key: str
    values: Mapping[str, Any]
    holds: bool


def key_text(key: Sequence[Any]) -> str:
    """The key of an object as a text, which is equal for equal keys."""
    return repr(key)


class PosturesOfHost(NamedTuple):
    """The postures of a host. `entries` are the options, and entries of them such as `rules[2]`,
    that a posture brings: they do not wait for a rollout. `values` are the values of all objects of
    postures, for a run that only does what time does."""

    entries: Sequence[str] = ()
    values: Sequence[PostureValues] = ()


class ReadingCall(NamedTuple):
    """A module call that returns these `collections` of its owners, and nothing else; without any,
    it is no reading. If it is `in_part`, it goes on if Cloudflare refuses to show some of them."""

    collections: Sequence[str] = ()
    in_part: bool = False


class FleetTurn(NamedTuple):
    """The turn of a host in a run of many hosts, in which zones refer to what accounts have.

    In the turn FIRST, an account makes and changes what its zones refer to; what it removes waits
    for its last turn. `accounts` are the collections of accounts, by id and plural, as their hosts
    will have left them when this turn comes; `contents` the contents of the lists after the run, by
    the id of the account and the name of the list. `freed` are, by list, how many rules of zones
    will refer to it no more; `room` are, by list, those of them that do so before the first turn.
    `users` are, by list, the hosts that go on to refer to it, or may do, since they failed (an
    empty name: they are outside of the run); the list keeps its items. If `keeps_for_others`, zones
    of the account are outside of the run, of which nothing is read.
    """

    is_ordered: bool = False  # whether it is a run of many hosts
    turn: str = ""
    accounts: Mapping[str, Mapping[str, Any]] = NO_VALUES
    contents: Mapping[str, Mapping[str, Any]] = NO_VALUES
    freed: Mapping[str, int] = NO_VALUES
    room: Mapping[str, int] = NO_VALUES
    users: Mapping[str, Sequence[str]] = NO_VALUES
    keeps_for_others: bool = False


class HostOfInventory(NamedTuple):
    """A host by its `name`, and its `zone` as far as the inventory knows it, in the shape of the
    API; both are empty for a task."""

    name: str = ""
    zone: Mapping[str, Any] = NO_VALUES

    def labelled(self, text: str) -> str:
        """A text for users that begins with the name of the host, if there is one."""
        return f"{self.name}: {text}" if self.name else text


FIRST, LAST = "first", "last"  # turns of an account in a fleet
ROOM = "room"  # the turn of a zone that makes room for the first one of its account


class Context(NamedTuple):
    """The caller of a module: a task, or a role that fills the options from variables of a host.

    `names` are the variables that fill the options. A module that `reports` applies nothing: it
    says how well the `host` is protected, also of a plan that a run refuses. `fleet` is the turn of
    the host among the others of its run.
    """

    is_role: bool = False
    names: Names = OWN_NAMES
    host: HostOfInventory = HostOfInventory()
    reading: ReadingCall = ReadingCall()
    postures: PosturesOfHost = PosturesOfHost()
    reports: bool = False
    fleet: FleetTurn = FleetTurn()

    def brings(self, option: Option) -> bool:
        """Return whether a posture brings the entry in which an option lies."""
        entries = self.postures.entries
        return bool(entries) and option.entry in entries

    def to_read(self, collections: Sequence[str], in_part: bool = False) -> Context:
        """The same caller, who only reads these collections; see ReadingCall."""
        return self._replace(reading=ReadingCall(collections, in_part))

    def environment(self) -> dict[str, str]:
        """The environment variable, with its value, that passes this context to a packed module."""
        return {CONTEXT: json.dumps(self._asdict())}


TASK = Context()


def context_in(environment: Mapping[str, str]) -> Context:
    """The context of a packed module with this environment."""
    text = environment.get(CONTEXT)
    if not text:
        return TASK
    context = Context(**json.loads(text))
    entries, rows = context.postures
    postures = PosturesOfHost(entries, [PostureValues(*row) for row in rows])
    reading, fleet = ReadingCall(*context.reading), FleetTurn(*context.fleet)
    host = HostOfInventory(*context.host)
    return context._replace(postures=postures, reading=reading, fleet=fleet, host=host)
