# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The local service and the modules that talk to it, as in the functional tests."""

from tests.functional.conftest import modules, running_service, service

__all__ = ["modules", "running_service", "service"]
