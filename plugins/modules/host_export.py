#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_export
short_description: Write what an account and its zone hold as variables (internal)
version_added: 1.0.0
description:
  - The action of the role C(edgeops.protection.export), which has a variable for each option. It
    reads the account and the zone of a host, and writes O(directory)/HOST/protection.yml, and
    O(directory)/.protection.schema.json, the schema of the variables, which the file names for editors.
  - It refuses to overwrite a file that people have edited, unless O(overwrite=true).
options:
  account_id:
    description: The account, by its id. Empty for a zone alone.
    type: str
  zone_id:
    description: The zone, by its id. Empty for an account alone.
    type: str
  zone_name:
    description: The zone, by its domain, if there is no O(zone_id).
    type: str
  api_token:
    description: The API token. If omitted, the environment of the control node counts.
    type: str
  api_email:
    description: The e-mail address of the user whose API key it is.
    type: str
  api_key:
    description: The API key, instead of a token. It reads zones only.
    type: str
  base_url:
    description: The URL of the Cloudflare API.
    type: str
  timeout:
    description: The seconds that one request may take as a whole.
    type: float
  retries:
    description: How often one request is repeated after it failed for a passing reason.
    type: int
  max_wait:
    description: The seconds that the reading of each part waits in all before it repeats requests.
    type: float
  call_budget:
    description: How many calls these credentials make at most in O(call_budget_period).
    type: int
  call_budget_period:
    description: The seconds in which O(call_budget) calls are made.
    type: float
  validate_certs:
    description: Whether Cloudflare's certificate is checked.
    type: bool
  ca_path:
    description: A file or directory of CA certificates to trust.
    type: path
  directory:
    description: The directory of the files, with a folder for each host. A relative one is below the working
      directory of the process.
    type: str
    default: host_vars
  purge:
    description: Whether the lists in the file are exclusive.
    type: bool
    default: false
  overwrite:
    description: Whether a file that people have edited is overwritten.
    type: bool
    default: false
  firewall_rules:
    description: Whether the file describes the zone's firewall rules as well.
    type: bool
    default: false
  dns_rules:
    description: Whether the file describes the rules of Advanced DNS Protection as well.
    type: bool
    default: false
  network_firewall_rules:
    description: Whether the file describes the Network Firewall rules of the account as well.
    type: bool
    default: false
  ddos_overrides:
    description: Whether the file describes the overrides of managed DDoS rules as well.
    type: bool
    default: false
  security_level:
    description: Whether the file describes the security level of the zone as well.
    type: bool
    default: false
author:
  - The edgeops.protection authors (@edgeops)
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  async:
    description: Supports C(async).
    support: none
  check_mode:
    description: Supports check mode, which returns the same changes as the run that follows and
      makes none of them.
    support: full
  diff_mode:
    description: Returns the text of the file before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing, unless somebody else made a
      change in between.
    support: full
seealso:
  - module: edgeops.protection.host_baseline
  - module: edgeops.protection.protection_info
  - module: edgeops.protection.custom_rules_info
"""

EXAMPLES = r"""
- name: Write the account and the zone as variables
  edgeops.protection.host_export:
    account_id: "{{ edge_account_id }}"
    api_token: "{{ edge_api_token }}"
    directory: exported
"""

RETURN = r"""
path:
  description: The path of the file.
  returned: success
  type: str
  sample: /srv/edge/exported/frankfurt/protection.yml
diff:
  description: The text of the file before and after.
  returned: success
  type: dict
"""
