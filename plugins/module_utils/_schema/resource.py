# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declaration of a resource: its fields, its key, and the calls that list, create, update and
delete it.

Options, comparison, request bodies, results, diffs and hints read the declaration; none of them
knows a resource or a field by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import AbstractSet, Any, Callable, Dict, Hashable, Mapping, NamedTuple, Sequence, Tuple

from .._arguments import as_required
from .._values.bounds import Bounded
from .._values.kinds import A_MODE, A_NETWORK, Value

Key = Tuple[Hashable, ...]
Object = Mapping[str, Any]  # one object, as Cloudflare shows it
Values = Mapping[str, Any]  # fields of an object, by name
# By Resource.plural: the objects that exist, or that a plan predicts.
State = Mapping[str, Sequence[Object]]
OptionSpec = Dict[str, Dict[str, Any]]  # an argument spec
NO_ITEMS: Mapping[Any, Any] = {}
ACTION, LOG = "action", "log"  # of a rule, and the action that only logs
ENFORCING = frozenset({"block", "challenge", "managed_challenge", "js_challenge"})


def fields_in(value: Any) -> Object:
    """The fields of an object inside of another one; empty if the value is not an object."""
    if not value:  # as most fields; the test for a mapping takes long
        return NO_ITEMS
    return value if isinstance(value, (dict, Mapping)) else NO_ITEMS  # of dict it is known at once


def without(obj: Object, *names: str) -> dict[str, Any]:
    """An object without these fields."""
    return {name: value for name, value in obj.items() if name not in names}


def reused_if_equal(previous: Values, values: Values) -> Values:
    """The previous values of a long list if these are equal, so that memory contains them once;
    otherwise the new ones."""
    return previous if values == previous else values


# Cloudflare's codes for a path with an id that it does not know.
UNKNOWN_ID = frozenset([7000, 7003])


class Owner(NamedTuple):
    """A kind of owner, `title` in sentences and `with_article` the same with its article.

    A task names it by its id in `option`, or leaves that to the environment `variable`; where there
    is a `name_option`, the owner's name may stand for its id, for one call more. The products of an
    owner that is `token_only` take no e-mail address with a key.
    """

    title: str
    with_article: str
    option: str
    variable: str
    name_option: str = ""
    token_only: bool = False

    @property
    def path(self) -> str:
        """The path of an owner, under which its resources are."""
        return f"{self.title}s/{{{self.option}}}"

    @property
    def options(self) -> tuple[str, ...]:
        """The options that name the owner."""
        return (self.option, self.name_option) if self.name_option else (self.option,)


ACCOUNT_OWNER = Owner(
    title="account",
    with_article="an account",
    option="account_id",
    variable="CLOUDFLARE_ACCOUNT_ID",
    token_only=True,
)
ZONE_OWNER = Owner(
    title="zone",
    with_article="a zone",
    option="zone_id",
    variable="CLOUDFLARE_ZONE_ID",
    name_option="zone_name",
)
OWNERS: Mapping[str, Owner] = {owner.option: owner for owner in (ACCOUNT_OWNER, ZONE_OWNER)}
OWNER_OPTIONS = (*ACCOUNT_OWNER.options, *ZONE_OWNER.options)


def other_owners(owner: Owner) -> tuple[Owner, ...]:
    """The other kinds of owners, whose id a task may have given in the place of this owner's."""
    return tuple(candidate for candidate in OWNERS.values() if candidate is not owner)


ACCOUNT_OPTION, ZONE_OPTION = ACCOUNT_OWNER.option, ZONE_OWNER.option


