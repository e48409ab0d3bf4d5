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
    M(edgeops.protection.tcp_protection_status) shows such a play.
  - Credentials in options replace those of the environment as a whole. A token from an option never
    travels with a key from the environment.
  - The module follows no redirects and reads no C(.netrc) file.
options:
  api_token:
    description:
      - The API token. Advanced TCP Protection and Advanced DNS Protection need the permission
        C(DDoS Protection Write), or C(DDoS Protection Read) for reading. Only API tokens have it.
      - Firewall rules need the permission C(Firewall Services Write), or C(Firewall Services Read)
        for reading. Custom rules need C(Zone WAF Write), or C(Zone WAF Read) for reading. C(Zone
        Read) is needed for C(zone_name). The description of each other module names its permission,
        such as C(Account Filter Lists Edit) for lists.
      - If no credentials are given at all, the module uses the environment variable
        E(CLOUDFLARE_API_TOKEN).
    type: str
  api_email:
    description:
      - The e-mail address of the user that O(api_key) belongs to.
      - If no credentials are given at all, the module uses the environment variable
        E(CLOUDFLARE_EMAIL).
    type: str
  api_key:
    description:
      - The Global API Key of the user with O(api_email), instead of O(api_token). Advanced TCP
        Protection does not accept it.
      - If no credentials are given at all, the module uses the environment variable
        E(CLOUDFLARE_API_KEY).
    type: str
  base_url:
    description:
      - The base URL of the API. It must be C(https), except for loopback addresses of this machine.
      - If omitted, the module uses the environment variable E(CLOUDFLARE_BASE_URL).
    type: str
    default: https://api.cloudflare.com/client/v4
  timeout:
    description: The seconds that one request may take, the whole response included.
    type: float
    default: 30.0
  retries:
    description:
      - How often the module repeats one request after a transient error.
      - The module repeats a request that creates something only if it was certainly not applied.
    type: int
    default: 4
  max_wait:
    description:
      - The seconds that the module waits in total before it repeats requests, for example for a
        rate limit.
      - If Cloudflare asks for a longer wait, the task fails at once and says how long.
      - Failed attempts and waits of one task take at most (O(retries) + 1) * O(timeout) +
        O(max_wait) seconds together. A host that a playbook handles together with others loses at
        most O(max_wait), or one O(timeout) if that is longer; then it counts as not reached.
    type: float
    default: 60.0
  call_budget:
    description:
      - How many calls these credentials make at most in any 300 seconds, whatever the number of
        tasks, forks and runs of this user on this control node. C(0) switches the budget off.
      - Calls beyond it wait for their turn. This does not count against O(max_wait) and O(timeout).
        A run that makes fewer calls never waits.
      - If Cloudflare says that fewer calls are left, because others use the credentials too, then
        so many are made.
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
"""
