# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules of objects that hold a list, such as lists of an account with their items. They are
about one such object, or about all that the owner should have."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Sequence

from .._arguments import ArgumentFields, only, unless_wrong
from .._errors import OptionError, OptionProblems, parsed
from .._guard.risks.declaration import risk_options
from .._plan.desired import (
    STATE,
    THE_TASK,
    Desired,
    Entries,
    check_purge,
    numbered,
    parse_desired,
    parse_ignore,
    raise_any,
)
from .._schema.resource import NO_ITEMS, OptionSpec, Resource, State
from .._text import Message, Option
from .base import CommonOptions, ModuleResult, ModuleSpec, Options, Resources, is_absent


class Holders(ModuleSpec):
    """A module of an object that contains a list, such as a ruleset with its rules, or of `several`
    such objects. Its desired state has the objects, then the list in each, then the rules that
    deploy them. With several, the objects are in the option `option`, and `purge` deletes those
    that the task does not name. The list of an object is in `contents`. `words` name an object and
    an element in sentences. `object_options` are the options of one object, `task_options` those of
    the task.
    """

    of_rules = True
    option = contents = ""
    words = ("", "")
    object_options: OptionSpec
    task_options: Options = NO_ITEMS

    def __init__(self, several: bool = False) -> None:
        self.several = several
        fields = ArgumentFields(self.object_options)
        fields.ignored = self.holders.assigned
        if several:
            objects = {"type": "list", "elements": "dict", "options": fields, "required": True}
            options = {self.option: objects, **CommonOptions.PURGE, **CommonOptions.IGNORE}
        else:
            options = {**self.object_options, **CommonOptions.STATE}
        self.options = {**options, **self.task_options, **risk_options(self.risks)}

    @property
    @abstractmethod
    def holders(self) -> Resource:
        """The collection of the objects."""

    @abstractmethod
    def desired_contents(self, path: Option, entry: Options, absent: bool) -> Sequence[Desired]:
        """The desired list in an object; empty if the list is left alone. Raises OptionError."""

    def desired_deployments(self, entries: Entries) -> Sequence[Desired]:
        """The desired rules that deploy the objects; raises OptionError."""
        return ()

    def desired(self, options: Options) -> Sequence[Desired]:
        absent = not self.several and is_absent(options)
        problems = OptionProblems()
        entries: Entries = [(THE_TASK, options)]
        if self.several:
            entries = numbered(self.option, options[self.option])
        desired: list[Desired] = []
        with problems.collected():
            desired.append(self._desired_objects(entries, options, absent, problems))
        for path, entry in entries:
            with problems.collected():
                self._check(path, entry, absent)
            with problems.collected():
                desired += self.desired_contents(path, entry, absent)
        with problems.collected():
            desired += self.desired_deployments([] if absent else entries)
        raise_any(problems, desired)
        return desired

    def _check(self, path: Option, entry: Options, absent: bool) -> None:
        """Raise OptionError for `purge` without a list, and for a deletion of elements that names
        none.
        """
        contents = entry[self.contents]
        if entry["purge"]:
            check_purge(self.contents, contents, absent, path)
        if absent and contents == []:
            holder, element = self.words
            advice = f"it names no {element}. Leave it out to delete the {holder}, or set "
            raise OptionError(path.at(self.contents), Message(advice, STATE, " to present"))

    def _desired_objects(
        self, entries: Entries, options: Options, absent: bool, problems: OptionProblems
    ) -> Desired:
        """The desired objects without their lists. If the task deletes elements of a list, the
        object itself stays.
        """
        resource = self.holders
        if absent:
            names = [*resource.key, *(field.name for field in resource.fixed)]
        else:
            names = [name for name in self.object_options if name in resource.options]
        fields = [(path, only(entry, names)) for path, entry in entries]
        if self.several:
            desired = parse_desired(resource, fields, exclusive=options["purge"], errors=problems)
            return parse_ignore(desired, options["ignore"] or ())
        stays = absent and unless_wrong(options, self.contents) is not None
        desired = parse_desired(resource, fields, absent and not stays, errors=problems)
        return replace(desired, only_deletes=stays)

    def parsed_name(self, option: Option, text: Any) -> str:
        """The name of an object; raises OptionError."""
        return str(parsed(option, self.holders.field("name").value.parse, text))

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        resources = super().reads(options, desired, state)
        by_plural = {resource.plural: resource for resource in resources}
        desired_objects = desired[0]
        holders = desired_objects.resource
        if holders.contents and holders.plural in state:
            objects = holders.our_objects_in(state)
            existing = desired_objects.among(objects)
            new_or_existing = (*desired_objects.objects.values(), *existing)
            for obj in new_or_existing:
                contents = holders.contents(obj)
                by_plural[contents.plural] = contents
        return [*by_plural.values()]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        desired_objects = desired[0]
        objects = desired_objects.among(self.holders.our_objects_in(state))
        assembled = [self.holders.semantics.assembled(obj, state) for obj in objects]
        return {self.option: assembled} if self.several else self.result_of_one(assembled)

    def result_of_one(self, assembled: Sequence[dict[str, Any]]) -> ModuleResult:
        """The result of a module of one object."""
        holder, _element = self.words
        return {holder: next(iter(assembled), None)}
