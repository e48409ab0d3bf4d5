# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds every request, and every answer of our own, against openapi.yaml."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal, NamedTuple

from flask import Request
from jsonschema.exceptions import ValidationError  # type: ignore[import-untyped]
from jsonschema_path import SchemaPath
from jsonschema_path.accessors import SchemaAccessor
from jsonschema_path.readers import PathReader
from openapi_core import Config, OpenAPI
from openapi_core.contrib.flask import FlaskOpenAPIRequest, FlaskOpenAPIResponse
from openapi_core.validation.request.exceptions import ParameterValidationError, RequestBodyValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from werkzeug.wrappers import Response

from .declared import contract_paths

API = "/client/v4"
METHODS = ("get", "post", "put", "patch", "delete")
DOCUMENT = Path(__file__).with_name("openapi.yaml")
# Any path will do to check the answer to a path that does not exist: all errors have one shape.
ANY_PATH = "/zones/{zone_id}/filters"
CREDENTIALS = ("Authorization", "X-Auth-Email", "X-Auth-Key")
MOST_EXAMINED = 2000  # requests and answers whose problems are kept
# Well-formed values that differ in every answer.
VARYING = re.compile(
    rb'(?<=")(?:(?P<id>[0-9a-f]{32})|(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'
    rb'|(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)))(?=")'
)


Side = Literal["request", "answer"]


class Problem(NamedTuple):
    message: str
    pointer: str | None = None


class Breach(NamedTuple):
    """Something outside the contract: a request that was refused for it, or an answer of the service itself."""

    side: Side
    method: str
    path: str
    problems: tuple[str, ...]


def read(document: Path) -> SchemaPath:
    """The document with its parts, from the folder of the same name, in memory: a reference is then no file to read."""
    root, base_uri = PathReader(document).read()
    root = {**root, "paths": {**root["paths"], **dict(contract_paths())}}
    parts = [PathReader(path).read() for path in sorted(document.with_suffix("").glob("*.yaml"))]
    resources = [(uri, DRAFT202012.create_resource(content)) for content, uri in [(root, base_uri), *parts]]
    resolver = Registry().with_resources(resources).crawl().resolver(base_uri)
    accessor = SchemaAccessor(root, resolver, resolved_cache_maxsize=4096)
    return SchemaPath(accessor, separator="#")


def is_network(value: object) -> bool:
    """Whether a text is an address or a network in CIDR notation; host bits may be set."""
    if not isinstance(value, str):
        return True
    try:
        ip_network(value, strict=False)
    except ValueError:
        return False
    return re.fullmatch(r"[^/]+(/\d+)?", value) is not None


def is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


