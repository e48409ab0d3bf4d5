# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.fake_service`: the local service, until interrupted."""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path

import yaml

from .credentials import Grant
from .server import LocalService

DEMO = Path(__file__).parents[1] / "demo" / "state.yml"

TEXT = """\
The local service is at {base_url}

It holds these accounts and zones, in memory. No way below reaches the real API.

{owners}

Tasks without credentials of their own take the environment:

  export CLOUDFLARE_BASE_URL={base_url}
  export CLOUDFLARE_API_TOKEN={token}
  export CLOUDFLARE_ACCOUNT_ID={account}
  export CLOUDFLARE_ZONE_ID={zone}

The roles, and plays whose module_defaults take base_url from edge_base_url, need these variables instead:

  ansible-playbook -i INVENTORY PLAYBOOK -e edge_base_url={base_url} -e edge_api_token={token}

A play of your own takes them with:

  module_defaults:
    group/edgeops.protection.all:
      base_url: {base_url}
      api_token: {token}

What was called: {control_url}/calls. What it holds: {control_url}/state. Ctrl+C ends it.
"""


ENDING = {signal.SIGINT, signal.SIGTERM}


def arguments_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fake_service", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1; 0, the default, takes a free one")
    parser.add_argument("--port-file", type=Path, help="a file to write the port to once the service answers")
    parser.add_argument("--state", type=Path, default=DEMO, help="a state document, YAML or JSON, to start with")
    parser.add_argument("--token", help="an API token to accept, with all permissions, instead of the usual one")
    return parser


def main() -> None:
    parser = arguments_parser()
    options = parser.parse_args()
    service = LocalService(port=options.port)
    try:
        service.load(yaml.safe_load(options.state.read_text(encoding="utf-8")) or {})
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, AttributeError) as exc:
        reason = f"{exc} is missing" if isinstance(exc, KeyError) else exc
        parser.error(f"--state: {options.state} is no state document: {reason}")
    if options.token:
        service.credentials.tokens = {options.token: Grant()}
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # for the threads as well, before there are any
    with service:
        if options.port_file:
            write_whole(options.port_file, str(service.port))
        print(text(service), flush=True)
        signal.sigwait(ENDING)


def text(service: LocalService) -> str:
    owners = [
        f"  {kind} {identity}  {owner.name}".rstrip()
        for kind, those in (("account", service.accounts), ("zone   ", service.zones))
        for identity, owner in those.items()
    ]
    return TEXT.format(
        owners="\n".join(owners),
        base_url=service.base_url,
        control_url=service.control_url,
        token=next(iter(service.credentials.tokens), "none"),
        account=next(iter(service.accounts), "none"),
        zone=next(iter(service.zones), "none"),
    )


def write_whole(path: Path, text: str) -> None:
    """Whoever waits for the file never sees it empty."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


if __name__ == "__main__":
    main()
