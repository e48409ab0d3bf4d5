# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installs the pip that ansible-test asks for, from the package index, in place of its own get-pip."""

import shutil
import subprocess
import sys

packages = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
uv = shutil.which("uv")
if uv:
    install = [uv, "pip", "install", "--quiet", "--system-certs", "--python", sys.executable]
    if subprocess.call([*install, *packages]) == 0:
        sys.exit(0)
subprocess.check_call([sys.executable, "-m", "ensurepip", "--default-pip"])
subprocess.check_call([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