class Contract:
    """The document, read once for all services of a process."""

    def __init__(self, document: Path = DOCUMENT) -> None:
        self.spec = read(document)
        # That the document itself is valid is a test of its own; checking it at every start would take a second.
        config = Config(spec_validator_cls=None, extra_format_validators={"network": is_network})
        self._openapi = OpenAPI(self.spec, config)
        self._examined: dict[tuple[Any, ...], list[Problem]] = {}

    @classmethod
    @cache
    def shared(cls) -> Contract:
        return cls()

    def operations(self) -> set[tuple[str, str]]:
        """Every (METHOD, path pattern) that the document describes."""
        return {
            (method.upper(), pattern)
            for pattern, item in (self.spec / "paths").str_items()
            for method in METHODS
            if method in item
        }

    def describes(self, request: Request) -> bool:
        return request.method.lower() in self.spec / "paths" / pattern_of(request)

    def request_problems(self, request: Request) -> list[Problem]:
        """What is wrong with a request for one of the operations described."""
        credentials = tuple(name in request.headers for name in CREDENTIALS)
        sent = (request.method, request.full_path, request.content_type, request.get_data())
        subject = ("request", *credentials, *sent)
        return self._once(subject, lambda: self._request_problems(request))

    def answer_problems(self, request: Request, answer: Response) -> list[Problem]:
        """What is wrong with an answer of our own, whatever was asked."""
        asked = (request.method, pattern_of(request) if request.url_rule else None)
        content = VARYING.sub(lambda match: str(match.lastgroup).encode(), answer.get_data())
        subject = ("answer", *asked, answer.status_code, answer.content_type, content)
        return self._once(subject, lambda: self._answer_problems(request, answer))

    def _once(self, subject: tuple[Any, ...], examine: Callable[[], list[Problem]]) -> list[Problem]:
        """Most calls of a test are those of the test before it, and their examination takes longer than the rest."""
        if len(self._examined) > MOST_EXAMINED:
            self._examined.clear()
        if subject not in self._examined:
            self._examined[subject] = examine()
        return list(self._examined[subject])

    def _request_problems(self, request: Request) -> list[Problem]:
        if not is_text(request.get_data()):
            return [Problem("body: it is not text in UTF-8", "")]
        errors = self._openapi.request_validator.iter_errors(FlaskOpenAPIRequest(request))
        flaws = [problem for error in errors for problem in problems_of(error)]
        return list(dict.fromkeys([*flaws, *self._undescribed(request)]))

    def _answer_problems(self, request: Request, answer: Response) -> list[Problem]:
        call = FlaskOpenAPIRequest(request) if request.url_rule and self.describes(request) else Unrouted(request)
        errors = self._openapi.response_validator.iter_errors(call, FlaskOpenAPIResponse(answer))
        return [problem for error in errors for problem in problems_of(error)]

    def _undescribed(self, request: Request) -> Iterator[Problem]:
        pattern, method = pattern_of(request), request.method.lower()
        known = self._query_names(pattern, method)
        yield from (Problem(f"query parameter {name!r} is not known") for name in request.args if name not in known)
        if request.get_data() and "requestBody" not in self.spec / "paths" / pattern / method:
            yield Problem("this operation takes no body")

    def _query_names(self, pattern: str, method: str) -> set[str]:
        operation = self.spec / "paths" / pattern / method
        parameters = operation / "parameters" if "parameters" in operation else ()
        return {(one / "name").read_str() for one in parameters if (one / "in").read_str() == "query"}


class Unrouted(FlaskOpenAPIRequest):
    """A request for what does not exist, seen as one for something that does."""

    @property
    def path_pattern(self) -> str:
        return API + ANY_PATH

    @property
    def method(self) -> str:
        return "get"


def pattern_of(request: Request) -> str:
    return FlaskOpenAPIRequest(request).path_pattern.removeprefix(API)


def problems_of(error: Exception) -> Iterator[Problem]:
    details = getattr(error.__cause__, "schema_errors", None)
    if isinstance(error, ParameterValidationError):
        reasons = [detail.message for detail in details or ()] or [str(error.__cause__ or error)]
        yield from (Problem(f"{error.location} parameter {error.name!r}: {reason}") for reason in reasons)
    elif details is not None:
        yield from schema_problems(details)
    elif isinstance(error, RequestBodyValidationError):
        yield Problem(f"body: {error.__cause__ or error}", "")
    else:
        yield Problem(str(error.__cause__ or error))


def schema_problems(errors: Iterable[ValidationError]) -> Iterator[Problem]:
    for error in errors:
        for part, message in blamed(error):
            pointer = "".join(f"/{escape(step)}" for step in [*error.absolute_path, *part])
            yield Problem(f"body{pointer and ' '}{pointer}: {message}", pointer)


def blamed(error: ValidationError) -> Iterator[tuple[list[str], str]]:
    """The fields that an error is about, as steps below the place where it was found, each with what is wrong with it."""
    if error.validator == "required":
        yield from (([name], "is required") for name in error.validator_value if name not in error.instance)
    elif error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        yield from (([name], "is not a field of this object") for name in error.instance if name not in known)
    elif error.validator == "maxItems":
        yield ([], f"{error.validator_value} items at most, {len(error.instance)} were sent")
    else:
        yield [], error.message


def escape(step: Any) -> str:
    """One step of a JSON pointer, RFC 6901."""
    return str(step).replace("~", "~0").replace("/", "~1")
