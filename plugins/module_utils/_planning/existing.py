# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the existing state of a task.

A product that the account of a host does not have is a fact, and no failure: its collections are
left out of the task and of the state. Only objects of it that the host names are an error.
"""

from __future__ import annotations

from functools import partial
from typing import AbstractSet, Iterator, Mapping, NamedTuple, Sequence, Union

from .._api.client import Client
from .._concurrency import concurrently
from .._context import Context
from .._errors import NOTHING_CHANGED, LaterPageError, OptionError, OptionProblems, ServiceError
from .._plan.desired import Desired, DesiredObject, Presence
from .._schema.account import DISABLED, RULES
from .._schema.products import (
    ENTITLED,
    MAGIC_TRANSIT,
    NOT_ENTITLED,
    NOT_KNOWN,
    PRODUCT_NAMES,
    lacks_product,
    sentence_on_lack,
)
from .._schema.resource import UNKNOWN_ID, Object, Resource, State
from .._specs.task import Task
from .._text import Option
from .._values.kinds import CODE, FLAG

FOR_GOOD = (400, 403, 404, 405, 410)  # statuses
ObjectsOrLack = Union[Sequence[Object], ServiceError]  # the error says that the product is missing


class Existing(NamedTuple):
    """The existing state of a task, and the task without the collections that its account cannot
    have."""

    state: State
    task: Task


def read_existing(client: Client, task: Task) -> Existing:
    """The state of all that a task reads: collections first, and then those inside of their
    objects. Raises ServiceError, and OptionError for objects of a product that the account of a
    host does not have.

    Rules are read before the rulesets, so that no rule executes a ruleset that was created in
    between.
    """
    rulesets = [resource for resource in task.reads if resource.holds_rules]
    collections = [resource for resource in task.reads if not resource.holds_rules]
    read = partial(_objects_or_lack, client, task.context)
    answers: dict[str, ObjectsOrLack] = {}
    for resources in (collections, rulesets):
        names = [resource.plural for resource in resources]
        answers.update(zip(names, concurrently(read, resources)))
    state = {
        name: answer for name, answer in answers.items() if not isinstance(answer, ServiceError)
    }
    if task.context.reading.in_part:
        task = _with_unread(task, answers)
    if task.context.is_role:
        task = _with_products(client, task, answers)
    return Existing({**state, **client.read_state(task.contents_in(state))}, task)


def _objects_or_lack(client: Client, context: Context, resource: Resource) -> ObjectsOrLack:
    """The objects of a collection, or for a role the error that says that the account does not have
    its product; for a reading in part, the error of any refusal. Raises any other ServiceError."""
    try:
        return client.read(resource)
    except LaterPageError:
        raise
    except ServiceError as exc:
        is_lack = bool(resource.product) and lacks_product(exc.codes)
        if (context.is_role and is_lack) or (context.reading.in_part and _refuses_to_show(exc)):
            return exc
        raise


def _refuses_to_show(exc: ServiceError) -> bool:
    """Return whether Cloudflare refuses a reading for good, though it knows the credentials and the
    owner."""
    return exc.status in FOR_GOOD and UNKNOWN_ID.isdisjoint(exc.codes)


def _with_unread(task: Task, answers: Mapping[str, ObjectsOrLack]) -> Task:
    """The task with the reasons for collections that Cloudflare refuses to show, for another reason
    than a missing product; raises ServiceError if it shows none."""
    refusals = {name: exc for name, exc in answers.items() if isinstance(exc, ServiceError)}
    if refusals and len(refusals) == len(answers):
        raise next(iter(refusals.values()))
    with_product = {resource.plural for resource in task.reads if resource.product}
    unread: dict[str, str] = {}
    for name, exc in refusals.items():
        if name not in with_product or not lacks_product(exc.codes):
            unread[name] = exc.message
    shown = [resource for resource in task.reads if resource.plural not in unread]
    return task._replace(unread=unread, reads=shown)


def _with_products(client: Client, task: Task, answers: Mapping[str, ObjectsOrLack]) -> Task:
    """The task without the collections of products that the account lacks; raises ServiceError if
    it has other collections of the same product, and OptionError for objects that the host names.
    """
    from .._schema.registry import MANAGED

    proven: set[str] = set()  # products of which a collection was read
    refusals: dict[str, ServiceError] = {}
    for resource in task.reads:
        answer = answers[resource.plural]
        if isinstance(answer, ServiceError):
            refusals.setdefault(resource.product, answer)
        elif not resource.holds_rules:  # rulesets are listed for any phase
            proven.add(resource.product)
    for product, refusal in refusals.items():
        if product in proven:
            raise refusal
    products: dict[str, str] = {}
    for managed in MANAGED:
        product = managed.resource.product
        if product in refusals:
            products[PRODUCT_NAMES[product]] = NOT_ENTITLED
        elif product in MAGIC_TRANSIT and managed.resource.owner in client.owner:
            products[PRODUCT_NAMES[product]] = ENTITLED if product in proven else NOT_KNOWN
    task = task._replace(products=products)
    if not refusals:
        return task
    _refuse_named(task.at(client.now).desired, refusals.keys())
    return task.without_products(refusals.keys())


def _refuse_named(desired: Sequence[Desired], products: AbstractSet[str]) -> None:
    """Raise OptionError if the desired state has objects of these products, which the account does
    not have."""
    from .._schema.registry import BY_PLURAL

    problems = OptionProblems()
    # Without what lies in objects, such as the items of lists.
    outermost = [wanted for wanted in desired if wanted.resource.plural in BY_PLURAL]
    for product in sorted(products):
        of_product = [wanted for wanted in outermost if wanted.resource.product == product]
        options = [option for collection in of_product for option in _named_in(collection)]
        if options:
            extent = f" The same goes for {len(options) - 1} more." if options[1:] else ""
            problem = (
                f"{sentence_on_lack(product)}{extent} Take it out of the variables of this host."
                f" {NOTHING_CHANGED}"
            )
            problems.add(OptionError(options[0], problem))
    problems.raise_any()


def _named_in(desired: Desired) -> Iterator[Option]:
    """The options that name objects which a plan would create or turn on."""
    for _key, desired_object in desired.in_order():
        if not desired.only_deletes and _has_effect(desired.resource, desired_object):
            yield desired_object.path or Option(desired.resource.fields[0].name)


def _has_effect(resource: Resource, desired_object: DesiredObject) -> bool:
    """Return whether a desired object would change an account that has nothing of its product. One
    that is gone or off would not, and neither would a rule of which only the key is named, as the
    defaults of the role have it."""
    values = desired_object.values
    if desired_object.presence is not Presence.NEEDED:
        return False
    if resource in RULES and values.keys() <= {*resource.key}:
        return False
    is_disabled = CODE.normalise(values.get(resource.mode_field or "")) == DISABLED
    return not is_disabled and FLAG.normalise(values.get("enabled", True)) != "false"
