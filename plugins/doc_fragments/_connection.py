# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
requirements:
  - python >= 3.8
  - requests >= 2.25
notes:
  - A play sets the credentials and the ids once with C(module_defaults) for the group
    C(group/edgeops.protection.all). The examples of this collection omit them.
options:
  api_token:
    description: The API token, by default E(CLOUDFLARE_API_TOKEN).
    type: str
  api_email:
    description: The e-mail address of O(api_key), by default E(CLOUDFLARE_EMAIL).
    type: str
  api_key:
    description: The Global API Key, instead of O(api_token), by default E(CLOUDFLARE_API_KEY).
    type: str
  base_url:
    description: The base URL of the API, by default E(CLOUDFLARE_BASE_URL).
    type: str
    default: https://api.cloudflare.com/client/v4
  timeout:
    description: The seconds that one request may take, the whole response included.
    type: float
    default: 30.0
  retries:
    description: How often the module repeats one request after a transient error.
    type: int
    default: 4
  max_wait:
    description: The seconds that the module waits in total before it repeats requests.
    type: float
    default: 60.0
  call_budget:
    description: How many calls these credentials make in any 300 seconds; V(0) is no limit.
    type: int
    default: 1200
    version_added: 1.0.0
  validate_certs:
    description: Whether the module checks the server's certificate.
    type: bool
    default: true
  ca_path:
    description: A file or directory of CA certificates to trust instead of the default ones.
    type: path
seealso:
  - name: Credentials and connection
    description: The options that all modules share, and the environment.
    link: https://github.com/edgeops/ansible-protection/blob/main/docs/credentials.md
  - name: Retries and waits
    description: What O(timeout), O(retries), O(max_wait) and O(call_budget) limit.
    link: https://github.com/edgeops/ansible-protection/blob/main/docs/errors.md#retries-and-waits
"""
