# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: accounts
short_description: Make Cloudflare accounts and zones hosts
version_added: 1.0.0
author: The edgeops.protection authors (@edgeops)
description:
  - Reads the accounts and zones that a Cloudflare API token sees, and makes each of them a host.
  - An account becomes a host of the group C(accounts), with the variables C(edge_account_id),
    C(edge_account_name) and C(edge_account_type). Its host name is its name in lower case, with
    everything but letters and digits, of any script, turned into single hyphens.
  - A zone becomes a host of the group C(zones) and of the group C(zones_of_<account host with
    underscores>), with the variables C(edge_zone_id), C(edge_zone_name), C(edge_zone_plan),
    C(edge_zone_status), C(edge_zone_paused), C(edge_zone_account) (the host of its account) and
    C(edge_zone_account_id).
    Its host name is its domain.
  - If two accounts have one name, or an account has the name of a zone or of a group, a hyphen and
    six digits of the id follow.
  - If several accounts have a zone of one name, the zone that is active has it. The host of any
    other one has the name of its account behind a hyphen, and is warned of.
  - An account that the token does not see, but one of its zones names, becomes a host like the
    others, without a type.
  - Tasks for these hosts run on the control node, since every host has C(ansible_connection=local).
  - The inventory holds no credentials. Give them to the tasks, for example in C(group_vars).
notes:
  - The token needs the permissions C(Account Settings Read) and C(Zone Read). A token without the
    first one sees no accounts; the plugin then takes the accounts that its zones name, and warns.
    Accounts without zones are then missing.
  - Both lists are read at once, and their pages concurrently. A cached inventory makes no calls. A
    cache that another O(base_url) filled, or that lacks a list that the options now ask for, is
    read anew. Of a cache that is older than an hour, the plugin tells the age.
seealso:
  - name: Accounts, in Cloudflare's API
    description: The list of accounts that a token sees.
    link: https://developers.cloudflare.com/api/resources/accounts/methods/list/
  - name: Zones, in Cloudflare's API
    description: The list of zones that a token sees.
    link: https://developers.cloudflare.com/api/resources/zones/methods/list/
requirements:
  - requests >= 2.25
extends_documentation_fragment:
  - constructed
  - inventory_cache
options:
  plugin:
    description: The name of this plugin, C(edgeops.protection.accounts).
    type: str
    required: true
    choices: [edgeops.protection.accounts]
  api_token:
    description:
      - The API token. It may be a template.
      - If no credentials are given at all, the environment variable E(CLOUDFLARE_API_TOKEN) is
        used.
    type: str
  api_email:
    description:
      - The e-mail address of the user whose O(api_key) it is. It may be a template.
      - If no credentials are given at all, the environment variable E(CLOUDFLARE_EMAIL) is used.
    type: str
  api_key:
    description:
      - The API key of the user with O(api_email), instead of O(api_token). It may be a template.
      - If no credentials are given at all, the environment variable E(CLOUDFLARE_API_KEY) is used.
    type: str
  base_url:
    description:
      - The URL of the Cloudflare API. It must be C(https), except on loopback addresses of this
        machine.
    type: str
    default: https://api.cloudflare.com/client/v4
    env:
      - name: CLOUDFLARE_BASE_URL
  timeout:
    description: The seconds that one request may take as a whole.
    type: float
    default: 30.0
  retries:
    description: How often one request is repeated after it failed for a passing reason.
    type: int
    default: 4
  max_wait:
    description: The seconds that the plugin waits in all before it repeats requests, above all for
      a rate limit.
    type: float
    default: 60.0
  call_budget:
    description:
      - How many calls these credentials make at most in any 300 seconds, those of tasks and of
        other runs on this control node included. With C(0) there is no budget.
      - The plugin waits for calls beyond it. This does not count against O(max_wait).
    type: int
    default: 1200
    version_added: 1.0.0
  validate_certs:
    description: Whether Cloudflare's certificate is checked.
    type: bool
    default: true
  ca_path:
    description: A file or directory of CA certificates to trust instead of the default ones.
    type: path
  accounts:
    description:
      - The accounts that become hosts, as names, names of hosts, ids or globs such as
        C(example-*). Case does not matter.
      - All accounts by default. With an empty list no account becomes a host.
      - Zones of accounts that do not match are left out as well, unless the list is empty.
      - A pattern that no account matches is warned of.
    type: list
    elements: str
  zones:
    description:
      - The zones that become hosts, as names, names of hosts, ids or globs such as
        C(*.example.com). Case does not matter.
      - All zones by default. With an empty list no zone becomes a host, and zones are not read.
      - A pattern that no zone matches is warned of.
    type: list
    elements: str
