# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What workers get from the process that forks them: prepared when a plugin is loaded, and shared by all of them."""

from __future__ import annotations

import os
import subprocess
import sys

from ansible_collections.edgeops.protection.plugins.plugin_utils._worker import claimed_before, prepare_workers

ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
PLUGINS = "ansible_collections.edgeops.protection.plugins"
LOADED = f"""
from {PLUGINS}.module_utils._api.adapters import TRUST
import {PLUGINS}.plugin_utils._action
from {PLUGINS}.plugin_utils import _worker
print(len(TRUST), _worker._shared_file.cache_info().currsize)
import {PLUGINS}.action.allowlist
print(len(TRUST), _worker._shared_file.cache_info().currsize)
"""
FIRST = f"""
import os
from {PLUGINS}.plugin_utils._worker import first_of_run, prepare_workers
prepare_workers()
for number in range(3):
    child = os.fork()
    if not child:
        print(first_of_run("calls"), first_of_run(f"host {{number}}"), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_second_host_of_a_run_with_one_account_is_told_of_the_first_in_whichever_worker() -> None:
    others = []
    prepare_workers()
    for host in ("lima", "lima", "oslo"):
        reader, writer = os.pipe()
        if not os.fork():
            os.write(writer, claimed_before("edge_account_id=a", host).encode())
            os._exit(0)
        os.wait()
        os.close(writer)
        others.append(os.read(reader, 99).decode())
    assert others == ["", "", "lima"]
    assert claimed_before("edge_account_id=b", "oslo") == ""


LEXER = f"""
from ansible.template import Templar
from {PLUGINS}.plugin_utils import _worker
expressions = []
Templar.evaluate_expression = lambda templar, expression, **options: expressions.append(str(expression))
_worker.prepare_workers()
print(*expressions)
_worker.trust_as_template = None
_worker.prepare_workers()
print(*expressions)
"""


AREA = f"""
import sys
from {PLUGINS}.plugin_utils import _action, _worker
_worker.prepare_workers(_action.MODULE_SPECS["tcp_protection_status"])
print(*(name.rpartition("module_utils.")[2] for name in sys.modules if "module_utils._" in name))
"""
ROLE = f"""
import os, sys
from tests.fake_service import LocalService
from {PLUGINS}.module_utils._context import Context
from {PLUGINS}.module_utils._engine import run
from {PLUGINS}.module_utils._specs.registry import HOST_MODULE
from {PLUGINS}.plugin_utils import _module_options, _worker
_worker.prepare_workers()
rules = [{{"ref": "office", "action": "block", "expression": 'http.host eq "a.example"'}}]
with LocalService() as service:
    service.zone("{ZONE}")
    connection = {{"base_url": service.base_url, "api_token": service.token, "zone_id": "{ZONE}", "call_budget": 0}}
    before = {{*sys.modules}}
    for _again in range(2):
        spec, options = _module_options.read_arguments(HOST_MODULE, {{**connection, "custom_rules": rules}})
        result = run(spec, options, False, False, print, context=Context(is_role=True))
    print(result["changed"], *(name for name in sys.modules if name not in before and "{PLUGINS}" in name))
"""
FINDERS = f"""
import sys
from ansible.plugins.loader import init_plugin_loader
init_plugin_loader()
class First:  # as ansible-test has one, which nobody may push aside
    find_spec = staticmethod(lambda *_words: None)
sys.meta_path.insert(0, First)
from {PLUGINS}.plugin_utils import _action
print(type(sys.modules["{PLUGINS}.module_utils._text"].__loader__).__name__)
print(*(getattr(one, "__name__", type(one).__name__) for one in sys.meta_path[:3]))
"""
OTHER_AREAS = {
    *("_specs.rulesets", "_guard.rule_plans", "_protection.unmanaged"),
    *("_schema.zone", "_schema.managed_rules", "_schema.firewall_rules", "_schema.custom_rules"),
}


def lines(program: str) -> list[str]:
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def test_an_import_prepares_nothing_and_a_plugin_that_is_loaded_does() -> None:
    assert lines(LOADED) == ["0 0", "1 3"]


def test_one_worker_of_a_run_is_the_first_about_each_subject() -> None:
    assert lines(FIRST) == ["True True", "False True", "False True"]


def test_the_lexer_of_templates_is_made_before_workers_where_they_need_one() -> None:
    assert lines(LEXER) == ["true", "true"]


def test_a_module_of_an_account_loads_no_file_about_rules() -> None:
    loaded = set(lines(AREA)[0].split())
    assert "_specs.account" in loaded and not loaded & OTHER_AREAS


def test_a_worker_of_a_role_loads_nothing_again_for_rules() -> None:
    assert lines(ROLE) == ["False"]


def test_python_keeps_bytecode_and_whoever_finds_modules_first_still_does() -> None:
    assert lines(FINDERS) == ["SourceFileLoader", "First ByFile _AnsibleCollectionFinder"]
