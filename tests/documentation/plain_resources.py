# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What follows from the declaration of a plain resource: its module and action, and its entries in the files that list modules.

A file or an entry that is there already keeps its wording, as long as it says what the declaration says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED, Managed
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import OWNERS, Field
from ansible_collections.edgeops.protection.plugins.module_utils._specs.host import EXCLUSIVE

from tests.documentation.pages import MODULES, compact, to_yaml
from tests.documentation.risks import option_text, wrapped
from tests.documentation.shapes import OF_CLOUDFLARE

ROOT = Path(__file__).parents[2]
ACTIONS = ROOT / "plugins" / "action"
RUNTIME, NOX, README = (ROOT / name for name in ("meta/runtime.yml", "antsibull-nox.toml", "plugins/README.md"))
RELEASE = "1.0.0"  # which adds all of them
LIKE = "protected_prefixes"  # the module of a list, whose options for its whole list every other one has
IDS = {"zone": "5c2a81f0f7ae4b2d9b1e6f3a7d904c11", "account": "023e105f4ecef8ad9ca31a8372d0c353"}
PLAIN: Sequence[Managed] = tuple(managed for managed in MANAGED if managed.plain)
WITHOUT_RETURN = 'RETURN = r"""\n"""'  # of a module whose samples could not be applied
Documented = dict[str, Any]


def owner_of(managed: Managed) -> str:
    """The word for the owner of a resource: account or zone."""
    return OWNERS[managed.resource.owner].title


def without_sentences() -> list[str]:
    """The fields of plain resources that have no sentence, of which no documentation can be written."""
    return [
        f"{managed.resource.name}.{field.name}"
        for managed in PLAIN
        for field in _with_nested(managed.resource.fields)
        if not field.about
    ]


def _with_nested(fields: Sequence[Field]) -> Iterator[Field]:
    """Fields, each followed by those inside of it."""
    for field in fields:
        yield field
        yield from _with_nested(field.fields)


def lacking(requests: Mapping[str, Any]) -> list[str]:
    """What plain resources lack that somebody has to type, in words."""
    problems = [f"{name} has no sentence (about)" for name in without_sentences()]
    for managed in PLAIN:
        resource = managed.resource
        if not managed.is_list and not resource.is_whole and len(resource.fields) > 1:
            problems.append(f"{resource.name} has several fields, and is not Single(whole=True)")
        if managed.module not in requests:
            problems.append(f"{managed.module} has no request in tests/documentation/samples.yml")
        for name in resource.read_only if managed.is_list else ():
            if name not in OF_CLOUDFLARE:
                problems.append(
                    f"{resource.name}.{name} is returned, and OF_CLOUDFLARE of shapes.py has no sentence on it"
                )
        if not resource.about and not (MODULES / f"{managed.module}.py").exists():
            problems.append(f"{resource.name} has no sentences for its module (about)")
    return problems


def field_options(fields: Sequence[Field], required: bool) -> Documented:
    """The documentation of options that are fields."""
    options: Documented = {}
    for field in fields:
        option = field.value.option
        options[field.name] = {"description": [field.about], "type": option["type"]}
        for fact in ("elements", "choices"):
            if fact in option:
                options[field.name][fact] = option[fact]
        if field.fields:
            options[field.name]["suboptions"] = field_options(field.fields, required=False)
        if field.required or required:
            options[field.name]["required"] = True
    return options


def module_options(managed: Managed) -> Documented:
    """The documentation of a module's options, but for those of the fragments."""
    resource = managed.resource
    if managed.is_setting:
        return field_options(resource.fields, required=not resource.is_whole)
    shared = yaml.safe_load(
        import_module(f"ansible_collections.edgeops.protection.plugins.modules.{LIKE}").DOCUMENTATION
    )
    words = {"prefixes": resource.titles, "O(prefixes)": f"O({managed.option})"}
    text = yaml.safe_dump(shared["options"], width=10**6)
    like = yaml.safe_load(re.sub(r"O\(prefixes\)|\bprefixes\b(?=[ .,])", lambda match: words[match[0]], text))
    suboptions = field_options(resource.fields, required=False)
    if resource.may_expire:
        suboptions["expires"] = like["prefixes"]["suboptions"]["expires"]
    whole = {
        "description": [f"The {resource.titles}. Each may occur once."],
        "type": "list",
        "elements": "dict",
        "required": True,
    }
    return {managed.option: {**whole, "suboptions": suboptions}, "state": like["state"], "purge": like["purge"]}


