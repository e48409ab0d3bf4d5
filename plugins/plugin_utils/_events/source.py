# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source: from options to feeds that run until they are cancelled."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.auth import known_secrets
from ansible_collections.edgeops.protection.plugins.module_utils._api.connect import connected
from ansible_collections.edgeops.protection.plugins.module_utils._runner import redact
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import OWNER
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.nodes import NODES

from .feed import LOG, Feed, Queue, follow
from .options import SourceOptions, parse_source
from .watch import Watch


async def run_source(queue: Queue, arguments: Mapping[str, Any]) -> None:
    """Watch the traffic of accounts until the task is cancelled; raises ValueError for wrong
    options."""
    environment = dict(os.environ)
    options = parse_source(arguments, environment, LOG.warning)
    secrets = known_secrets(arguments, environment)
    with ExitStack() as stack:
        feeds = feeds_of(options, stack, secrets)
        await asyncio.gather(*(follow(feed, queue) for feed in feeds))


def feeds_of(options: SourceOptions, stack: ExitStack, secrets: tuple[str, ...]) -> list[Feed]:
    """One feed for each account and node."""
    feeds = []
    for settings in options.settings:
        for node in NODES:
            components = [name for name in options.components if name in node.components]
            if components:
                client = stack.enter_context(connected(settings, LOG.warning))
                watch = Watch(settings.owner[OWNER], components, options.least)
                hide = partial(redact, secrets=secrets)
                feeds.append(Feed(client, watch, options.interval, options.delay, hide))
    return feeds
