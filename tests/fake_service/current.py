# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service that the call at hand is for: all services of a process share one Flask application."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import request
from werkzeug.local import LocalProxy

if TYPE_CHECKING:
    from .service import Service

SERVICE = "edgeops.service"

service = cast("Service", LocalProxy(lambda: request.environ[SERVICE]))
