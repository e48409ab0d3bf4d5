# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sentences for people: names in a row, counts, capitals and full stops, and text of others within
them; and messages that know which options they name, so that a role's message names its variables.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from string import Formatter
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence, Tuple, Union

MAX_NAMES = 5  # so many are named in a sentence; the others are counted
MAX_EXCERPT = 120  # characters
# Control characters, marks and overrides of the direction, invisible characters, line separators,
# tags, surrogates.
INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# The path of a call, such as `GET accounts/ID/rulesets/phases/NAME/entrypoint`, of which the middle
# says the least.
PATH_OF_CALL = re.compile(r"\b((?:GET|POST|PUT|PATCH|DELETE) [\w.-]+)/\S+/([\w.-]+)")
MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")  # of GitHub's and GitLab's Markdown
OptionStep = Union[str, int]  # the name of an option or of a suboption, or a position in a list
# By option, the variable from which a role fills it; empty if the role has no such variable.
Names = Mapping[str, str]
Warn = Callable[[str], None]  # shows a warning
Reword = Callable[[str], str]  # a text in other words, such as one without secrets
OWN_NAMES: Names = {}  # in the messages of a module, an option has its own name


class Unread(ValueError):
    """A text or value that cannot be understood: an expression, a value that it needs, a body, or
    an answer of the analytics.

    `reasons` are the reasons. `at` is the position in an expression that they concern, counted from
    0; None for all of it. If it is not `malformed`, it may have a form that is only unknown here.
    """

    def __init__(self, *reasons: str, at: Any = None, malformed: bool = True) -> None:
        super().__init__(*reasons)
        self.reasons = reasons
        self.at = at
        self.malformed = malformed

    @property
    def reason(self) -> str:
        """The first reason."""
        return self.reasons[0]


class Option(Tuple[OptionStep, ...]):
    """An option by its path: `Option("rules", 2, "position")` is the position of the third rule."""

    __slots__ = ()  # a long list of options has one for each entry

    def __new__(cls, *path: OptionStep) -> Option:
        return super().__new__(cls, path)

    @property
    def path(self) -> Sequence[OptionStep]:
        """The steps to the option."""
        return self

    def at(self, *steps: OptionStep) -> Option:
        """The option that these further steps lead to, from this one."""
        return super().__new__(Option, self + steps)

    @property
    def entry(self) -> str:
        """The entry of a list in which the option lies: `rules[2]`."""
        return _written_path(self.path[:2])

    def __str__(self) -> str:
        return self.name(OWN_NAMES)

    def lies_in(self, place: Option) -> bool:
        """Return whether this option is the given one, or lies within it."""
        return tuple(self[: len(place)]) == tuple(place)

    def renamed(self, names: Names) -> Option:
        """The option in a task that has other names for its options."""
        return Option(*_renamed_path(self.path, names))

    def reworded(self, reword: Reword) -> Option:
        """The option whose names are reworded."""
        return Option(*(reword(step) if isinstance(step, str) else step for step in self.path))

    def name(self, names: Names) -> str:
        """The option as a message names it: `rules[2].position`, `baseline_rules[2].position`."""
        path = self.path
        if self.entry in names:  # of another list
            return _written_path([names[self.entry], *path[2:]])
        return _written_path(_renamed_path(path, names))


def _renamed_path(path: Sequence[OptionStep], names: Names) -> Sequence[OptionStep]:
    """The path with the first step renamed as in the task."""
    if not path:
        return path
    option = path[0]
    return [names.get(str(option), option), *path[1:]]


def _written_path(path: Sequence[OptionStep]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".")


Move = Callable[[Option], Option]  # the option that stands for another one


class Advice(NamedTuple):
    """A part of a message that advises an option; a role without this option leaves it out."""

    before: str
    option: Option
    after: str = ""

    def name(self, names: Names) -> str:
        """The advice with the option as a message names it."""
        name = self.option.name(names)
        return f"{self.before}{name}{self.after}" if name else ""


MessagePart = Union[str, Option, Advice]


