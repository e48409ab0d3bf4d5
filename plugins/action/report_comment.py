# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action that writes a report into the comment of a merge request."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from ansible.module_utils.urls import open_url
from ansible.plugins.action import ActionBase
from ansible_collections.edgeops.protection.plugins.module_utils._text import excerpt, visible
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.comment import (
    Forge,
    forge_of,
    own_comment,
    with_mark,
)

TIMEOUT = 30  # seconds of a request
ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "file": {"type": "path", "required": True},
    "name": {"type": "str", "default": "report"},
    "number": {"type": "int"},
    "token": {"type": "str", "no_log": True},
}


class ActionModule(ActionBase):  # type: ignore[misc]
    """Writes a comment, or updates the one that an earlier run wrote."""

    _supports_check_mode = True
    _supports_async = False
    TRANSFERS_FILES = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        _validated, options = self.validate_argument_spec(argument_spec=ARGUMENTS)
        try:
            forge = forge_of(os.environ, options["number"], options["token"])
            body = with_mark(Path(options["file"]).read_text(encoding="utf-8"), options["name"])
            return self._write(forge, body, options["name"])
        except (OSError, ValueError, KeyError, TypeError) as exc:
            return {"failed": True, "msg": f"The comment cannot be written: {_reason(exc)}."}

    def _write(self, forge: Forge, body: str, name: str) -> dict[str, Any]:
        """Write the comment if it is missing or has another text."""

        def call(method: str, url: str, content: Any = None) -> Any:
            return _called(forge, method, url, content)

        comment = own_comment(forge, call, name)
        if comment and comment.body.strip() == body.strip():
            return {"changed": False, "url": comment.url}
        if self._task.check_mode:
            return {"changed": True, "url": comment.url if comment else ""}
        url = forge.update(call, comment, body) if comment else forge.create(call, body)
        return {"changed": True, "url": url}


def _called(forge: Forge, method: str, url: str, content: Any) -> Any:
    """The JSON of an answer; raises OSError. The token follows no redirect to another host."""
    headers = {**forge.headers, "Content-Type": "application/json"}
    data = None if content is None else json.dumps(content)
    try:
        answer = open_url(
            url,
            data=data,
            headers=headers,
            method=method,
            timeout=TIMEOUT,
            follow_redirects="none",
            use_netrc=False,
        )
    except HTTPError as exc:
        reason = visible(excerpt(exc.read().decode("utf-8", "replace"), 300))
        raise OSError(
            f"{method} {url} was answered with HTTP {exc.code}: {reason}. The token"
            " needs the permission to write comments of merge requests"
        ) from exc
    return json.loads(answer.read())


def _reason(exc: Exception) -> str:
    if isinstance(exc, (KeyError, TypeError)):
        return "the answer has another shape than expected"
    if isinstance(exc, OSError) and exc.strerror:
        return f"{exc.filename or 'the connection'}: {exc.strerror}"
    return str(exc)