class Field(NamedTuple):
    """A managed field.

    `default` is the value that a creation sends if the task leaves the field out (None: Cloudflare
    decides). `absent_default` is the value that an existing object without the field counts as
    having. `inert` marks a field that never changes who is protected, or how. Any field of a rule
    but its expression may narrow what the rule matches, unless it is declared with `narrows=False`.
    A baseline that leaves a `switch` out describes its default. A `fixed` field never changes.
    `fields` are the fields of a nested object. `about` is the text of the documentation about it.
    The values of a level are in the order in which they protect more, except for those in `alike`,
    which protect equally; `lowered` is a sentence on the effect of a lower one: "Fewer visitors
    would be challenged".
    """

    name: str
    value: Value
    default: Any = None
    absent_default: Any = None
    required: bool = False
    inert: bool = False
    narrows: bool = True
    switch: bool = False
    fixed: bool = False
    fields: tuple[Field, ...] = ()
    about: str = ""
    lowered: str = ""
    alike: tuple[str, ...] = ()

    @property
    def nested_names(self) -> frozenset[str]:
        """The names of the fields of a nested object."""
        return frozenset(field.name for field in self.fields)

    def normalised(self, obj: Object | None) -> Hashable:
        """The normalised value of this field of `obj`, comparable and sortable."""
        value = obj.get(self.name) if obj else None
        return self.value.normalise(self.absent_default if value is None else value)

    @property
    def ranks(self) -> Mapping[Hashable, int]:
        """The ranks of the normalised values of a level in the order of protection."""
        values = self.value.option.get("choices", (False, True))
        ranks = {self.value.normalise(value): rank for rank, value in enumerate(values)}
        alike = [*map(self.value.normalise, self.alike)]
        for value in alike:
            ranks[value] = ranks[alike[0]]
        return ranks


class Write(NamedTuple):
    """The form in which one kind of change is sent.

    `suffix` is appended to the collection's path; `by_id` appends the object's own id instead when
    one object is sent. `batch` is the largest number of objects in one call. `whole_object` sends
    the whole object instead of the changed fields, `declared_only` only its declared fields.
    `wrapper` is the field of the body that has the objects. `operation` is the path of the
    operation that Cloudflare begins, one at a time, and with whose id it answers.
    """

    method: str
    suffix: str = ""
    by_id: bool = False
    batch: int = 1
    whole_object: bool = False
    declared_only: bool = False
    wrapper: str = ""
    operation: str = ""


class Nested(NamedTuple):
    """A nested object that Cloudflare does not change when its parent is written; it is updated at
    its own path.

    `read_only` are the fields that Cloudflare sets and does not accept.
    """

    field: str
    path: str
    write: Write
    read_only: tuple[str, ...] = ()


class Shape(NamedTuple):
    """The shape of objects in this collection, if it is not that of the API: `from_api` returns an
    object of Cloudflare in this shape, `to_api` does the reverse. `lifted` returns fields of
    `api_fields` with those that have an option under its name."""

    from_api: Callable[[Object], dict[str, Any]]
    to_api: Callable[[Object], dict[str, Any]]
    lifted: Callable[[Object], dict[str, Any]] = dict


def renaming(theirs: str, ours: str) -> Shape:
    """The shape of objects in which the field that Cloudflare calls `theirs` has the name
    `ours`."""

    def rename(obj: Object, old_name: str, new_name: str) -> dict[str, Any]:
        new_names = {old_name: new_name}
        return {new_names.get(name, name): value for name, value in obj.items()}

    return Shape(
        from_api=lambda obj: rename(obj, theirs, ours), to_api=lambda obj: rename(obj, ours, theirs)
    )


class Single(NamedTuple):
    """The listing of a resource that is one object; `shape` is its shape if that is not
    Cloudflare's. If it is `whole`, each field is an option of its module, and the object is the
    option of a host; otherwise its only field is both."""

    shape: Shape | None = None
    whole: bool = False


class AtOnce(NamedTuple):
    """The listing of a collection that Cloudflare returns at once."""


class Paged(NamedTuple):
    """The listing of a collection that Cloudflare returns in numbered pages of this size."""

    size: int = 1000


class ByCursor(NamedTuple):
    """The listing of a collection that Cloudflare returns in pages of this size, each with the
    cursor of the next one; `shape` is that of the objects if it is not Cloudflare's."""

    size: int
    shape: Shape | None = None


class InDocument(NamedTuple):
    """The listing of a collection that is an ordered list in a field of one object; an update
    replaces the list, and a call can change a single rule of it.

    An update sends the fields in `sent_along` unchanged. `path` has placeholders for the owner and
    the object's `id`; below it are the single rules, and the versions of the object, which
    Cloudflare numbers and keeps. `shape` is that of the rules if it is not Cloudflare's.
    """

    field: str
    sent_along: tuple[str, ...]
    path: str
    shape: Shape | None = None


class InFiles(NamedTuple):
    """The listing of a collection whose objects have this form in files alone. Cloudflare has them
    in these `collections`: the objects, and what deploys them. A state of the module makes the
    collection exclusive."""

    collections: Sequence[Resource]


USUAL_PAGES = Paged()


