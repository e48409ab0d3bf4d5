# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything on the pages runs, and comes out as it is shown; what they list is what there is."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Sequence
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import hcl2
import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_PHASE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_NAME
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import VARIABLE_OF

from tests.fake_service import LocalService
from tests.fake_service.__main__ import text as announcement
from tests.fake_service.credentials import AREA_OF_PERMISSION, WRITABLE, Permission
from tests.support.ansible_run import REPOSITORY
from tests.support.documents import PATHS, Page, anchors, blocks_of, links, read_page, rows, shows
from tests.support.module_run import ACCOUNT, ZONE, run_main
from tests.support.page_project import STATE, Project

PAGES = {page.name: page for page in map(read_page, PATHS)}
README = PAGES["README.md"]
INDEX = PAGES["docs/README.md"]
LISTED = PAGES["plugins/README.md"]
GALAXY = yaml.safe_load((REPOSITORY / "galaxy.yml").read_text(encoding="utf-8"))
each_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)

MODULES = sorted({*MODULE_SPECS} - {HOST_MODULE})
PLAYED_BY_SECTIONS = ("docs/second_month.md",)  # in test_second_month.py: its files change on the way
RUN = ("ansible-playbook", "ansible", "ansible-doc", "ansible-inventory", "ansible-vault")


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.load(yaml.safe_load(STATE.read_text(encoding="utf-8")))
    return service


@each_page
def test_a_page_runs_and_shows_its_output(page: Page, tmp_path: Path, service: LocalService) -> None:
    if page.name in PLAYED_BY_SECTIONS:
        return
    project = Project(page, tmp_path / "project", service)
    project.directory.mkdir()
    project.write()
    if page.snippets:
        project.begin()
        (project.directory / "snippets.yml").write_text(yaml.safe_dump([play_of(page.snippets)]), encoding="utf-8")
        run = project.play("snippets.yml").done()
        assert len(run.tasks) == len(page.snippets)
    project.begin()
    for command in page.commands:
        if command.words[0] in RUN:
            run = project.run(command)
            assert bool(run.code) == command.fails, run.output
            assert shows(command.shown, run.output), run.output
    for name in sorted(set(page.plays) - {word for command in page.commands for word in command.words}):
        run = project.play(name).done()
    assert service.calls or not (page.snippets or page.plays)


def play_of(tasks: Sequence[Any]) -> dict[str, Any]:
    """A play for task snippets: the inventory's variables give every module its credentials and its account or zone."""
    return {
        "name": "Run the snippets of a page",
        "hosts": "frankfurt",
        "gather_facts": False,
        "module_defaults": {
            "group/edgeops.protection.all": {"api_token": "{{ edge_api_token }}", "base_url": "{{ edge_base_url }}"},
            **{
                f"edgeops.protection.{name}": (
                    {"zone_id": "{{ edge_zone_id }}"}
                    if MODULE_SPECS[name].owner == "zone_id"
                    else {"account_id": "{{ edge_account_id }}"}
                )
                for name in MODULES
            },
        },
        "tasks": tasks,
    }


@each_page
def test_a_program_on_a_page_runs(page: Page) -> None:
    namespace: dict[str, Any] = {}
    for program in page.programs:
        exec(program, namespace)
    assert bool(namespace) == bool(page.programs)


@each_page
def test_a_configuration_of_terraform_is_read(page: Page) -> None:
    types = {
        name.strip('"')
        for text in page.configurations
        for item in hcl2.loads(text).get("resource", ())
        for name in item
    }
    assert types <= {"cloudflare_ruleset", "cloudflare_list", "cloudflare_list_item"}


def test_the_phases_of_terraform_are_those_of_the_modules() -> None:
    table = rows(PAGES["docs/terraform.md"], "resource of Terraform")
    phases = {(row[1], row[2]): row[3] for row in table if row[1] != "none"}
    entry_points = [
        item for item in BY_NAME.values() if item.path.endswith("/entrypoint") and item.plural in MODULE_SPECS
    ]
    expected = {(str(item.phase), item.plural): f"baseline_{item.plural}" for item in entry_points}
    expected[CUSTOM_PHASE, "custom_ruleset"] = "baseline_custom_rulesets"
    assert phases == expected


def test_terraform_has_a_row_for_each_variable_with_objects() -> None:
    variables = " ".join(row[3] for row in rows(PAGES["docs/terraform.md"], "resource of Terraform"))
    # The vendor has retired firewall rules; its provider lacks them.
    missing = {name for name in VARIABLE_OF.values() if name not in variables} - {"baseline_firewall_rules"}
    assert missing == {"baseline_enabled"}


