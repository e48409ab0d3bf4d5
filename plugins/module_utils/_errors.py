# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors, in words that the person at the keyboard can act on."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Mapping, Sequence, TypedDict, TypeVar

from ._text import OWN_NAMES, Message, Move, Names, Option, Reword, Unread, joined, left_out

# The vendor documents no code for a create that comes too late; some of its interfaces say it so,
# with HTTP 400.
ALREADY_EXISTS = re.compile(
    r"already[ _]exists?\b|\bexists[ _]already\b|\bduplicate\b|\bduplicate[ _]of\b", re.IGNORECASE
)
ID_OF_ONE = re.compile(r"/[0-9]+/id$")  # points to the id of an object in a list that was sent

MAX_ERRORS = 50  # that one message tells
# The file and line of an option's value, such as `host_vars/berlin.yml:7`; empty if not known.
OptionPlace = Callable[[Option], str]
PLACE = "place"  # of a mistake, in a failed result
Extended = TypeVar("Extended", bound="ProtectionError")


class PlainErrorItem(TypedDict):
    """One error of Cloudflare's envelope; `pointer` is a JSON pointer into the request's body."""

    code: int | None
    message: str
    pointer: str | None


class ErrorItem(PlainErrorItem, total=False):
    """One error of Cloudflare's envelope, with the address of its page if Cloudflare names one."""

    documentation_url: str


class ErrorDetails(TypedDict):
    """The `error` of a failed result: the request, the HTTP status (None: no answer) and what
    Cloudflare said."""

    method: str
    path: str
    status: int | None
    errors: list[ErrorItem]
    ray: str | None


class ProtectionError(Exception):
    """Ends a module call with one message; `details` become part of the failed result."""

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = dict(details or {})

    def __str__(self) -> str:
        return str(self.message)

    def extended(self: Extended, sentence: str = "", **details: Any) -> Extended:
        """A copy of this error with one more sentence and more details; raise it from this
        error."""
        message = joined(" ", [self.message, sentence]) if sentence else self.message
        extended = type(self).__new__(type(self), message)  # each class has arguments of its own
        extended.__dict__.update(self.__dict__)
        extended.message = message
        extended.details = {**self.details, **details}
        return extended


NOTHING_CHANGED = "Nothing was changed."  # the last sentence of a refusal
REFUSAL = "refusal"  # in a failed result of a role, which its action takes out


class Refusal(TypedDict):
    """The reason, in sentences, why a plan was not applied; with `lacks_acceptances`, only risks
    are the reason. If it `refuses_risks`, risks are among the reasons."""

    reason: str
    lacks_acceptances: bool
    refuses_risks: bool


class OptionError(ProtectionError):
    """An error that an option is wrong; raised before any request. Without an option, the problem
    is a whole sentence; `place` is the file and line of the option's value, see OptionPlace.
    """

    def __init__(self, option: Option, problem: str, place: str = "") -> None:
        self.option = option
        self.problem = problem
        self.place = place
        suffix = f" ({place})" if place else ""
        super().__init__(Message(self.text, suffix), {PLACE: place} if place else {})

    @property
    def text(self) -> str:
        """The message without the place."""
        return Message(self.option, ": ", self.problem) if self.option else self.problem

    @property
    def errors(self) -> Sequence[OptionError]:
        """Every error in the options that this one reports."""
        return [self]

    def renamed(self, names: Names) -> OptionError:
        """The error with the `names` that the options have in another task."""
        return self.moved(lambda option: option.renamed(names))

    def moved(self, move: Move) -> OptionError:
        """The error about another option: the one that `move` returns for the option of this
        error.
        """
        option = move(self.option) if self.option else self.option
        return OptionError(option, Message(self.problem).moved(move), self.place)

    def reworded(self, reword: Reword) -> OptionError:
        """The error with its texts changed by `reword`, including its place."""
        problem = Message(self.problem).reworded(reword)
        return OptionError(self.option.reworded(reword), problem, reword(self.place))

    def placed(self, place: OptionPlace) -> OptionError:
        """The same errors, each with the place of its option, as far as it is known."""
        placed: list[OptionError] = []
        for error in self.errors:
            placed_at = place(error.option) or error.place
            placed.append(OptionError(error.option, error.problem, placed_at))
        return as_one(placed)


def numbered_errors(messages: Sequence[str]) -> str:
    """One message with the messages of several errors, numbered; there must be at least one."""
    count = len(messages)
    if count == 1:
        return messages[0]
    texts: list[str] = []
    for number, message in enumerate(messages[:MAX_ERRORS], 1):
        texts.append(Message(f"({number}) ", message))
    if count > MAX_ERRORS:
        texts.append(left_out(count, MAX_ERRORS))
    return Message(f"{count} errors: ", joined("; ", texts))


class OptionErrors(OptionError):
    """An error that several options are wrong; all of them are reported at once."""

    def __init__(self, errors: Sequence[OptionError]) -> None:
        places = [error.place for error in errors if error.place]
        super().__init__(errors[0].option, errors[0].problem, *places[:1])
        self._errors = errors
        self.message = numbered_errors([error.message for error in errors])

    @property
    def errors(self) -> Sequence[OptionError]:
        """Every error in the options that this one reports."""
        return self._errors


def as_one(errors: Sequence[OptionError]) -> OptionError:
    """One error that reports several, each once; there must be at least one."""
    by_message = {error.message: error for error in errors}
    distinct = list(by_message.values())
    return distinct[0] if len(distinct) == 1 else OptionErrors(distinct)


Parsed = TypeVar("Parsed")