class Catalogue(NamedTuple):
    """Names that Cloudflare provides for objects, at a path. `faults` returns, for an object and
    the catalogue, a clause for each name that does not exist, or that the object may not name in
    this way; it raises ValueError for a catalogue that cannot be read. `has_names` returns whether
    changed fields contain names."""

    title: str
    path: str
    has_names: Callable[[Object], bool]
    faults: Callable[[Object, Object], Sequence[str]]


class Permission(NamedTuple):
    """The permission that calls need, without the word Read or Write at its end; `writing` is the
    word in the place of Write. It is `token_only` if only API tokens can have it."""

    name: str
    scope: str
    token_only: bool = False
    writing: str = "Write"

    def describe(self, method: str) -> str:
        """The permission that a call with this HTTP method needs, as the vendor's dashboard names
        it."""
        access = "Read" if method == "GET" else self.writing
        note = ", which only API tokens have" if self.token_only else ""
        return f"{self.name} {access} ({self.scope}){note}"


class Semantics(NamedTuple):
    """Functions on how the values of an object fit together.

    `complete` returns the desired fields for the fields of a task, or raises OptionError.
    `normalise` returns an object as Cloudflare stores it; its arguments are the object with changed
    fields laid over it, the existing object, and the names of the fields that the task names or
    changes. `not_ours` returns the reason why the collection leaves an object of the listing alone,
    `invalid_reason` the one why Cloudflare would refuse an object, `unusual` a probable mistake in
    one that Cloudflare accepts; each returns "" for any other object. `protects_nobody` returns
    whether the deletion of an object lowers no protection, since it is switched off or lets traffic
    pass. `with_ids` returns an object of a plan as it is sent, with ids by `id_of_new`.
    `describable` returns the part of an object that options can describe, and `assembled` an object
    with its contents in a state, in the form of results. `is_unused` returns whether it is known
    that no rule refers to an object in a state, once so many rules do so no more,
    and `number_inside` how many objects are inside of one.
    """

    complete: Callable[[Values], dict[str, Any]] = dict
    normalise: Callable[[Values, Values, AbstractSet[str]], dict[str, Any]] = (
        lambda obj, existing, task_fields: dict(obj)
    )
    not_ours: Callable[[Object], str] = lambda obj: ""
    invalid_reason: Callable[[Values], str] = lambda obj: ""
    unusual: Callable[[Values], str] = lambda obj: ""
    protects_nobody: Callable[[Object], bool] = lambda obj: False
    with_ids: Callable[[Object, Mapping[str, str]], Object] = lambda obj, ids: obj
    describable: Callable[[Object], Object] = lambda obj: obj
    assembled: Callable[[Object, State], dict[str, Any]] = lambda obj, state: dict(obj)
    is_unused: Callable[[Object, State, int], bool] = lambda obj, state, freed: False
    number_inside: Callable[[Object], int] = lambda obj: 0


NO_SEMANTICS = Semantics()