def with_options(text: str, managed: Managed) -> str:
    """The text of a module whose documented options are those of the declaration."""
    start, end = text.index("\noptions:\n") + len("\noptions:\n"), text.index("\nauthor:\n")
    end = min(end, text.find("\nseealso:\n") % len(text))
    expected = module_options(managed)
    if _facts(yaml.safe_load(text[start:end])) == _facts(expected):
        return text
    block = "".join(option_text(name, _compacted(option)) for name, option in expected.items())
    return text[:start] + block.rstrip("\n") + text[end:]


def _facts(options: Mapping[str, Any]) -> Documented:
    """Options with each description as one text, to compare them."""
    facts: Documented = {}
    for name, option in options.items():
        description = option["description"]
        text = description if isinstance(description, str) else " ".join(description)
        facts[name] = {**option, "description": " ".join(text.split())}
        if "suboptions" in option:
            facts[name]["suboptions"] = _facts(option["suboptions"])
    return facts


def _compacted(option: Mapping[str, Any]) -> Documented:
    compacted = {
        name: value if name in ("description", "suboptions") else compact(value) for name, value in option.items()
    }
    description = compacted["description"]
    compacted["description"] = [description] if isinstance(description, str) else description
    if "suboptions" in option:
        compacted["suboptions"] = {name: _compacted(inner) for name, inner in option["suboptions"].items()}
    return compacted


def fragment_of(managed: Managed) -> str:
    """The documentation fragment of the risks that plans for a resource can have."""
    if managed.is_list:
        return "plain_lists"
    return "zone_settings" if managed.resource.levels else "plain_settings"


def header() -> str:
    """The beginning of a file of the plugins: its licence, as the existing ones have it, and annotations as texts."""
    existing = MODULES.parent / "module_utils" / "_module.py"
    licence = existing.read_text(encoding="utf-8").partition("\n\n")[0]
    return f"{licence}\n\nfrom __future__ import annotations\n"


def summary_of(managed: Managed) -> str:
    """The short description of a module."""
    resource = managed.resource
    task = f"Manage {resource.titles}" if managed.is_list else f"Set the {resource.title}"
    return f"{task} of {OWNERS[resource.owner].with_article}"


def new_module(managed: Managed, request: Mapping[str, Any]) -> str:
    """The file of a module that is not there yet, with a request as its example and without its RETURN."""
    resource, owner = managed.resource, owner_of(managed)
    title = resource.titles if managed.is_list else resource.title
    texts = [*resource.about, "The module leaves alone what the task leaves out."]
    description = "".join(indent(dedent(wrapped(text)), "  ") for text in texts)
    permission = resource.permission
    needs = f"The module needs the permission C({permission.name} {permission.writing}) of the {owner}."
    note = indent(dedent(wrapped(f"{needs} Check mode needs C({permission.name} Read).")), "  ")
    fragments = (
        "_attributes",
        "_attributes.write",
        "_connection",
        f"_{owner}",
        "_plan",
        f"_risks.{fragment_of(managed)}",
    )
    example = {name: value for name, value in request.items() if name not in ("accept_risks", "check_mode")}
    task = {"name": f"Set the {title}", f"edgeops.protection.{managed.module}": {f"{owner}_id": IDS[owner], **example}}
    return f'''#!/usr/bin/python

{header()}
DOCUMENTATION = r"""
module: {managed.module}
short_description: {summary_of(managed)}
version_added: {RELEASE}
description:
{description}extends_documentation_fragment:
{"".join(f"  - edgeops.protection.{name}{chr(10)}" for name in fragments)}notes:
{note}options:
  {{}}
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
{to_yaml([compact_task(task)])}"""

# `make docs-update` writes this block.
RETURN = r"""
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["{managed.module}"])


if __name__ == "__main__":
    main()
'''


def compact_task(task: Mapping[str, Any]) -> Documented:
    """A task whose short lists stand on one line each."""
    return {
        name: {key: compact(item) for key, item in value.items()} if isinstance(value, Mapping) else value
        for name, value in task.items()
    }


def action_text() -> str:
    """The file of an action, which is the same for each module."""
    return f"""{header()}
from ..plugin_utils._action import module_action

ActionModule = module_action(__name__)
"""


