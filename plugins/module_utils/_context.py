# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The knowledge of a host that a role gives to a module, and no option of a task does."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from typing import Any, Mapping, NamedTuple, Sequence

from ._text import OWN_NAMES, Names, Option

CONTEXT = "EDGEOPS_PROTECTION_CONTEXT"  # an environment variable of packed modules
LONGEST = 100_000  # characters of its value; a command takes some 131,000 in all
NO_VALUES: Mapping[str, Any] = {}
CREATION, DELETION = "creation", "deletion"


class Context(NamedTuple):
    """The caller of a module: a task, or a role that fills the options from variables of a host.

    `elsewhere` are the risks that other modules of the host can have, which the same variable
    accepts; warnings begin with the name of the `host`. `lists` are the networks of planned lists
    by name, and `references` says for each list how many more rules refer to it, or fewer, once the
    modules before have run. `prefixes` are those that the account protects then, None if that is
    not known. `step` is the half of an exclusive plan for lists that the module
    makes: rules are written between the two. `zone_id` is the zone whose rules refer to the lists,
    and `zone` the zone of the task, as far as the inventory knows it.
    With `reads`, a module returns these collections of its owner, and nothing else. `modules` are
    the others that run for the host. `planned` are collections as the modules before leave them, by
    plural, and `deployments` the refs of rules that another module writes. `posture` are the
    options, and entries of them such as `rules[2]`, that a posture brings: they wait for no
    rollout.
    """

    is_role: bool = False
    names: Names = OWN_NAMES
    elsewhere: Sequence[str] = ()
    host: str = ""
    lists: Mapping[str, Any] = NO_VALUES
    references: Mapping[str, int] = NO_VALUES
    step: str = ""
    prefixes: Sequence[str] | None = None
    zone_id: str = ""
    reads: Sequence[str] = ()
    modules: Sequence[str] = ()
    planned: Mapping[str, Any] = NO_VALUES
    deployments: Sequence[str] = ()
    zone: Mapping[str, Any] = NO_VALUES
    posture: Sequence[str] = ()

    def brings(self, option: Option) -> bool:
        """Return whether a posture brings the entry in which an option lies."""
        return option.entry in self.posture

    def standing(self, codes: Sequence[str]) -> list[str]:
        """The codes of which an acceptance stays, and can mean no other plan than the module's."""
        return [code for code in codes if self.is_role and code not in self.elsewhere]

    def environment(self) -> dict[str, str]:
        """The environment of a packed module. It reads lists itself that are too long for it."""
        text = _packed(self)
        if len(text) > LONGEST:
            text = _packed(self._replace(lists=NO_VALUES, planned=NO_VALUES, prefixes=None))
        return {CONTEXT: text}


TASK = Context()


def _packed(context: Context) -> str:
    return b64encode(zlib.compress(json.dumps(context._asdict()).encode())).decode()


def context_in(environment: Mapping[str, str]) -> Context:
    """The context of a packed module with this environment."""
    text = environment.get(CONTEXT)
    if not text:
        return TASK
    values = json.loads(zlib.decompress(b64decode(text)))
    for name in ("elsewhere", "reads", "modules", "deployments", "posture"):
        values[name] = tuple(values[name])  # JSON has lists only
    return Context(**values)