@dataclass(frozen=True)
class Resource:
    """A collection of objects of one shape, or (with an empty key) a single object.

    Its words: `name` and `plural` in options and results, `title` in sentences, `plural_title` in
    sentences about several if that is no plural of it, `kind` where several collections have
    one shape. `owner` is the option that names the account or zone; empty if the credentials
    alone decide. `product` is what the owner must have bought, and `component` the part of the
    protection that its rules or filters decide on.

    Its calls: `path`, `permission`, `create`, `update`, `delete`, and how Cloudflare lists
    the objects; `on_demand` says that it is read only where a task names it; `read_only` names
    fields that Cloudflare sets and does not take back; `nested` is an object inside of each object;
    `quota` is how many objects an owner may have, 0 if that is not known or depends on its plan;
    `least_quota` is the smallest one if it depends on the owner, and `least_quota_inside` that of
    the objects inside of all of them together;
    `catalogue` is what objects name; `retired` is what to do where Cloudflare answers 410 Gone.
    `parent` is the collection of the object that holds this one, whose key is `parent_name`; its id
    stands in the path as `{parent_id}`. `contents` returns the collection inside of an object; if
    this `holds_rules`, one call writes the object with its ordered list of rules. `traffic` is a
    request or a packet, if one meets the rules of this resource one after the other, in the `phase`
    of an entry point if it has one; rules with an action that is `enforcing` stop it, and `rank`
    sorts rules that it does not meet as listed. Rules may refer to an object of a resource that
    `is_referred_to`. A collection that `has_duplicates` takes a second object with the same key.

    `semantics` is how the values of an object fit together. `about` are the first sentences of the
    documentation of its module, if this is written from the declaration.
    """

    name: str
    plural: str
    title: str
    owner: str
    path: str
    permission: Permission
    fields: tuple[Field, ...]
    key: tuple[str, ...]
    listing: Single | AtOnce | Paged | ByCursor | InDocument | InFiles = USUAL_PAGES
    plural_title: str = ""
    update: Write | None = None
    create: Write | None = None
    delete: Write | None = None
    kind: str | None = None
    product: str = ""
    component: str | None = None
    on_demand: bool = False
    read_only: tuple[str, ...] = ()
    nested: Nested | None = None
    quota: int = 0
    least_quota: int = 0
    least_quota_inside: int = 0
    retired: str = ""
    parent: Resource | None = None
    parent_name: str = ""
    contents: Callable[[Object], Resource] | None = None
    holds_rules: bool = False
    catalogue: Catalogue | None = None
    traffic: str = ""
    phase: str = ""
    enforcing: AbstractSet[str] = ENFORCING
    rank: Callable[[Object], Any] | None = None
    is_referred_to: bool = False
    has_duplicates: bool = False
    semantics: Semantics = NO_SEMANTICS
    about: tuple[str, ...] = ()

    @property
    def is_ordered(self) -> bool:
        """Return whether one object holds the collection as an ordered list."""
        return isinstance(self.listing, InDocument)

    @property
    def may_expire(self) -> bool:
        """Return whether a task may give an object a time from which it counts as absent, and which
        is never sent."""
        return bool(self.key and self.create and self.delete)

    @cached_property
    def may_log(self) -> bool:
        """Return whether a rule can log what it would stop, instead of stopping it."""
        action = self.fields_by_name.get(ACTION)
        choices = action.value.option.get("choices", ()) if action else ()
        decides = bool(self.traffic or self.parent)
        return self.is_ordered and decides and LOG in choices

    @property
    def may_be_staged(self) -> bool:
        """Return whether a rule may log first, and get its action later: if it can log, and the
        analytics tell what it matched, and of how much traffic."""
        return self.may_log and bool(self.traffic)

    @property
    def document(self) -> InDocument:
        """The object around an ordered list; raises LookupError for any other collection."""
        if not isinstance(self.listing, InDocument):
            raise LookupError(f"{self.name} is no ordered list")
        return self.listing

    @property
    def collections(self) -> Sequence[Resource]:
        """The collections in which Cloudflare has the objects; the resource itself unless only
        files have their form."""
        return self.listing.collections if isinstance(self.listing, InFiles) else (self,)

    @property
    def shape(self) -> Shape | None:
        """The shape of its objects if it is not that of Cloudflare; None if it is."""
        listing = self.listing
        return listing.shape if isinstance(listing, (InDocument, Single, ByCursor)) else None

    @property
    def is_whole(self) -> bool:
        """Return whether it is one object whose fields a host has under one option."""
        return isinstance(self.listing, Single) and self.listing.whole

    @property
    def page_size(self) -> int:
        """The number of objects on a page; 0 if there are no pages."""
        return self.listing.size if isinstance(self.listing, (Paged, ByCursor)) else 0

    @property
    def titles(self) -> str:
        """The name of several objects in sentences, such as `entries of the audit log`."""
        if self.plural_title:
            return self.plural_title
        noun, *attribute = re.split(r"\b(?= (?:of|for) )", self.title, maxsplit=1)
        if noun.endswith("y"):
            plural_noun = f"{noun[:-1]}ies"
        elif noun.endswith("x"):
            plural_noun = f"{noun}es"
        else:
            plural_noun = f"{noun}s"
        return "".join([plural_noun, *attribute])

    def write_for(self, action: str) -> Write:
        """The form in which an operation with this action is sent; raises LookupError if the
        resource has none."""
        write = {"create": self.create, "update": self.update, "delete": self.delete}[action]
        if write is None:
            raise LookupError(f"{action} cannot be sent for {self.name}")
        return write

    @cached_property
    def fields_by_name(self) -> Mapping[str, Field]:
        """The fields by their names."""
        return {field.name: field for field in self.fields}

    @cached_property
    def _key_fields(self) -> tuple[Field, ...]:
        return tuple(self.field(name) for name in self.key)

    @cached_property
    def mutable(self) -> tuple[Field, ...]:
        """The fields that an update can change: all but those of the key."""
        return tuple(field for field in self.fields if field.name not in self.key)

    @cached_property
    def fixed(self) -> tuple[Field, ...]:
        """The fields that never change, and do not belong to the key."""
        return tuple(field for field in self.fields if field.fixed)

    @cached_property
    def assigned(self) -> tuple[str, ...]:
        """The names of the fields that only Cloudflare sets; a task may give them back, without
        any effect."""
        names = [*self.read_only]
        if self.key and "id" not in self.fields_by_name:
            names.insert(0, "id")
        if self.holds_rules:
            names.append("created_on")
        return tuple(names)

    @cached_property
    def field_options(self) -> OptionSpec:
        """The options of one object that are its fields."""
        return options_of(self.fields)

    @cached_property
    def options(self) -> OptionSpec:
        """The options of one object: its fields, its stage if it may log first, the time when it
        expires if it may, and `api_fields` for fields that are not declared if they can be sent."""
        options = dict(self.field_options)
        if self.may_log:
            options.update(STAGED)
        if self.may_expire:
            options.update(EXPIRES)
        if self.is_ordered:
            options.update(API_OPTION)
        return options

    @cached_property
    def extra_options(self) -> frozenset[str]:
        """The names of the options of an object that are not its fields."""
        names = {*self.assigned, *(self.options.keys() - self.field_options.keys())}
        if self.kind:
            names.add("kind")
        if self.is_ordered:
            names.add("position")
        return frozenset(names)

    @property
    def has_patterns(self) -> bool:
        """Return whether a purge leaves objects alone by patterns of keys, and not by ids."""
        return isinstance(self.listing, (InDocument, InFiles))

    @cached_property
    def address_field(self) -> str | None:
        """The name of the field that holds a network."""
        return self._field_about(A_NETWORK)

    @cached_property
    def mode_field(self) -> str | None:
        """The name of the field that holds a mode, which a staged rollout raises."""
        return self._field_about(A_MODE)

    @cached_property
    def levels(self) -> tuple[Field, ...]:
        """The fields that hold a level of protection."""
        return tuple(field for field in self.fields if field.lowered)

    def _field_about(self, subject: str) -> str | None:
        return next((field.name for field in self.fields if field.value.subject == subject), None)

    @cached_property
    def inert(self) -> frozenset[str]:
        """The names of the fields that never change who is protected, or how."""
        return frozenset(field.name for field in self.fields if field.inert)

    def nested_object(self, identity: str) -> Resource:
        """The nested object with this id as a resource of its own, to read it; raises LookupError
        if there are no nested objects."""
        if self.nested is None:
            raise LookupError(f"{self.name} has no nested objects")
        return replace(
            self,
            title=f"{self.nested.field} of a {self.title}",
            path=f"{self.nested.path}/{identity}",
            fields=self.field(self.nested.field).fields,
            key=(),
            listing=Single(),
        )

    def catalogue_object(self) -> Resource:
        """The catalogue as a resource of its own, to read it; raises LookupError if there is
        none."""
        if self.catalogue is None:
            raise LookupError(f"{self.name} names nothing")
        title = self.catalogue.title
        return Resource(
            name=title,
            plural=title,
            title=title,
            owner=self.owner,
            path=self.catalogue.path,
            permission=self.permission,
            fields=(),
            key=(),
            listing=Single(),
        )

    def field(self, name: str) -> Field:
        """The field of that name."""
        return self.fields_by_name[name]

    def our_objects(self, objects: Sequence[Object]) -> list[Object]:
        """The objects that the collection does not leave alone."""
        return [obj for obj in objects if not self.semantics.not_ours(obj)]

    def our_objects_in(self, state: State) -> list[Object]:
        """The objects of a state that the collection does not leave alone; empty if the state does
        not have the collection."""
        return self.our_objects(state.get(self.plural) or ())

    def contents_in(self, state: State) -> list[Resource]:
        """The collections inside of its objects in a state."""
        if not self.contents:
            return []
        return [self.contents(obj) for obj in self.our_objects_in(state)]

    def key_of(self, obj: Object) -> Key:
        """The normalised values that identify an object; duplicates have equal keys."""
        return tuple([field.normalised(obj) for field in self._key_fields])

    def keys_in_order(self, objects: Sequence[Object]) -> list[Key] | None:
        """The keys of a collection as Cloudflare evaluates it; None if their order does not
        matter."""
        if not self.traffic and not self.is_ordered:
            return None
        ordered = sorted(objects, key=self.rank) if self.rank else objects
        return [self.key_of(obj) for obj in ordered]

    def title_of(self, obj: Object) -> str:
        """The title of an object in sentences, with its key, such as `rule admin of the ruleset
        Bots`."""
        if not self.key:
            return self.title
        label = self.label_of(obj)
        noun, of_parent, parent_title = self.title.partition(" of ")
        if not self.parent_name or not of_parent:
            return f"{self.title} {label}"
        label = label.removeprefix(f"{self.parent_name} ")
        return f"{noun} {label} of {parent_title} {self.parent_name}"

    def label_of(self, obj: Object) -> str:
        """The key in words; a word that the key has twice, such as `global` as scope and name,
        stands once."""
        words: dict[str, str] = {}
        for name in self.key:
            value = obj.get(name)
            word = f"without {name}" if value is None else str(value)
            words.setdefault(word.casefold(), word)
        label = " ".join(words.values())
        if self.parent_name and label:
            return f"{self.parent_name} {label}"
        return label or self.parent_name or self.name

    def entry_of(self, obj: Object) -> str:
        """The key in the words of risks and acceptances: that of a rule or filter begins with its
        component."""
        return f"{self.component} {self.label_of(obj)}" if self.component else self.label_of(obj)

    def key_of_entry(self, entry: str) -> Key | None:
        """The key that an entry of an acceptance names; None if the entry is not of this
        resource."""
        if not self.key:
            return () if entry == self.name else None
        if self.component:
            component_and_label = entry.split(None, 1)
            if len(component_and_label) < 2:
                return None
            component, entry = component_and_label
            if component.casefold() != self.component:
                return None
        if self.parent_name:
            before, _parent_name, entry = entry.strip().partition(f"{self.parent_name} ")
            if before or not entry.strip():
                return None
        words = [entry]
        if len(self.key) > 1:
            words = entry.split(None, len(self.key) - 1)
            words += words[-1:] * (len(self.key) - len(words))  # a label has equal words once
        return self.key_of(dict(zip(self.key, words)))

    def defaults(self) -> dict[str, Any]:
        """The values that a creation sends for fields that the task leaves out."""
        return {field.name: field.default for field in self.fields if field.default is not None}

    def declared_values(self, obj: Object) -> dict[str, Any]:
        """The declared fields of an object, in the order of the declaration."""
        return _declared_values(self.fields, obj)