def parsed(option: Option, parse: Callable[[Any], Parsed], value: Any) -> Parsed:
    """The value of an option, as `parse` reads it; raises OptionError for its ValueError."""
    try:
        return parse(value)
    except ValueError as exc:
        raise OptionError(option, str(exc)) from exc


class OptionProblems:
    """Collects the errors of several options, so that one failure reports all of them."""

    def __init__(self, names: Names = OWN_NAMES) -> None:
        self.errors: list[OptionError] = []
        self._names = names  # of the options in the task that reports the errors

    def collected(self) -> OptionProblems:
        """A context manager that keeps an OptionError raised inside it; the program continues after
        it.
        """
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, OptionError):
            return False
        self.add(error)
        return True

    def add(self, error: OptionError) -> None:
        """Keep an error. In a long loop, catch the error and call this, instead of entering
        `collected()` each time: that costs nothing while there is no error.
        """
        self.errors += [problem.renamed(self._names) for problem in error.errors]

    def raise_any(self) -> None:
        """Raise the collected errors, if there are any."""
        if self.errors:
            raise as_one(self.errors)


class PlanError(ProtectionError):
    """The options are well formed, but no plan leads from the existing state to them; nothing was
    written. If it `lacks_acceptances`, only its risks are the reason; if it `refuses_risks`, they
    are among the reasons."""

    lacks_acceptances = False
    refuses_risks = False

    def unchanged(self, is_role: bool) -> PlanError:
        """This error with the sentence that nothing was changed. For a role, the details also have
        the reason without that sentence, since the role inserts sentences in between."""
        refusal = Refusal(
            reason=self.message,
            lacks_acceptances=self.lacks_acceptances,
            refuses_risks=self.refuses_risks,
        )
        return self.extended(NOTHING_CHANGED, **({REFUSAL: refusal} if is_role else {}))

    def joined(self, errors: Sequence[PlanError]) -> PlanError:
        """One error that reports this error and the other `errors` of the same plan."""
        if not errors:
            return self
        sentences = dict.fromkeys(error.message for error in (self, *errors))
        return PlanError(joined(" ", sentences), self.details)


class ServiceError(ProtectionError):
    """A call that failed: refused by Cloudflare, answered unreadably, or not answered at all.

    `maybe_applied` says whether Cloudflare may have done what the call asked for all the same.
    """

    def __init__(self, message: str, error: ErrorDetails, maybe_applied: bool) -> None:
        super().__init__(message, {"error": error})
        self.error = error
        self.maybe_applied = maybe_applied

    @property
    def status(self) -> int | None:
        """The HTTP status, or None if there was no answer."""
        return self.error["status"]

    @property
    def answer(self) -> tuple[str, str, int | None, str]:
        """A tuple that is equal for two errors if these are the same answer to the same call."""
        texts: list[str] = []
        for error in self.error["errors"]:
            texts.append(f"{error['code']} {error['message']} {error['pointer']}")
        return (self.error["method"], self.error["path"], self.status, "; ".join(texts))

    @property
    def answer_in_words(self) -> str:
        """The call and its answer in words, without advice; the whole message if there was no
        answer."""
        if self.status is None:
            return self.message.rstrip(".")
        reasons = [f"[{error['code']}] {error['message']}" for error in self.error["errors"]]
        call = f"{self.error['method']} {self.error['path']} was answered with HTTP {self.status}"
        return ": ".join(filter(None, [call, "; ".join(reasons).rstrip(".")]))

    @property
    def needs_reread(self) -> bool:
        """Return whether only another reading can show the result of a change: the answer was lost,
        or another writer was faster.
        """
        return self.maybe_applied or self._already_exists or self._is_gone

    @property
    def _already_exists(self) -> bool:
        """Return whether an object that was to be created exists."""
        if self.status == 400:
            return any(ALREADY_EXISTS.search(error["message"]) for error in self.error["errors"])
        return self.status == 409

    @property
    def _is_gone(self) -> bool:
        """Return whether an object that was to be changed does not exist."""
        if self.error["method"] not in ("PUT", "PATCH", "DELETE"):
            return False
        if self.status == 400:
            pointers = [error["pointer"] or "" for error in self.error["errors"]]
            return any(ID_OF_ONE.search(pointer) for pointer in pointers)
        return self.status == 404

    @property
    def codes(self) -> list[int]:
        """Cloudflare's own error codes, in the order in which it gave them."""
        errors = self.error["errors"]
        return [error["code"] for error in errors if error["code"] is not None]


class StillPending(ServiceError):
    """Cloudflare has not ended an operation in time. It may still end the operation, so reading
    again does not help: a state that is read before the end of the operation is not its outcome.
    """

    needs_reread = False


class OperationFailed(ServiceError):
    """Cloudflare accepted a change, and later reports that the change failed; a part of it may have
    been made, which only reading again shows.
    """

    needs_reread = True


class Overtaken(ServiceError):
    """Cloudflare refused a change of an object in a list, since another writer has changed the list
    after it was read.
    """

    needs_reread = True


class LaterPageError(ServiceError):
    """A page of a listing failed after its first page, so that only a part of the listing is
    known."""

    def __init__(self, number: int, cause: ServiceError) -> None:
        sentence = f"It was page {number} of the listing, and a part is not taken for the whole."
        super().__init__(f"{cause.message} {sentence}", cause.error, cause.maybe_applied)


@contextmanager
def reading(prefix: str) -> Iterator[None]:
    """A context manager that raises Unread, with a sentence that begins with `prefix`, if
    Cloudflare refuses a reading inside it.
    """
    try:
        yield
    except ServiceError as exc:
        raise Unread(Message(prefix, exc.message)) from exc
