# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role in check mode and the report beside `octorules plan`, over zones in order; run as
`python -m tests.evidence.benchmark.peer --octorules PROGRAM`.

octorules and octorules-cloudflare are in an environment of their own, since they need other releases of libraries:
`python -m venv peer && peer/bin/pip install octorules octorules-cloudflare`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from .measure import Taken
from .processes import Failure, run
from .serving import Serving
from .ways import PLAYBOOK

FORKS = 20
WORKERS = 8  # its default for one provider is lower
RULES = 20  # of a zone
PEER = "octorules plan"
OURS = ("the role in check mode", "the report")
IN_ORDER = "No changes detected."
HEADINGS = ("zones", "work", "seconds", "processors' seconds", f"times {PEER}", "processors' times")

Row = Sequence[str]
Ways = Mapping[str, Callable[[], Taken]]


def rules() -> list[dict[str, Any]]:
    """The custom rules of a zone, as an inventory, octorules and the service have them."""
    return [
        {
            "ref": f"rule{number}",
            "description": f"Rule {number}",
            "action": "block",
            "expression": f'http.host eq "host{number}.example.com" and ip.src in {{192.0.2.{number}}}',
            "enabled": True,
        }
        for number in range(RULES)
    ]


def zones(count: int) -> dict[str, str]:
    """So many zones by name, each with its id."""
    return {f"zone{number}.example.com": f"{number:032x}" for number in range(count)}


class Fleet:
    """Zones in order, and the runs that find them so."""

    def __init__(self, serving: Serving, scratch: Path, count: int) -> None:
        self._serving, self._scratch, self._zones = serving, scratch, zones(count)

    def ways(self, octorules: str) -> Ways:
        """The runs by name, each after the files that it reads are written."""
        inventory, config = self.write_inventory(), self.write_config()
        role, report = (self.write_play(name) for name in ("baseline", "report"))
        connection = {"CLOUDFLARE_API_TOKEN": self._serving.token, "CLOUDFLARE_BASE_URL": self._serving.base_url}
        settings = [f"{name}={value}" for name, value in connection.items()]
        phase = ["--scope", "zones", "--phase", "cloudflare.waf_custom_rules"]
        ansible: list[str | Path] = [PLAYBOOK, "-i", inventory, "-f", str(FORKS)]
        return {
            PEER: lambda: self.taken(["env", *settings, octorules, "--config", config, *phase, "plan"], IN_ORDER),
            OURS[0]: lambda: self.taken([*ansible, "--check", role], "changed=0", len(self._zones)),
            OURS[1]: lambda: self.taken([*ansible, report], f"{len(self._zones)} in order"),
        }

    def taken(self, words: Sequence[str | Path], proof: str, times: int = 1) -> Taken:
        """What a run takes; raises Failure if it does not find every zone in order, or writes."""
        held = {zone: {"name": name, "custom_rules": rules()} for name, zone in self._zones.items()}
        self._serving.hold({}, 0.0, held)
        taken, text = run(words, self._scratch)
        read = {call["path"].split("/")[2] for call in self._serving.calls() if "rulesets" in call["path"]}
        if text.count(proof) != times or self._serving.was_written_to():
            raise Failure(f"{words[0]} did not find the zones in order:\n{text[-2000:]}")
        if read != set(self._zones.values()):
            raise Failure(f"{words[0]} read {len(read)} of {len(self._zones)} zones.")
        return taken

    def write_inventory(self) -> Path:
        """The zones as hosts, with the variables of their group."""
        variables = {
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            "edge_api_token": self._serving.token,
            "edge_base_url": self._serving.base_url,
            "baseline_call_budget": 0,
            "baseline_custom_rules": rules(),
            "report_directory": str(self._scratch / "report"),
        }
        hosts = {name: {"edge_zone_id": zone} for name, zone in self._zones.items()}
        path = self._scratch / "zones.json"
        path.write_text(json.dumps({"zones": {"hosts": hosts, "vars": variables}}), encoding="utf-8")
        return path

    def write_play(self, role: str) -> Path:
        """A play that imports a role as the playbooks do."""
        task = {
            "name": "Run",
            "ansible.builtin.import_role": {"name": f"edgeops.protection.{role}", "rolespec_validate": False},
        }
        path = self._scratch / f"{role}.yml"
        path.write_text(json.dumps([{"hosts": "zones", "gather_facts": False, "tasks": [task]}]), encoding="utf-8")
        return path

    def write_config(self) -> Path:
        """The same zones and rules for octorules."""
        folder = self._scratch / "rules"
        folder.mkdir(exist_ok=True)
        text = yaml.safe_dump({"cloudflare": {"waf_custom_rules": rules()}}, sort_keys=False)
        for name in self._zones:
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        config = {
            "manager": {"max_workers": WORKERS},
            "providers": {"cloudflare": {"token": "env/CLOUDFLARE_API_TOKEN"}, "rules": {"directory": str(folder)}},
            "zones": {name: {"sources": ["rules"]} for name in self._zones},
        }
        path = self._scratch / "config.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return path


def compared(count: int, ways: Ways, rounds: int) -> list[Row]:
    """A row for each of our ways, of the medians of so many rounds, in which every way runs once."""
    names = list(ways)
    taken = [{name: ways[name]() for name in (reversed(names) if number % 2 else names)} for number in range(rounds)]

    return [row(count, [each[name] for each in taken], name, [each[PEER] for each in taken]) for name in names]


def row(count: int, ours: Sequence[Taken], name: str, peer: Sequence[Taken]) -> Row:
    """The medians of a way, and those of its ratios to the peer in the same rounds."""
    values = (
        [one.seconds for one in ours],
        [one.processor for one in ours],
        [one.seconds / other.seconds for one, other in zip(ours, peer, strict=True)],
        [one.processor / other.processor for one, other in zip(ours, peer, strict=True)],
    )
    return (f"{count:,}", name, *(f"{statistics.median(numbers):.2f}" for numbers in values))


def table(rows: Sequence[Row]) -> str:
    """The rows in Markdown."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; 1 if something could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.benchmark.peer", description=__doc__)
    parser.add_argument("--octorules", required=True, metavar="PROGRAM", help="octorules, in an environment of its own")
    parser.add_argument("--zones", type=int, nargs="+", default=[60, 300, 1_000], metavar="NUMBER")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(words)
    rows: list[Row] = []
    try:
        for count in options.zones:
            with tempfile.TemporaryDirectory() as folder, Serving(Path(folder)) as serving:
                rows += compared(count, Fleet(serving, Path(folder), count).ways(options.octorules), options.rounds)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