def _declared_values(fields: tuple[Field, ...], obj: Object) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields:
        if field.name not in obj:
            continue
        value = obj[field.name]
        if field.fields and isinstance(value, Mapping):
            value = _declared_values(field.fields, value)
        values[field.name] = value
    return values


CONTENTS = "rules"  # of an object with a duplicate that is older: the list that it holds
TIMES_OF_CLOUDFLARE = ("created_on", "modified_on")
DELETE = Write("DELETE", by_id=True)

# Reads a collection completely; raises ServiceError.
ReadCollection = Callable[[Resource], Sequence[Object]]

EXPIRES: OptionSpec = {"expires": {"type": "str"}}  # of an object that may expire
STAGED: OptionSpec = {  # of a rule that logs first
    "staged": {
        "type": "dict",
        "options": {
            "hours": Bounded({"type": "float", "default": 24.0}, low=1, high=24 * 90),
            "max_stopped_percent": Bounded({"type": "float", "default": 0.1}, low=0, high=100),
        },
    }
}
API_FIELDS = "api_fields"  # what a task says of fields that are not declared
API_OPTION: OptionSpec = {API_FIELDS: {"type": "dict"}}  # of an object that is sent as a whole


def options_of(fields: tuple[Field, ...]) -> OptionSpec:
    """The argument spec of some fields."""
    spec: OptionSpec = {}
    for field in fields:
        option = as_required(field.value.option, field.required)
        if field.fields:
            option["options"] = options_of(field.fields)
        spec[field.name] = option
    return spec


RULESET_PATHS: Mapping[str, str] = {
    name: f"{owner.path}/rulesets" for name, owner in OWNERS.items()
}


def id_of_new(name: str) -> str:
    """The placeholder in a plan for the id of the object with this name, which may not be created
    yet."""
    return f"{{{name}}}"


def is_new(identity: str) -> bool:
    """Return whether a text is such a placeholder, and not an id."""
    return identity.startswith("{")