@each_page
def test_other_commands_name_existing_targets(page: Page, service: LocalService) -> None:
    help_of_make = subprocess.run(["make", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    archive = ".cache/build/{namespace}-{name}-{version}.tar.gz".format(**GALAXY)
    for command in page.commands:
        match command.words:
            case ["make", "demo"]:
                pass  # test_baseline.py compares what is shown
            case ["make", "serve", *port]:
                assert port in ([], ["PORT=8080"])
                shown = command.shown.replace("127.0.0.1:8080", f"127.0.0.1:{service.port}")
                assert shows(shown, announcement(service))
            case ["curl", "-X", "PUT", "--data-binary", "@state.yml", url]:
                here = url.replace("127.0.0.1:8080", f"127.0.0.1:{service.port}")
                state = page.state or {}
                with urlopen(Request(here, data=yaml.safe_dump(state).encode(), method="PUT")) as answer:
                    assert answer.status == 200
                assert list(service.accounts) == list(state["accounts"])
            case ["git", "clone", url]:
                assert url == GALAXY["repository"]
            case ["source" | "mkdir" | "cd" | "mv", *_] | ["curl", "-X", "PATCH", *_]:
                assert page.name in ("docs/first_hour.md", *PLAYED_BY_SECTIONS)  # whose own tests type them
            case ["podman", "run" | "tag" | "push", *names]:
                assert "edgeops-protection-ee" in " ".join(names)  # the image that the session ee makes
            case ["make", target]:
                assert re.search(f"^make {target} ", help_of_make, re.MULTILINE), target
                assert not command.shown
            case ["ansible-galaxy", "collection", "install", path]:
                assert path == archive
                assert not command.shown
            case _:
                assert command.words[0] in RUN, f"no test runs {command}"


@each_page
def test_links_lead_somewhere(page: Page) -> None:
    for link in links(page):
        if ours := re.fullmatch(re.escape(GALAXY["repository"]) + "/(?:blob|tree)/main/(.+)", link):
            assert (REPOSITORY / ours[1]).exists(), link
        if link.startswith("https://"):
            continue  # another site, which a test without network cannot ask
        path, _hash, anchor = link.partition("#")
        target = (page.path.parent / path).resolve() if path else page.path
        assert target.exists(), link
        assert not anchor or anchor in anchors(read_page(target)), link


@each_page
def test_links_of_the_archive_lead_into_the_archive(page: Page) -> None:
    if is_left_out(page.path):
        return
    relative = [link.partition("#")[0] for link in links(page) if not link.startswith(("https://", "#"))]
    assert [link for link in relative if is_left_out((page.path.parent / link).resolve())] == []


def is_left_out(path: Path) -> bool:
    """Whether the archive lacks a file, or the folder that it is in."""
    inner = path.relative_to(REPOSITORY)
    above = [str(folder) for folder in inner.parents if folder.name]
    return any(fnmatch(name, pattern) for name in (str(inner), *above) for pattern in GALAXY["build_ignore"])


def test_the_index_lists_every_page() -> None:
    listed = {link.partition("#")[0] for link in links(PAGES["docs/README.md"]) if not link.startswith("../")}
    assert listed == {path.name for path in PATHS if path.parent == REPOSITORY / "docs"} - {"README.md"}


def documentation(module: str) -> Any:
    return import_module(f"ansible_collections.edgeops.protection.plugins.modules.{module}")


def granted_by(permission: str) -> tuple[str, Permission]:
    """The area of the local service that a permission is about, and how far it goes."""
    name, access, _scope = permission.rsplit(" ", 2)
    return AREA_OF_PERMISSION[name], "read" if access == "Read" else "write"


@pytest.mark.parametrize(("module", "permission"), [(row[0], row[2]) for row in rows(LISTED, "module")])
def test_a_module_needs_the_permission_listed_and_no_more(
    module: str, permission: str, service: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLOUDFLARE_API_KEY", raising=False)
    area, level = granted_by(permission)
    service.accounts.clear()
    service.account(ACCOUNT)
    service.zone(ZONE).seed(
        rules=[
            {"id": identifier, "action": "challenge", "filter": {"expression": "ip.src eq 192.0.2.1"}}
            for identifier in ("f2d427378e7542acb295380d352e2ebd", "14217d7bd5ab435e84b1bd468bf4fb9f")
        ]
    )
    example = yaml.safe_load(documentation(module).EXAMPLES)[0][f"edgeops.protection.{module}"] or {}
    owner_id = {"account_id": ACCOUNT} if permission.endswith("(account)") else {"zone_id": ZONE}

    def outcome(granted: str) -> dict[str, Any]:
        no_others: dict[str, Any] = dict.fromkeys((*WRITABLE, "analytics"), "none")
        token = service.add_token("token-with-few-permissions", **{**no_others, area: granted})
        return run_main(module, {**owner_id, **example, "base_url": service.base_url, "api_token": token})

    refused = outcome({"write": "read", "read": "none"}[level])
    assert permission in str(refused.get("msg") or refused["traffic"]["unknown"])
    admitted = outcome(level)
    assert not admitted.get("failed") and permission not in str(admitted)


def test_the_requirements_listed_are_those_declared() -> None:
    runtime = yaml.safe_load((REPOSITORY / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    connection = import_module("ansible_collections.edgeops.protection.plugins.doc_fragments._connection")
    requirements = yaml.safe_load(connection.ModuleDocFragment.DOCUMENTATION)["requirements"]
    assert f"- ansible-core {runtime['requires_ansible'].replace('>=', '>= ').removesuffix('.0')} on" in README.text
    assert all(f"- {requirement} for" in README.text for requirement in requirements)


@pytest.mark.parametrize(
    ("folder", "package", "question", "least"),
    [("module_utils", "package", "question", 10), ("plugin_utils", "package of hosts", "question about hosts", 5)],
)
def test_the_architecture_page_shows_the_packages_there_are(
    folder: str, package: str, question: str, least: int
) -> None:
    """A row for each package, and answers that exist."""
    page = PAGES["docs/architecture.md"]
    root = REPOSITORY / "plugins" / folder
    packages = {path.parent.relative_to(root).as_posix() for path in root.rglob("*.py")}
    assert {row[0].replace("(top)", ".") for row in rows(page, package)} == packages
    answers = [re.findall(r"[\w/]+\.py", row[1]) for row in rows(page, question)]
    assert len(answers) >= least
    assert all(files and all((root / file).is_file() for file in files) for files in answers)


def test_a_rule_is_followed_through_ten_files_that_have_the_functions_of_their_steps() -> None:
    page = PAGES["docs/architecture.md"].text
    walk = page.partition("## One rule, from its variable to the PUT and back")[2].partition("\n## ")[0]
    steps = re.findall(r"^\d+\. `(plugins/\S+\.py)`: (.*?)(?=^\d+\. |\Z)", walk, re.M | re.S)
    assert len(steps) == len({*re.findall(r"\w+\.py", walk)}) == 10
    for file, text in steps:
        names = re.findall(r"`([\w.]+)\(\)`", text)
        assert names, file
        code = (REPOSITORY / file).read_text(encoding="utf-8")
        words = {word for name in names for word in name.split(".")}
        assert words <= {*re.findall(r"^ *(?:def|class) (\w+)", code, re.M)}, file


def test_the_picture_of_the_architecture_shows_the_floors_of_the_contracts() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    modules, hosts, *_without_floors = settings["tool"]["importlinter"]["contracts"]
    floors = [name for layer in (*hosts["layers"], *modules["layers"]) for name in layer.split(" | ")]
    picture = (REPOSITORY / "docs" / "pictures" / "house.svg").read_text(encoding="utf-8")
    shown = re.findall(r'class="name"[^>]*>(\w+)<', picture)
    packages = {path.parent.name for path in (REPOSITORY / "plugins").glob("*_utils/*/*.py")}
    assert shown == [name for name in floors if name in shown]
    assert {name for name in packages if name in floors} <= {*shown}


def test_the_picture_of_the_way_of_a_request_shows_its_steps() -> None:
    picture = (REPOSITORY / "docs" / "pictures" / "way_of_a_request.svg").read_text(encoding="utf-8")
    steps = rows(PAGES["docs/expectations.md"], "step")
    assert re.findall(r'class="name"[^>]*>([\w ]+)<', picture) == [row[0] for row in steps]
    dashed = re.findall(r'class="(judged|other)" x="\d+" y="40"', picture)
    assert dashed == ["other" if row[1] == "not evaluated" else "judged" for row in steps]


@pytest.mark.parametrize(
    "text",
    [
        "```bash\nrm -rf /\n```\n",
        "```\nnothing\n```\n",
        "- item\n  ```yaml\n  a: 1\n  ```\n",
        "~~~yaml\n~~~\n",
        "```yaml\n",
    ],
)
def test_a_block_that_no_test_would_run_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="line"):
        list(blocks_of(text))


def test_output_shown_is_compared_line_by_line() -> None:
    output = "one\ntwo   \nthree 3\nfour\n"
    assert shows("one\ntwo\nthree ...", output)
    assert shows("...\ntwo\n...\nfour", output)
    assert not shows("one\nthree 3", output)
    assert not shows("two", "two and more")
    assert not shows("four\n...\none", output)
