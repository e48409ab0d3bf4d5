# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
requirements:
  - requests >= 2.25
notes:
  - Credentials that an option gives beat the environment as a whole. A token from an option never travels with a
    key from the environment.
  - Redirects are not followed, and C(.netrc) is not read.
options:
  api_token:
    description:
      - The API token. Advanced TCP Protection needs one, with the permission C(DDoS Protection Write), or
        C(DDoS Protection Read) for reading.
      - Firewall rules need the permission C(Firewall Services Write), or C(Firewall Services Read) for reading.
      - If no credentials are given at all, the environment variable E(CLOUDFLARE_API_TOKEN) is used.
    type: str
  api_email:
    description:
      - The e-mail address of the user whose O(api_key) it is.
      - If no credentials are given at all, the environment variable E(CLOUDFLARE_EMAIL) is used.
    type: str
  api_key:
    description:
      - The API key of the user with O(api_email), instead of O(api_token).
      - If no credentials are given at all, the environment variable E(CLOUDFLARE_API_KEY) is used.
    type: str
  base_url:
    description:
      - Where the service is. It must be C(https), except on this machine's own loopback addresses.
      - If not given, the environment variable E(CLOUDFLARE_BASE_URL) is used.
    type: str
    default: https://api.cloudflare.com/client/v4
  timeout:
    description: The seconds that one request may take as a whole.
    type: float
    default: 30.0
  retries:
    description:
      - How often one request is repeated after it failed for a passing reason.
      - A request that creates something is repeated only where it surely was not carried out.
    type: int
    default: 4
  max_wait:
    description:
      - The seconds that the module waits in all before it repeats requests, above all for a rate limit.
      - When the service asks for a longer wait, the task fails at once and says how long.
    type: float
    default: 60.0
  validate_certs:
    description: Whether the service's certificate is checked.
    type: bool
    default: true
  ca_path:
    description: A file or directory of CA certificates to trust instead of the default ones.
    type: path
"""
