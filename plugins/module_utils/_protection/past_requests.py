# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Past requests in groups: the fields of the Rules language that analytics and Logpush records
give.

The names of dimensions and columns are the vendor's, from its GraphQL schema and its page "Logpush:
HTTP requests". Nobody here saw their values live: that a value has the form which rules see, and
the differences in form between the two sources, are taken from the vendor's examples. A value of
another form gives no field, so that rules which read it are undecided.
"""

from __future__ import annotations

import gzip
import json
import zlib
from datetime import datetime, timezone
from functools import lru_cache
from io import BufferedReader
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._errors import OptionError, PlanError
from .._expressions.expression import Expression
from .._expressions.grammar import NotKnown
from .._expressions.operands import Fields, FieldValue, NotGiven
from .._text import Message, Option
from .._timestamps import read_timestamp, write_timestamp
from .request import REQUEST_KEY_OF_FIELD, REQUEST_KEYS, request_fields

ANALYTICS, LOGPUSH = "analytics", "Logpush records"


class Origin(NamedTuple):
    """The source of a part of a request: the `dimension` of the analytics and the `column` of
    Logpush records that contain it (empty: none does). `read` turns their value into the text that
    an expectation would give, or into the value of a field; it raises ValueError for another
    form."""

    dimension: str
    column: str
    read: Callable[[Any], Any] = str

    def name_in(self, source: str) -> str:
        """The name of the dimension or column in a source; empty if the source does not contain the
        part."""
        return self.dimension if source == ANALYTICS else self.column


def _query_behind(value: Any) -> bytes:
    return _bytes_of(str(value).partition("?")[2])  # behind a path in records, and behind none


def _bytes_of(value: Any) -> bytes:
    return str(value).encode()


def _known_text(value: Any) -> bytes:
    if value in ("", "none", "unknown"):
        raise ValueError("no value")
    return _bytes_of(value)


def _as_int(value: Any) -> int:
    return int(str(value))


def _score(value: Any) -> int:
    if _as_int(value) < 1:  # 0 if it was not computed, which rules may see as another number
        raise ValueError("no score")
    return _as_int(value)


def _host_of(value: Any) -> str:
    if not str(value).isascii():  # the form in which rules saw it is not known
        raise ValueError("no host")
    return str(value).lower()


PATH, URI, ZONE_NAME = "ClientRequestPath", "ClientRequestURI", "ZoneName"
# By the keys of a request, and then by fields that no key gives.
PARTS: Mapping[str, Origin] = {
    "source": Origin("clientIP", "ClientIP"),
    "method": Origin("clientRequestHTTPMethodName", "ClientRequestMethod"),
    "scheme": Origin("clientRequestScheme", "ClientRequestScheme"),
    "host": Origin("clientRequestHTTPHost", "ClientRequestHost", _host_of),
    "path": Origin("clientRequestPath", PATH),
    "query": Origin("clientRequestQuery", URI, _query_behind),
    "country": Origin("clientCountryName", "ClientCountry", lambda value: str(value).upper()),
    "asn": Origin("clientAsn", "ClientASN"),
    "user_agent": Origin("userAgent", "ClientRequestUserAgent"),
    "referer": Origin("clientRequestReferer", "ClientRequestReferer"),
    "tls_version": Origin("clientSSLProtocol", "ClientSSLProtocol", _known_text),
    "tls_cipher": Origin("", "ClientSSLCipher", _known_text),
    "http.request.version": Origin(
        "clientRequestHTTPProtocol", "ClientRequestProtocol", _known_text
    ),
    "cf.bot_management.score": Origin("botScore", "BotScore", _score),
    "cf.bot_management.ja3_hash": Origin("ja3Hash", "JA3Hash", _known_text),
    "cf.bot_management.ja4": Origin("ja4", "JA4", _known_text),
    "cf.bot_management.verified_bot": Origin("verifiedBotCategory", "VerifiedBotCategory", bool),
    "cf.verified_bot_category": Origin("verifiedBotCategory", "VerifiedBotCategory", _bytes_of),
    "cf.waf.score": Origin("wafAttackScore", "WAFAttackScore", _score),
    "cf.waf.score.rce": Origin("wafRceAttackScore", "WAFRCEAttackScore", _score),
    "cf.waf.score.sqli": Origin("wafSqliAttackScore", "WAFSQLiAttackScore", _score),
    "cf.waf.score.xss": Origin("wafXssAttackScore", "WAFXSSAttackScore", _score),
    "cf.colo.name": Origin("coloCode", "EdgeColoCode", _known_text),
    "cf.edge.client_port": Origin("", "ClientSrcPort", _as_int),
    "ip.src.city": Origin("", "ClientCity", _known_text),
    "ip.src.region_code": Origin("", "ClientRegionCode", _known_text),
}
WHOLE_URI = ("path", "query", "scheme", "host")
MOST_KNOWN = 200_000  # values that are read once
MOST_GROUPS = 20_000  # that are evaluated together
LONGEST_LINE = 1 << 20
TIME, SOURCE = "EdgeStartTimestamp", "ClientRequestSource"
# By name or number, as the vendor's page "ClientRequestSource field" lists them.
FROM_CLIENTS = (None, "", "unknown", 0, "eyeball", 1, "orangeToOrange", 9)
FROM_CLOUDFLARE = (
    *("purge", "alwaysOnline", "healthcheck", "edgeWorkerFetch", "edgeWorkerCacheAPI"),
    *("edgeWorkerKV", "imageResizing", "sslDetector", "earlyHintsCache", "inBrowserChallenge"),
    *(2, 3, 4, 5, 6, 7, 8, 10, 11, 12),
)
IN_NANOSECONDS = 10**12  # a time in seconds is lower


class Group(NamedTuple):
    """Past requests with the same values in these fields: their number, and the number of them that
    were sampled."""

    fields: Mapping[str, FieldValue]
    requests: int
    samples: int


RequestRow = Tuple[Sequence[Any], int, int]  # values that can be hashed, requests, samples


class FieldReader:
    """Reads the fields with these names from the rows of a source: the analytics, or Logpush
    records."""

    def __init__(self, names: Iterable[str], source: str) -> None:
        self._columns: dict[str, str] = {}  # by the key of a request, or the name of a field
        for name in names:
            for key in _request_keys_of(name):
                origin = PARTS.get(key)
                if origin and origin.name_in(source):
                    self._columns[key] = origin.name_in(source)
        self.names = tuple(dict.fromkeys(self._columns.values()))

    def groups(self, rows: Iterable[RequestRow]) -> Iterator[list[Group]]:
        """The groups of requests in these rows, yielded in batches of limited size to save
        memory."""
        merged: dict[Sequence[Any], list[int]] = {}
        for values, requests, samples in rows:
            numbers = merged.get(values)
            if numbers is None:
                if len(merged) == MOST_GROUPS:
                    yield self._groups_of(merged)
                    merged.clear()
                numbers = merged[values] = [0, 0]
            numbers[0] += requests
            numbers[1] += samples
        yield self._groups_of(merged)

    def _groups_of(self, merged: Mapping[Sequence[Any], Sequence[int]]) -> list[Group]:
        return [self.group(values, numbers) for values, numbers in merged.items()]

    def group(self, values: Sequence[Any], numbers: Sequence[int]) -> Group:
        """The group of requests with these values, which are in the order of `names`; `numbers` are
        those of requests and of samples."""
        by_name = dict(zip(self.names, values))
        described: dict[str, Any] = {}
        fields: dict[str, FieldValue] = {}
        for key, name in self._columns.items():
            text = by_name[name]
            value = _understood(key, text) if isinstance(text, (str, int)) else None
            if value is None:
                continue
            if key in REQUEST_KEYS:
                described[key] = value
            else:
                fields[key] = value
        requests, samples = numbers
        return Group({**request_fields(described), **fields}, requests, samples)


@lru_cache(MOST_KNOWN)
def _understood(key: str, written: str | int) -> Any:
    """The value as rules see it; None if it is missing or not understood."""
    try:
        value = PARTS[key].read(written)
        if isinstance(value, str):
            return REQUEST_KEYS[key].read(Option(), value)
        return value
    except (OptionError, ValueError):
        return None


def _request_keys_of(name: str) -> Sequence[str]:
    key = REQUEST_KEY_OF_FIELD.get(name, name)
    if key == "uri":
        return WHOLE_URI if name == "http.request.full_uri" else WHOLE_URI[:2]
    return (key,)


def require_file(path: str) -> None:
    """Raise PlanError if the file of past requests cannot be opened."""
    try:
        with open(path, "rb"):
            pass
    except OSError as exc:
        problem = f": {path} cannot be opened: {exc.strerror}. Name a file that is there."
        raise PlanError(Message(Option("backtest", "file"), problem)) from exc


class Records:
    """The Logpush records in a file (NDJSON, plain or compressed), as rows with the columns
    `names`. `malformed` counts lines that are not records, `unclear` counts records that may not be
    requests of clients; `zones` are the names of the zones in the records, and `unread` says why
    the file could not be read to its end (empty: it was)."""

    def __init__(self, path: str, names: Sequence[str]) -> None:
        self._path = path
        self._names = names
        self._times: list[Any] = []
        self.malformed = 0
        self.unclear = 0
        self.zones: set[str] = set()
        self.unread = ""

    def __iter__(self) -> Iterator[RequestRow]:
        try:
            yield from self._rows()
        except (OSError, EOFError, zlib.error) as exc:
            self.unread = getattr(exc, "strerror", None) or str(exc)

    def _rows(self) -> Iterator[RequestRow]:
        with open(self._path, "rb") as file:
            for line in _lines_of_file(file):
                record = _record_of_line(line)
                if not isinstance(record, dict):
                    self.malformed += bool(line.strip())
                elif record.get(SOURCE) in FROM_CLIENTS:
                    self._note(record.get(TIME))
                    if ZONE_NAME in record:
                        self.zones.add(str(record[ZONE_NAME]))
                    yield tuple(self._scalars(record)), 1, 1
                elif record[SOURCE] not in FROM_CLOUDFLARE:
                    self.unclear += 1

    def _scalars(self, record: Mapping[str, Any]) -> Iterator[str | int | None]:
        """The values of the columns in a record; None for a value that is neither a text nor a
        number."""
        for name in self._names:
            value = record.get(name)
            if name == PATH and value is None:
                value = _path_in(record.get(URI))
            yield value if isinstance(value, (str, int)) else None

    def _note(self, time: Any) -> None:
        if not self._times and isinstance(time, (str, int)):
            self._times = [time, time]
        elif self._times and type(time) is type(self._times[0]):
            self._times = [min(time, self._times[0]), max(time, self._times[1])]

    @property
    def window(self) -> Sequence[str | None]:
        """The times of the first and the last request; None for both if the records do not have
        them."""
        return [_timestamp(time) for time in self._times] or (None, None)


def _path_in(uri: Any) -> str | None:
    """The path in a URI of a record; None if the URI does not begin with one."""
    return uri.partition("?")[0] if isinstance(uri, str) and uri.startswith("/") else None


def _lines_of_file(file: BufferedReader) -> Iterator[bytes]:
    """The lines of a plain or compressed file; a line that is too long comes in pieces."""
    is_compressed = file.peek(2)[:2] == b"\x1f\x8b"
    stream: Any = gzip.GzipFile(fileobj=file) if is_compressed else file
    return iter(lambda: stream.readline(LONGEST_LINE), b"")


def _record_of_line(line: bytes) -> Any:
    """The JSON value in a line; None if the line is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _timestamp(time: str | int) -> str | None:
    if isinstance(time, int):
        seconds = time // 10**9 if time > IN_NANOSECONDS else time
        try:
            return write_timestamp(datetime.fromtimestamp(seconds, timezone.utc))
        except (OSError, OverflowError, ValueError):  # which no calendar has
            return None
    moment = read_timestamp(time)
    return write_timestamp(moment) if moment else None


def missing_fields(expression: Expression, request: Fields) -> list[str]:
    """The fields, or other reasons, without which it is not known whether a request matches."""
    truth = expression.evaluate(request)
    names: list[str] = []
    for reason in truth.reasons if isinstance(truth, NotKnown) else ():
        names.append(reason.field if isinstance(reason, NotGiven) else reason)
    return names
