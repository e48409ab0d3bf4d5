# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations of the vendor's API as the vendor's own command line, npm's `cf`, has them: a judge of calls, and of the
contract of the local service.

    python -m tests.judges.cf

takes the package out of npm's registry, and writes the part of it that concerns this collection into cf.yml.
"""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml

from tests.fake_service.calls import Call

PACKAGE, VERSION = "cf", "0.0.5"
EXTRACT = Path(__file__).with_name("cf.yml")
LICENCE = "".join(Path(__file__).read_text(encoding="utf-8").splitlines(keepends=True)[:3])
HEAD = f"""---
{LICENCE}
# Written by `python -m tests.judges.cf`: names out of the package {PACKAGE} {VERSION} (npm, MIT licence, Cloudflare).
# By operation: its parameters, the fields of its body, and the words that a field takes. A star marks what is required.
"""
PROTECTION = r"/accounts/{}/magic/advanced_(?:tcp|dns)_protection/.*"  # its bodies are described in full
OF_INTEREST = (
    PROTECTION,
    r"/(?:accounts|zones)(?:/{})?",
    r"/(?:accounts|zones)/{}/rulesets(?:/.*)?",
    r"/accounts/{}/rules/lists(?:/.*)?",
    r"/zones/{}/(?:firewall/rules|filters)(?:/{})?",
    r"/zones/{}/settings/{}",
    r"/accounts/{}/logs/audit",
    r"/accounts/{}/addressing/prefixes(?:/{}/(?:bgp/prefixes|delegations))?",
)
OF_THE_PROGRAM = {"fields", "ndjson", "dryRun", "body"}  # options that are no fields
WORDS = re.compile(r"(?:one of|Valid values:) ((?:'\w+'(?:, or | or |, )?)+)")


class Field(NamedTuple):
    """A field of a body: whether it is required, its type, and its words; none if the package does not say them."""

    is_required: bool
    kind: str
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Field:
        """The field that a text of the extract describes, such as `*string low|high`."""
        kind, _space, words = text.lstrip("*").partition(" ")
        return cls(text.startswith("*"), kind, tuple(words.split("|")) if words else ())

    def text(self) -> str:
        return f"{'*' * self.is_required}{self.kind} {'|'.join(self.words)}".strip()

    def faults(self, value: Any) -> Iterator[str]:
        """The reasons why the field does not take a value."""
        types: Mapping[str, type] = {"string": str, "boolean": bool, "number": int}
        if not isinstance(value, types[self.kind]):
            yield f"{value!r} is no {self.kind}"
        elif self.words and value not in self.words:
            yield f"{value!r} is none of {self.words}"


class Operation(NamedTuple):
    """The parameters of an operation, and the fields of its body by their names."""

    parameters: tuple[str, ...]
    fields: Mapping[str, Field]


Operations = Mapping[str, Operation]


def pattern_of(path: str) -> str:
    """A path without the names of its parameters."""
    return re.sub(r"{\w+}", "{}", path)


def extracted(package: Path) -> Operations:
    """The operations of interest of an unpacked package, such as `GET /zones/{}`."""
    folder = package / "cf-dist" / "_meta"
    schemas = json.loads((folder / "schemas.json").read_text(encoding="utf-8"))["schemas"]
    parameters = {
        (schema["httpMethod"], schema["path"]): tuple(sorted(query["name"] for query in schema["queryParams"]))
        for schema in schemas.values()
    }
    commands = json.loads((folder / "commands.json").read_text(encoding="utf-8"))["commands"]
    operations = {}
    for command in commands:
        method, path = command.get("httpMethod"), command.get("apiPath") or ""
        if any(re.fullmatch(pattern, pattern_of(path)) for pattern in OF_INTEREST):
            fields = dict(fields_of(command)) if command["hasRequestBody"] else {}
            operations[f"{method} {pattern_of(path)}"] = Operation(parameters.get((method, path), ()), fields)
    return dict(sorted(operations.items()))


def fields_of(command: Mapping[str, Any]) -> Iterator[tuple[str, Field]]:
    """The fields of a body among the options of a command."""
    for option in command["options"]:
        if option["name"] not in OF_THE_PROGRAM:
            found = WORDS.search(option["description"])
            words = option.get("enum") or (re.findall(r"'(\w+)'", found[1]) if found else ())
            yield option["name"].replace("-", "_"), Field(bool(option["required"]), option["type"], tuple(words))


def text_of(operations: Operations) -> str:
    """The text of the extract."""
    document = {
        name: {
            "parameters": " ".join(operation.parameters),
            "fields": {field: described.text() for field, described in operation.fields.items()},
        }
        for name, operation in operations.items()
    }
    return HEAD + yaml.safe_dump(document, sort_keys=False, width=120)


@cache
def operations_of_cf() -> Operations:
    """The operations of the extract."""
    document = yaml.safe_load(EXTRACT.read_text(encoding="utf-8"))
    return {
        name: Operation(
            tuple(operation["parameters"].split()),
            {field: Field.of(text) for field, text in operation["fields"].items()},
        )
        for name, operation in document.items()
    }


def operation_of(operations: Operations, method: str, path: str) -> tuple[str, Operation] | None:
    """The operation that a call or a row of the contract is, with its name; None if there is none. One that names a part
    of the path comes before one that leaves it open."""
    matching = [
        name for name in operations if re.fullmatch(re.escape(name).replace(r"\{\}", "[^/]+"), f"{method} {path}")
    ]
    if not matching:
        return None
    name = min(matching, key=lambda name: name.count("{}"))
    return name, operations[name]


def faults_in(calls: Iterable[Call], operations: Operations | None = None) -> list[str]:
    """What the command line does not have of these calls: operations, parameters, fields of bodies and their words."""
    faults: list[str] = []
    for call in calls:
        if call.path != "/graphql":
            found = faults_of(call, operations or operations_of_cf())
            faults += [f"{call.method} {call.path}: {fault}" for fault in found]
    return faults


def faults_of(call: Call, operations: Operations) -> Iterator[str]:
    found = operation_of(operations, call.method, call.path)
    if found is None:
        yield "there is no such operation"
        return
    name, operation = found
    yield from (f"no parameter {parameter}" for parameter in call.query if parameter not in operation.parameters)
    if isinstance(call.body, Mapping):
        is_whole = re.fullmatch(rf"\w+ {PROTECTION}", name) is not None
        yield from faults_of_body(call.body, operation.fields, is_whole=is_whole)


def faults_of_body(body: Mapping[str, Any], fields: Mapping[str, Field], *, is_whole: bool) -> Iterator[str]:
    """The faults of a body, of which the package describes all fields or only the plain ones."""
    for name, field in fields.items():
        if name in body:
            yield from (f"{name}: {fault}" for fault in field.faults(body[name]))
        elif field.is_required:
            yield f"{name}: it is missing"
    if is_whole:
        yield from (f"{name}: there is no such field" for name in body if name not in fields)


def fetched(version: str, folder: Path) -> Path:
    """A release of the package out of npm's registry, unpacked in a folder."""
    packing = ["npm", "pack", "--silent", f"{PACKAGE}@{version}"]
    archive = subprocess.run(packing, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    with tarfile.open(folder / archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


def main() -> None:
    with TemporaryDirectory() as folder:
        EXTRACT.write_text(text_of(extracted(fetched(VERSION, Path(folder)))), encoding="utf-8")


if __name__ == "__main__":
    main()
