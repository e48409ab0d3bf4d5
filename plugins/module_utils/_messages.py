# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Messages that know which options they name, so that a role's message names its variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Mapping, Sequence, Union

Step = Union[str, int]  # the name of an option or of a suboption, or a position in a list
Names = Mapping[str, str]  # by option, the variable from which a role fills it
OWN_NAMES: Names = {}  # in the messages of a module, an option has its own name


@dataclass(frozen=True, init=False)
class Option:
    """An option by its path: `Option("rules", 2, "position")` is the position of the third rule."""

    path: Sequence[Step]

    def __init__(self, *path: Step) -> None:
        object.__setattr__(self, "path", path)

    def at(self, *steps: Step) -> Option:
        """What these steps lead to from this option."""
        return Option(*self.path, *steps)

    def name(self, names: Names) -> str:
        """The option as a message names it: `rules[2].position`, `baseline_rules[2].position`."""
        steps = list(self.path)
        if steps:
            steps[0] = names.get(str(steps[0]), steps[0])
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        return text.lstrip(".")


class Message(str):
    """A text, made of texts and options; as a text, it names the options as a module does.

    Messages within it stay what they are. An f-string or a method of texts makes a plain text of a
    message, which no longer knows its options.
    """

    parts: Sequence[str | Option]

    def __new__(cls, *parts: str | Option) -> Message:
        flat: list[str | Option] = []
        for part in parts:
            flat.extend(part.parts if isinstance(part, Message) else [part])
        message = super().__new__(cls, _text(flat, OWN_NAMES))
        message.parts = tuple(flat)
        return message

    def __add__(self, other: str) -> Message:
        return Message(self, other)

    def __radd__(self, other: str) -> Message:
        return Message(other, self)

    def named(self, names: Names) -> str:
        """The text with these names of the options."""
        return _text(self.parts, names)


def _text(parts: Iterable[str | Option], names: Names) -> str:
    return "".join(part.name(names) if isinstance(part, Option) else part for part in parts)


def joined(separator: str, texts: Iterable[str]) -> Message:
    """One message of several, as `str.join` makes one text."""
    parts: list[str] = []
    for text in texts:
        parts += [separator, text] if parts else [text]
    return Message(*parts)


def with_names(text: str, names: Names) -> str:
    """A message with these names of the options; a plain text names none, and stays as it is."""
    return text.named(names) if isinstance(text, Message) else text
