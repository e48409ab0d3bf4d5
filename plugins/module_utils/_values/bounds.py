# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The bounds of the number or text that an option takes."""

from __future__ import annotations

from typing import Any, Dict, Mapping


class Bounded(Dict[str, Any]):
    """An argument of an argument spec with bounds for its value. A number must be from `low` to
    `high`. A text may have at most `characters_at_most` characters and `bytes_at_most` bytes; it
    must not be empty if `low` is set. None means no bound."""

    def __init__(
        self,
        argument: Mapping[str, Any] | None = None,  # ansible-test makes an empty one
        low: int | None = None,
        high: int | None = None,
        characters_at_most: int | None = None,
        bytes_at_most: int | None = None,
    ) -> None:
        super().__init__(argument or {})
        self.low = low
        self.high = high
        self.characters_at_most = characters_at_most
        self.bytes_at_most = bytes_at_most

    def problem(self, value: Any) -> str:
        """A clause on how a number or text exceeds the bounds; empty if it does not, or is another
        type of value."""
        if isinstance(value, str):
            return self._problem_of_length(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return ""
        is_low = self.low is not None and value < self.low
        is_high = self.high is not None and value > self.high
        if not is_low and not is_high:
            return ""
        if self.high is None:
            return f"{value!r} is not a whole number of {self.low} or more"
        return f"{value!r} is not between {self.low} and {self.high}"

    def _problem_of_length(self, text: str) -> str:
        characters, size = len(text), len(text.encode("utf-8", "surrogatepass"))
        if self.low and not characters:
            return "it is empty"
        if self.characters_at_most is not None and characters > self.characters_at_most:
            return f"it has {characters} characters, and Cloudflare takes {self.characters_at_most}"
        if self.bytes_at_most is not None and size > self.bytes_at_most:
            return f"it has {size} bytes, and Cloudflare takes {self.bytes_at_most}"
        return ""

    @property
    def schema(self) -> dict[str, int]:
        """The bounds under their names in JSON schema. A bound in bytes serves as one in
        characters, since a text never has more characters than bytes."""
        is_text = self.get("type", "str") == "str"
        bounds = {
            "minLength" if is_text else "minimum": self.low,
            "maximum": self.high,
            "maxLength": self.characters_at_most or self.bytes_at_most,
        }
        return {name: bound for name, bound in bounds.items() if bound is not None}
