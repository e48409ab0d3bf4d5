# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the measurements ran on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path


def described() -> dict[str, str]:
    """The machine and the programs, by what they are called on the page."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "ansible-core": version("ansible-core"),
        "requests": version("requests"),
        "vendor's SDK": version("cloudflare"),
        "load before the first run": f"{os.getloadavg()[0]:.1f}",
    }


def processor() -> str:
    """As the system calls it, or else just the architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