def write_new_files(requests: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write modules and actions that are not there, and bring the options of the others up to date."""
    for managed in PLAIN:
        action, path = ACTIONS / f"{managed.module}.py", MODULES / f"{managed.module}.py"
        if not action.exists():
            action.write_text(action_text(), encoding="utf-8")
        if not path.exists() or WITHOUT_RETURN in path.read_text(encoding="utf-8"):
            path.write_text(new_module(managed, requests[managed.module][0]), encoding="utf-8")
        path.write_text(with_options(path.read_text(encoding="utf-8"), managed), encoding="utf-8")


def with_action_groups(text: str) -> str:
    """The action groups with each module."""
    for managed in PLAIN:
        for group in ("all", owner_of(managed)):
            match = re.search(rf"(?m)^  {group}:\n((?:    - \w+\n?)+)", text)
            if match is None:
                raise ValueError(f"meta/runtime.yml has no group {group}")
            names = sorted({*re.findall(r"- (\w+)", match[1]), managed.module})
            block = "".join(f"    - {name}\n" for name in names)
            text = text[: match.start(1)] + block + text[match.end(1) :]
    return text


def with_patterns(text: str) -> str:
    """The patterns of the action groups with each module."""
    for managed in PLAIN:
        match = re.search(rf'name = "{owner_of(managed)}"\npattern = "\^\(([\w|]+)\)\$"', text)
        if match is None:
            raise ValueError(f"antsibull-nox.toml has no group {owner_of(managed)}")
        names = "|".join(sorted({*match[1].split("|"), managed.module}))
        text = text[: match.start(1)] + names + text[match.end(1) :]
    return text


def with_rows(text: str) -> str:
    """The list of modules with a row for each."""
    head = "| module | what it does | permission of the token |"
    block = re.search(rf"(?m)^{re.escape(head)}\n\|[-|]+\n((?:\|.*\n)+)", text)
    if block is None:
        raise ValueError("plugins/README.md has no table of modules")
    lines = block[1].splitlines()
    for managed in PLAIN:
        if any(line.startswith(f"| `{managed.module}` |") for line in lines):
            continue
        resource = managed.resource
        lines.append(
            f"| `{managed.module}` | {summary_of(managed)} | {resource.permission.name} {resource.permission.writing} ({owner_of(managed)}) |"
        )
    return (
        text[: block.start(1)]
        + "\n".join(sorted(lines, key=lambda line: line.split("`")[1]))
        + "\n"
        + text[block.end(1) :]
    )


def with_purge_choices(text: str) -> str:
    """The argument specification of the role baseline with the collections that it can make exclusive."""
    match = re.search(r"(?s)      baseline_purge:\n.*?        choices:\n((?:          - \w+\n)+)", text)
    if match is None:
        raise ValueError("baseline_purge has no choices")
    listed = re.findall(r"- (\w+)", match[1])
    names = [*listed, *(name for name in EXCLUSIVE if name not in listed)]
    block = "".join(f"          - {name}\n" for name in names)
    return text[: match.start(1)] + block + text[match.end(1) :]


def with_variables(text: str) -> str:
    """The argument specification of the role baseline with the variable of each resource."""
    for managed in PLAIN:
        text = _with_variable(text, f"baseline_{managed.module}", _variable(managed), r"^      baseline_postures:")
    return text


def _variable(managed: Managed) -> Documented:
    resource, owner = managed.resource, owner_of(managed)
    facts = {"version_added": RELEASE}
    if managed.is_list:
        text = f"The {resource.titles} of the {owner}. If omitted, the role does not read them."
        return {"description": [text], **facts, "type": "list", "elements": "dict"}
    if not resource.is_whole:
        text = f"The {resource.title} of the {owner}, which the role sets to exactly this one. If omitted, the role does not read it."
        option = next(iter(field_options(resource.fields, required=False).values()))
        return {**option, "description": [text], **facts}
    text = f"The {resource.title} of the {owner}, of which the role sets these fields. If omitted, the role does not read it."
    return {"description": [text], **facts, "type": "dict", "options": field_options(resource.fields, required=False)}


def _with_variable(text: str, name: str, variable: Documented, following: str) -> str:
    """An argument specification with a variable, in front of the following one if it is new."""
    existing = re.search(rf"(?ms)^      {name}:\n.*?(?=^      \S|\Z)", text)
    if existing:
        documented = yaml.safe_load(dedent(existing[0]))[name]
        known = {fact: documented.get(fact) for fact in variable}
        if known == variable:
            return text
        start, end = existing.span()
    else:
        place = re.search(following, text, re.MULTILINE)
        start = end = place.start() if place else len(text)
    values = {fact: compact(value) if fact == "choices" else value for fact, value in variable.items()}
    if variable.get("elements") == "dict":
        values["options"] = {}
    block = indent(to_yaml({name: values}), " " * 6).replace("        options: {}\n", "        options:\n")
    return text[:start] + block + text[end:]


def of_existing_modules() -> Iterator[tuple[Path, Callable[[str], str]]]:
    """The files of modules, each with what brings its options up to date."""
    for managed in PLAIN:
        yield MODULES / f"{managed.module}.py", lambda text, managed=managed: with_options(text, managed)  # type: ignore[misc]