"""

EXAMPLES = r"""
# edgeops.yml: all accounts and zones of the token in the environment variable CLOUDFLARE_API_TOKEN
plugin: edgeops.protection.accounts
---
# production.edgeops.yml: accounts by name, without zones; the token comes from the environment
plugin: edgeops.protection.accounts
api_token: "{{ lookup('ansible.builtin.env', 'EDGE_INVENTORY_TOKEN') }}"
accounts:
  - example-*
zones: []
---
# grouped.edgeops.yml: zones grouped by plan, paused ones in a group of their own, cached 1 hour
plugin: edgeops.protection.accounts
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/edgeops-inventory
cache_timeout: 3600
keyed_groups:
  - key: edge_zone_plan
    prefix: plan
groups:
  pending_zones: edge_zone_status | default('active') != 'active'
  paused_zones: edge_zone_paused | default(false)
"""

from ..plugin_utils import _bytecode  # noqa: F401  # isort: skip  # pylint: disable=unused-import

import os
import time
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from ansible.errors import AnsibleError, AnsibleParserError
from ansible.module_utils.basic import missing_required_lib
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable

from ..module_utils._api.adapters import REQUESTS_IMPORT_ERROR
from ..module_utils._api.connect import connected
from ..module_utils._api.settings import CONNECTION_NUMBERS, Settings, parse_settings
from ..module_utils._concurrency import concurrently
from ..module_utils._errors import LaterPageError, ProtectionError, ServiceError
from ..module_utils._schema.neighbours import ACCOUNTS, ZONES
from ..module_utils._schema.resource import Resource
from ..module_utils._text import Screen
from ..plugin_utils._inventory.hosts import (
    Directory,
    InventoryHost,
    Selection,
    age_of_cache,
    hosts_of,
    longer_names,
)

try:
    from ansible.template import trust_as_template
except ImportError:  # before 2.19, ansible-core templates every text that is not wrapped
    from ansible.utils.unsafe_proxy import wrap_var as as_data

    def trust_as_template(value: str) -> str:
        return value

else:

    def as_data(value: Any) -> Any:
        return value


Lists = dict[str, list[dict[str, Any]]]  # what Cloudflare lists, by "accounts" and "zones"

CREDENTIALS = ("api_token", "api_email", "api_key")
CONNECTION = (*CREDENTIALS, "base_url", *CONNECTION_NUMBERS, "validate_certs", "ca_path")
LOCAL = {
    "ansible_connection": "local",
    "ansible_python_interpreter": trust_as_template("{{ ansible_playbook_python }}"),
}


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):  # type: ignore[misc]
    """Accounts and zones as hosts."""

    NAME = "edgeops.protection.accounts"

    def verify_file(self, path: str) -> bool:
        """True if the file is one of this plugin's by its name: edgeops.yml or *.edgeops.yml."""
        stem, extension = os.path.splitext(os.path.basename(path))
        has_name = stem == "edgeops" or stem.endswith(".edgeops")
        return super().verify_file(path) and has_name and extension in (".yml", ".yaml")

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Read the directory, or take it from the cache, and add its hosts to the inventory."""
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        directory = Directory(**self._cached_lists(path, cache))
        selection = Selection(self.get_option("accounts"), self.get_option("zones"))
        try:
            hosts = hosts_of(directory, selection)
        except ValueError as exc:
            raise AnsibleParserError(f"{self.NAME}: {exc}. Check base_url.") from None
        self._warn(directory, selection, hosts)
        for host in hosts:
            self._add(host)

    def _warn(
        self, directory: Directory, selection: Selection, hosts: Sequence[InventoryHost]
    ) -> None:
        """Warn of what the inventory lacks, and say why."""
        if directory.accounts_of_zones and not directory.accounts and selection.accounts != []:
            self.display.warning(
                "The token sees no accounts, since it lacks the permission Account Settings Read"
                " (account). The inventory takes the accounts that its zones name; accounts without"
                " zones are missing."
            )
        host_names = {host.name for host in hosts}
        for name, text in longer_names(directory.zones).items():
            if name in host_names:
                self.display.warning(text)
        unmatched = selection.unmatched(directory)
        if unmatched:
            self.display.warning(
                f"No account or zone that the token sees matches {', '.join(unmatched)}."
            )
        if not hosts:
            self.display.warning(
                "The inventory has no hosts: the token sees no account and no zone that the options"
                " accounts and zones select. It needs the permissions Account Settings Read"
                " (account) and Zone Read (zone)."
            )

    def _cached_lists(self, path: str, cache: bool) -> Lists:
        """The lists by the names of their options: from the cache where it holds them, or else from
        Cloudflare."""
        self.load_cache_plugin()
        key = self.get_cache_key(path)
        settings = self._settings()
        needed = [
            resource for resource in (ACCOUNTS, ZONES) if self.get_option(resource.plural) != []
        ]
        is_enabled = self.get_option("cache")
        if is_enabled and cache and key in self._cache:
            cached: Mapping[str, Any] = self._cache[key]
            names = [resource.plural for resource in needed]
            is_complete = all(name in cached["lists"] for name in names)
            has_age = "read_at" in cached
            if is_complete and has_age and cached.get("reader") == settings.credentials_hash:
                for sentence in age_of_cache(cached["read_at"], time.time()):
                    self.display.warning(sentence)
                return {name: cached["lists"][name] for name in names}
        read_at = time.time()
        lists = self._read_lists(needed, settings)
        if is_enabled:
            self._cache[key] = {
                "reader": settings.credentials_hash,
                "read_at": read_at,
                "lists": lists,
            }
        return lists

    def _settings(self) -> Settings:
        """The base URL and the credentials, which may be templates."""
        options = {name: self.get_option(name) for name in CONNECTION}
        for name in CREDENTIALS:
            if options[name] is not None:
                options[name] = str(self.templar.template(options[name]))
        try:
            return parse_settings(options, (), os.environ, self.display.warning)
        except ProtectionError as exc:
            raise AnsibleParserError(f"{self.NAME}: {exc.message}") from None

    def _read_lists(self, resources: Sequence[Resource], settings: Settings) -> Lists:
        """The accounts and zones that the credentials see."""
        if REQUESTS_IMPORT_ERROR:
            raise AnsibleError(f"{self.NAME}: {missing_required_lib('requests')}")
        try:
            screen = Screen(
                partial(self.display.display, stderr=True), lambda _subject: True, self.NAME
            )
            with connected(settings, self.display.warning, screen) as client:

                def read(resource: Resource) -> list[dict[str, Any]]:
                    try:
                        return [dict(obj) for obj in client.read(resource)]
                    except LaterPageError:
                        raise  # the token sees the list, and a part of it is not the whole
                    except ServiceError as exc:
                        zones_name_it = resource is ACCOUNTS and ZONES in resources
                        if zones_name_it and exc.status == HTTPStatus.FORBIDDEN:
                            return []
                        raise

                names = [resource.plural for resource in resources]
                return dict(zip(names, concurrently(read, resources)))
        except ProtectionError as exc:
            raise AnsibleParserError(f"{self.NAME}: {exc.message}") from None

    def _add(self, host: InventoryHost) -> None:
        for group in filter(None, (host.group, host.parent_group)):
            group_name = self.inventory.add_group(group)
            self.inventory.add_host(host.name, group=group_name)
        variables = dict(LOCAL)
        for name, value in host.variables.items():
            variables[name] = as_data(value)
        for name, value in variables.items():
            self.inventory.set_variable(host.name, name, value)
        strict = self.get_option("strict")
        for option, construct in (
            ("compose", self._set_composite_vars),
            ("groups", self._add_host_to_composed_groups),
            ("keyed_groups", self._add_host_to_keyed_groups),
        ):
            construct(self.get_option(option), variables, host.name, strict=strict)