class Message(str):
    """A text that is made of texts, options and advice; as a plain text, it has the names that
    options have in a module.

    Messages within it stay messages. An f-string or a method of str makes a plain text of a
    message, in which options cannot be renamed any more.
    """

    parts: Sequence[MessagePart]

    def __new__(cls, *parts: MessagePart) -> Message:
        flat: list[MessagePart] = []
        for part in parts:
            if isinstance(part, Message):
                flat += part.parts
            else:
                flat.append(part)
        message = super().__new__(cls, _message_with_names(flat, OWN_NAMES))
        message.parts = tuple(flat)
        return message

    def __add__(self, suffix: str) -> Message:
        return Message(self, suffix)

    def __radd__(self, prefix: str) -> Message:
        return Message(prefix, self)

    def with_names(self, names: Names) -> str:
        """The text with these names of the options."""
        return _message_with_names(self.parts, names)

    def renamed(self, names: Names) -> Message:
        """The message in a task that has other names for its options."""
        return self.moved(lambda option: option.renamed(names))

    def moved(self, move: Move) -> Message:
        """The message about other options, which `move` returns for those in it."""
        return Message(*(_moved_part(part, move) for part in self.parts))

    def reworded(self, reword: Reword) -> Message:
        """The message with its texts changed by `reword`; an option in it stays an option."""
        parts: list[MessagePart] = []
        for part in self.parts:
            if isinstance(part, Advice):
                parts.append(part)
            elif isinstance(part, Option):
                parts.append(part.reworded(reword))
            else:
                parts.append(reword(part))
        return Message(*parts)


def _moved_part(part: MessagePart, move: Move) -> MessagePart:
    if isinstance(part, Advice):
        return part._replace(option=move(part.option))
    return move(part) if isinstance(part, Option) else part


def _message_with_names(parts: Iterable[MessagePart], names: Names) -> str:
    texts: list[str] = []
    for part in parts:
        texts.append(part if isinstance(part, str) else part.name(names))
    return "".join(texts)


def worded(template: str, **values: Any) -> Message:
    """A message from a template for `str.format`; `{timeout}` stands for the option of that name,
    unless `timeout` is among the values."""
    parts: list[MessagePart] = []
    for text, name, form, _conversion in Formatter().parse(template):
        parts.append(text)
        if name:
            value = values.get(name, Option(name))
            is_part = isinstance(value, (str, Option))
            parts.append(value if is_part else format(value, form or ""))
    return Message(*parts)


def joined(separator: str, texts: Iterable[str]) -> Message:
    """One message of several, as `str.join` makes one text."""
    parts: list[str] = []
    for text in texts:
        if parts:
            parts.append(separator)
        parts.append(text)
    return Message(*parts)


def with_names(text: str, names: Names) -> str:
    """A message with these names of the options; a plain text names none, and stays as it is."""
    return text.with_names(names) if isinstance(text, Message) else text


def first_few(names: Iterable[str], most: int = MAX_NAMES) -> str:
    """The first names in a row, and how many more there are: `a, b and 2 more`."""
    listed = list(names)
    shown = ", ".join(listed[:most])
    return f"{shown} {left_out(len(listed), most)}".rstrip()


def first_joined(texts: Sequence[str], separator: str, most: int) -> str:
    """The first texts and how many more there are, joined by this separator."""
    shown = [*texts[:most], left_out(len(texts), most)]
    return separator.join(filter(None, shown))


def first_sentences(
    sentences: Sequence[str], most: int = MAX_NAMES, singular: str = "", many: str = ""
) -> str:
    """The first sentences in a row, and how many more there are: `A. B. And 2 more hosts.`"""
    shown = list(sentences[:most])
    uncounted = left_out(len(sentences), most, singular, many)
    if uncounted:
        shown.append(sentence(uncounted))
    return " ".join(shown)


def left_out(number: int, most: int, singular: str = "", many: str = "") -> str:
    """The number of things beyond the first `most`, in words: `and 1 more host`; empty if there are
    none."""
    if number <= most:
        return ""
    counted = plural(number - most, f"more {singular}", f"more {many}")
    return f"and {counted}".rstrip()


def plural(number: int, singular: str, many: str) -> str:
    """A number with its noun: `1 address`, `2 addresses`."""
    noun = singular if number == 1 else many
    return f"{number} {noun}"


def capitalised(text: str) -> str:
    """A text with a capital as its first letter; an option at its beginning keeps its name."""
    if not isinstance(text, Message):
        return text[:1].upper() + text[1:]
    if text.parts and isinstance(text.parts[0], str):
        return Message(capitalised(text.parts[0]), *text.parts[1:])
    return text


def sentence(text: str) -> str:
    """A text with a capital at its beginning and a full stop at its end."""
    return capitalised(text) + "."


def excerpt(text: str, most: int = MAX_EXCERPT) -> str:
    """The first words of a text, and the number of the other characters, unless that is longer than
    these: `abc... (170 more characters)`. A long word is cut. In a text that is too long, the paths
    of calls are shortened first, since what is said of a call stands behind its path."""
    if len(text) > most:
        text = PATH_OF_CALL.sub(r"\1/.../\2", text)
    length = len(text)
    remark = f"... ({length - most} more characters)"
    if length <= most + len(remark):
        return text
    shown = text[:most]
    is_within_word = not text[most].isspace()
    if is_within_word and " " in shown[most // 2 :]:
        shown = shown.rpartition(" ")[0]
    return f"{shown}... ({length - len(shown)} more characters)"


def closest(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """The nearest of some names; empty if none is near."""
    matches = get_close_matches(name, list(names), n=1, cutoff=cutoff)
    return matches[0] if matches else ""


def did_you_mean(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """A question with the nearest of some names, in brackets; empty if none is near."""
    close = closest(name, names, cutoff)
    return f" (did you mean {close}?)" if close else ""


def visible(text: str) -> str:
    """A text with those characters escaped that control a terminal, or the direction of text."""
    return INVISIBLE.sub(_escaped, text)


def quoted(text: str) -> str:
    """An excerpt of a text in quotes, without invisible characters."""
    return f"'{excerpt(visible(text))}'"


def _escaped(character: re.Match[str]) -> str:
    return character.group().encode("unicode_escape").decode("ascii")


def as_markdown(text: str) -> str:
    """A text as Markdown that shows it literally: without markup, mentions and line breaks."""
    return MARKUP.sub(r"\\\1", visible(text)).replace("@", "@<!-- -->")


def markdown_row(cells: Iterable[str]) -> str:
    """A row of a table in Markdown."""
    return "| " + " | ".join(cells) + " |"


class Screen(NamedTuple):
    """A screen on which a task shows lines before it ends.

    `show` shows a line at once. `is_first` returns True for the first task of a run that calls it
    with a subject, for lines that a run shows once. `title` names the task.
    """

    show: Callable[[str], None]
    is_first: Callable[[str], bool]
    title: str


# As ansible-core writes it, which hides the values of options itself.
HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


def redact(value: Any, secrets: Sequence[str], names: bool = True) -> Any:
    """The value without secrets, in case that Cloudflare repeated one; ansible-core 2.22 leaves
    them in results.

    Without `names`, the keys of dictionaries stay, as they do in the options that ansible-core
    shows.
    """
    return ReadableTexts(lambda text: redact_text(text, secrets), names).read(value)


MOST_READABLE_NAMES = 1000


class ReadableTexts:
    """Makes each text of a value readable, with `names` also the keys of dictionaries. A part that
    is readable already stays the same object, so that memory has a long list once."""

    def __init__(self, readable: Callable[[str], str], names: bool = True) -> None:
        self._readable = readable
        self._names = names
        self._readable_names: set[tuple[Any, ...]] = set()  # those of a dictionary together

    def read(self, value: Any) -> Any:
        """The value with readable texts."""
        if isinstance(value, str):
            return self._readable(value)
        if isinstance(value, dict):
            return self._read_dict(value)
        if isinstance(value, (list, tuple)):
            readable = [self.read(member) for member in value]
            return value if readable == value else readable
        if isinstance(value, Mapping):
            return self._read_dict(dict(value))
        return value

    def _read_dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        changed = {}
        for key, member in value.items():
            if not member:
                continue
            readable = self._readable(member) if isinstance(member, str) else self.read(member)
            if readable is not member and readable != member:
                changed[key] = readable
        renamed = self._renamed(tuple(value)) if self._names else {}
        if not changed and not renamed:
            return value
        return {renamed.get(key, key): changed.get(key, value[key]) for key in value}

    def _renamed(self, names: tuple[Any, ...]) -> dict[str, str]:
        """The readable texts of the keys of a dictionary that are not readable, by these keys."""
        if names in self._readable_names:
            return {}
        renamed: dict[str, str] = {}
        for name in names:
            readable = self._readable(name) if isinstance(name, str) else name
            if readable != name:
                renamed[name] = readable
        if not renamed and len(names) + len(self._readable_names) < MOST_READABLE_NAMES:
            self._readable_names.add(names)
        return renamed


def redact_text(text: str, secrets: Sequence[str]) -> str:
    """A text with the secrets replaced."""
    if text in secrets:
        return HIDDEN
    for secret in secrets:
        text = text.replace(secret, "********")
    return text
