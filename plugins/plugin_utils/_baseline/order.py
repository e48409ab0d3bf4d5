# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of the hosts of a run: accounts make what rules of their zones refer to before the
zones, and remove it after them. Pure functions over predictions of the hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict

from ...module_utils._context import FIRST, LAST, LATER, ROOM, STAYING, WATCH, FleetTurn
from ...module_utils._schema.resource import fields_in, without
from ...module_utils._text import first_few
from .._variables import FLEET
from .host_task import HeldTexts, HostTask
from .variables import RESULT

ORDERED = FleetTurn(is_ordered=True)  # the turn of a host on which no other host depends
HELD = (
    "Rules of this zone refer to lists which its account makes or changes first, and {account} is"
    " refused or has failed. Nothing of the zone was changed. Mend that, and repeat the run."
)


class Prediction(NamedTuple):
    """The result that is predicted for a host, the texts that its task would show, and what other
    hosts take from it: an empty mapping if it has no plan. `address` is that of Cloudflare (empty:
    it is not known), and `account_id` the account that the inventory knows for a zone. Rules of a
    host that `may_be_zone` are not known if it failed before its plan, or `is_outside` of the run.
    A zone `is_held` if its account is refused, and would change lists to which its rules refer.
    """

    result: dict[str, Any]
    texts: HeldTexts
    of_fleet: Mapping[str, Any] = MappingProxyType({})
    address: str = ""
    account_id: str = ""
    may_be_zone: bool = False
    is_outside: bool = False
    is_held: bool = False

    @classmethod
    def of_report(cls, texts: HeldTexts, task: HostTask) -> Prediction:
        """The prediction of a host in a report."""
        may_be_zone = task.names_zone()
        failed = bool(task.of_fleet.get("refused")) or (may_be_zone and not task.of_fleet)
        address, account_id = task.base_url(), task.account_of_zone()
        return cls({"failed": failed}, texts, task.of_fleet, address, account_id, may_be_zone)

    @property
    def is_account(self) -> bool:
        """Return whether the host has a plan for an account."""
        return "state" in self.of_fleet

    @property
    def is_refused_account(self) -> bool:
        """Return whether the host has a plan for an account that is refused."""
        return self.is_account and bool(self.result.get("failed"))

    @property
    def awaits_zones(self) -> bool:
        """Return whether the plan for an account is refused only since rules refer to its lists,
        which those of zones may do no more after the run."""
        return self.is_refused_account and not self.of_fleet["refused"]

    @property
    def lacks_room(self) -> bool:
        """Return whether the plan for an account is refused, perhaps since its new lists have no
        room beside those that it removes."""
        return self.is_refused_account and bool(self.of_fleet["holds_room"])

    @property
    def changes_account(self) -> bool:
        """Return whether the run changes what rules of zones may refer to in their account."""
        is_applied = not self.result.get("failed") or STAYING in self.result
        return is_applied and WATCH not in self.result and bool(self.of_fleet.get("state"))

    def is_zone_of(self, account: Prediction) -> bool:
        """Return whether a zone may be one of the account that another host describes."""
        if self.is_account or not (self.is_unread or "uses" in self.of_fleet):
            return False
        return self.may_be_of(account.of_fleet["account_id"], account.address)

    def may_be_of(self, account_id: str, address: str) -> bool:
        """Return whether a zone may be one of the account with this id (empty: it is not known), at
        Cloudflare's address."""
        accounts = {self.known_account, account_id} - {""}
        return self.address in ("", address) and len(accounts) < 2

    def relies_on(self, account: Prediction) -> bool:
        """Return whether a zone changes, and its rules then refer to lists that an account makes or
        changes."""
        needed = self.of_fleet.get("needs", ())
        return not {*account.of_fleet.get("fills", ())}.isdisjoint(needed)

    def held_by(self, account: str) -> Prediction:
        """The prediction of a zone that changes nothing, since its account does not."""
        failure = {"failed": True, "changed": False, "msg": HELD.format(account=account)}
        result = {**without(self.result, "operations"), **failure}
        return self._replace(result=result, texts=HeldTexts(), is_held=True)

    def frees(self, names: Iterable[str]) -> Counter[str]:
        """The number of rules of a zone that will refer to these lists no more, by list."""
        changes = self.of_fleet.get("changes", {})
        return Counter({name: -changes[name] for name in names if changes.get(name, 0) < 0})

    def without_refusal(self) -> Prediction:
        """The same prediction, as if the plan was not refused."""
        return self._replace(result=without(self.result, "failed"))

    @property
    def known_account(self) -> str:
        """The id of the account of a zone; empty if it is not known."""
        return str(self.of_fleet.get("account_id") or self.account_id)

    @property
    def is_unread(self) -> bool:
        """Return whether the rules of a zone are not known."""
        is_failed = bool(self.result.get("failed"))
        return self.may_be_zone and not self.of_fleet and is_failed

    @property
    def follows_accounts(self) -> bool:
        """Return whether the host has a plan for a zone with changes, or with expectations, which
        may depend on what its account makes."""
        return "changes" in self.of_fleet or bool(self.of_fleet.get("met"))

    @property
    def stays(self) -> bool:
        """Return whether the run has nothing to change in the host, which fails all the same."""
        return bool(self.of_fleet.get("stays"))

    def breaks_more_than(self, former: Prediction) -> bool:
        """Return whether a zone is refused, and an expectation is not met without its plan that is
        met in a `former` prediction."""
        met_in_both = zip(former.of_fleet.get("met", ()), self.of_fleet.get("met", ()))
        is_broken = any(was_met and not is_met for was_met, is_met in met_in_both)
        return is_broken and bool(self.result.get("failed"))


Predictions = Mapping[str, Prediction]  # by host


class AccountOrder(TypedDict):
    """The turns of an account: the zones before the first one, which make room for it, whether it
    has a first and a last one, the zones of the run by the lists to which their rules refer today,
    the contents of changed lists after the run, and the zones that rely on what it makes."""

    account_id: str
    room: list[str]
    relying: list[str]
    first: bool
    last: bool
    users: dict[str, list[str]]
    contents: Mapping[str, Any]


def orders(predictions: Predictions) -> dict[str, AccountOrder]:
    """The turns of each account host on which zones of the run depend."""
    found: dict[str, AccountOrder] = {}
    for host, account in predictions.items():
        if not account.changes_account:
            continue
        zones = _zones_of(account, predictions)
        users = _users(account, zones)
        if any(zone.follows_accounts for zone in zones.values()) or _is_held(account, zones, users):
            facts = account.of_fleet
            found[host] = AccountOrder(
                account_id=facts["account_id"],
                room=_making_room(account, zones),
                relying=[name for name, zone in zones.items() if zone.relies_on(account)],
                first=facts["makes"],
                last=facts["removes"],
                users=users,
                contents=facts["contents"],
            )
    return found


def _zones_of(account: Prediction, predictions: Predictions) -> dict[str, Prediction]:
    return {host: zone for host, zone in predictions.items() if zone.is_zone_of(account)}


def _making_room(account: Prediction, zones: Predictions) -> list[str]:
    """The zones that stop referring to lists which their account removes before it makes others."""
    names = account.of_fleet["makes_room"]
    return [host for host, zone in zones.items() if zone.frees(names)]


def _users(account: Prediction, zones: Predictions) -> dict[str, list[str]]:
    """By changed list of an account, the zones whose rules refer to it, and that the run may have
    to change. If more rules do than were read, those of any zone may; for zones outside of the run,
    it is an empty name."""
    users: dict[str, list[str]] = {}
    following = [host for host in zones if not zones[host].stays]
    for name in account.of_fleet["contents"]:
        using = [host for host in following if name in zones[host].of_fleet.get("uses", {})]
        if _has_unread_rules(name, account, zones):
            using = [*dict.fromkeys("" if zones[host].is_outside else host for host in following)]
        if using:
            users[name] = using
    return users


def _has_unread_rules(name: str, account: Prediction, zones: Predictions) -> bool:
    """Return whether more rules refer to a list than were read, or may do, since Cloudflare does
    not count them."""
    facts = account.of_fleet
    if name not in facts["references"]:
        return True
    known = 0
    for zone in zones.values():
        if zone.known_account == facts["account_id"]:
            known += zone.of_fleet.get("uses", {}).get(name, 0)
    return bool(facts["references"][name] > known)


def _is_held(account: Prediction, zones: Predictions, users: Mapping[str, Sequence[str]]) -> bool:
    """Return whether an account removes something, and a zone of which nothing was read may refer
    to its lists."""
    unread = {host for host, zone in zones.items() if zone.is_unread}
    may_use = [host for hosts in users.values() for host in hosts]
    return bool(account.of_fleet["removes"]) and not {"", *unread}.isdisjoint(may_use)


def turns_of_zones(predictions: Predictions) -> dict[str, FleetTurn]:
    """The turns of zones that are to be predicted again, after what their accounts make."""
    turns: dict[str, FleetTurn] = {}
    order = orders(predictions)
    for host, zone in predictions.items():
        accounts = [name for name in order if zone.is_zone_of(predictions[name])]
        if accounts and zone.follows_accounts:
            facts = [predictions[name].of_fleet for name in accounts]
            before = [
                predictions[name].of_fleet for name in accounts if host not in order[name]["room"]
            ]
            states = {of_account["account_id"]: of_account["state"] for of_account in before}
            contents = {of_account["account_id"]: of_account["contents"] for of_account in facts}
            turns[host] = ORDERED._replace(accounts=states, contents=contents)
    return turns


def turns_with_room(predictions: Predictions) -> dict[str, FleetTurn]:
    """The turns of refused accounts that are to be predicted again, after the zones whose changed
    rules need nothing that they make."""
    turns: dict[str, FleetTurn] = {}
    for host, account in predictions.items():
        if not account.lacks_room:
            continue
        room: Counter[str] = Counter()
        for zone in _zones_of(account, predictions).values():
            if not zone.relies_on(account):
                room += zone.frees(account.of_fleet["holds_room"])
        if room:
            turns[host] = ORDERED._replace(freed=dict(room), room=dict(room))
    return turns


def turns_of_accounts(predictions: Predictions) -> dict[str, FleetTurn]:
    """The turns of accounts that are to be predicted again, after what their zones change."""
    turns: dict[str, FleetTurn] = {}
    for host, order in orders(predictions).items():
        if not (order["last"] or order["room"]):
            continue
        account = predictions[host]
        zones = _zones_of(account, predictions)
        failed = [name for name, zone in zones.items() if zone.result.get("failed")]
        freed: Counter[str] = Counter()
        room: Counter[str] = Counter()
        for name in zones.keys() - failed:
            freed.subtract(zones[name].of_fleet.get("changes", {}))
            room += zones[name].frees(account.of_fleet["makes_room"])
        users = still_using(order, failed)
        turns[host] = ORDERED._replace(freed=dict(freed), room=dict(room), users=users)
    return turns


def still_using(order: AccountOrder, failed: Sequence[str]) -> dict[str, list[str]]:
    """By list, the failed hosts that go on to refer to it; an empty name for hosts outside."""
    users: dict[str, list[str]] = {}
    for name, hosts in order["users"].items():
        using = [host for host in hosts if host in ("", *failed)]
        if using:
            users[name] = using
    return users


Predict = Callable[[Mapping[str, FleetTurn]], Iterable[Prediction]]  # of hosts in these turns


def predictions_in_turns(
    hosts: Sequence[str], predict: Predict, outside: Callable[[], Predictions] = dict
) -> dict[str, Prediction]:
    """The predictions of all hosts: zones after what their accounts make, and these accounts after
    what their zones change. If an account removes something, those of zones `outside` are added."""
    predictions = dict(zip(hosts, predict(dict.fromkeys(hosts, ORDERED))))
    if any(prediction.of_fleet.get("removes") for prediction in predictions.values()):
        predictions.update(outside())
    predictions.update(_predicted_with_room(predictions, predict))
    refused = {host: account for host, account in predictions.items() if account.awaits_zones}
    awaiting = {host: account.without_refusal() for host, account in refused.items()}
    predictions.update(awaiting)
    ordered = {host: predictions[host] for host in orders(predictions)}
    former = dict(predictions)
    for turns_after in (turns_of_zones, turns_of_accounts, partial(turns_without, ordered)):
        turns = turns_after(predictions)
        if turns:
            predictions.update(zip(turns, predict(turns)))
            predictions.update(_breaking(former, predictions))
    for host, account in awaiting.items():
        if predictions[host] is account:  # no zone of the run stops referring to its lists
            predictions[host] = refused[host]
    predictions.update(_held_zones(predictions))
    return predictions


def _held_zones(predictions: Predictions) -> dict[str, Prediction]:
    """The zones that change nothing, since they rely on an account that is refused."""
    held: dict[str, Prediction] = {}
    for host in refused_accounts(predictions):
        account = predictions[host]
        for name, zone in _zones_of(account, predictions).items():
            if zone.relies_on(account) and not zone.result.get("failed"):
                held[name] = zone.held_by(host)
    return held


def _predicted_with_room(predictions: Predictions, predict: Predict) -> dict[str, Prediction]:
    """The predictions of refused accounts after zones that make room for them; of those that are
    refused all the same, without these zones."""
    turns = turns_with_room(predictions)
    found = dict(zip(turns, predict(turns))) if turns else {}
    still_refused = [host for host, account in found.items() if account.is_refused_account]
    without_zones = {host: ORDERED for host in still_refused if not found[host].awaits_zones}
    if without_zones:
        found.update(zip(without_zones, predict(without_zones)))
    return found


def _breaking(former: Predictions, predictions: Predictions) -> dict[str, Prediction]:
    """The accounts that are refused, since what they make leaves expectations of zones unmet that
    are met in the `former` predictions, and these zones do not follow."""
    refused: dict[str, Prediction] = {}
    for host in orders(predictions):
        account = predictions[host]
        zones = _zones_of(account, predictions)
        broken = [name for name in zones if zones[name].breaks_more_than(former[name])]
        if broken:
            message = _breaking_message(broken, predictions)
            failure = {**without(account.result, STAYING, "left"), "failed": True, "msg": message}
            refused[host] = account._replace(result={**failure, "changed": False})
    return refused


def _breaking_message(broken: Sequence[str], predictions: Predictions) -> str:
    about = predictions[broken[0]].result["msg"]
    return (
        f"This account would make something that leaves expectations of {first_few(broken)} unmet"
        f" that are met now, so that nothing of its plan is applied. {broken[0]}: {about}"
    )


def turns_without(accounts: Predictions, predictions: Predictions) -> dict[str, FleetTurn]:
    """The turns of zones that are to be predicted again, since an account of these is refused after
    all, so that it makes nothing for them."""
    refused = refused_accounts(predictions)
    lacking = [accounts[host] for host in refused if host in accounts]
    return {
        host: ORDERED
        for host, zone in predictions.items()
        if zone.follows_accounts and any(map(zone.is_zone_of, lacking))
    }


def refused_accounts(predictions: Predictions) -> list[str]:
    """The accounts with zones in the run whose plans are refused. They write nothing, in no part of
    their plans."""
    refused = {host: account for host, account in predictions.items() if account.is_refused_account}
    ordered = orders(predictions) if refused else {}
    return [
        host
        for host, account in refused.items()
        if host not in ordered and _zones_of(account, predictions)
    ]


def hosts_without_task(predictions: Predictions) -> list[str]:
    """The refused accounts, and the zones that rely on them: a task of their own has nothing to
    do."""
    held = [host for host, zone in predictions.items() if zone.is_held]
    return [*refused_accounts(predictions), *held]


FIRST_TURN = (
    "first_turn"  # in the result of a host that has a further turn: the result of its first
)
OF_BOTH_TURNS = ("operations", "risks", "diff", "warnings", "unknown")


class Registered(NamedTuple):
    """The variables that a playbook registers: the result of the task for all hosts, and that of
    each host."""

    fleet: str
    result: str


OF_BASELINE = Registered(FLEET, RESULT)


class HostTurn(NamedTuple):
    """The task of a host in a run, by what the task for all hosts returned (`fleet`): in its turn
    `room`, `first` or `last`, or between them. `earlier` is the result of its first turn."""

    host: str
    fleet: Mapping[str, Any]
    turn: str
    earlier: Mapping[str, Any]
    check_mode: bool

    @classmethod
    def of_task(
        cls,
        host: str,
        turn: str,
        variables: Mapping[str, Any],
        check_mode: bool,
        registered: Registered = OF_BASELINE,
    ) -> HostTurn | None:
        """The turn of a host; None if no task has predicted all hosts together."""
        fleet = variables.get(registered.fleet)
        if not isinstance(fleet, Mapping) or host not in fleet["hosts"]:
            return None
        earlier = fields_in(fields_in(variables.get(registered.result)).get(FIRST_TURN))
        return cls(host, fleet, turn, earlier, check_mode)

    @property
    def account_order(self) -> AccountOrder | None:
        """The turns of an account on which zones of the run depend; None for any other host."""
        order: AccountOrder | None = self.fleet["order"].get(self.host)
        return order

    @property
    def settled(self) -> dict[str, Any] | None:
        """The result of a task that has nothing to run; None if it has. In check mode, the host was
        predicted with the others. Between its turns, an account waits, unless the first one was
        its last, as that of a zone before its account is."""
        order = self.account_order
        predicted: dict[str, Any] = dict(self.fleet["hosts"][self.host])
        if self.host in self.fleet["refused"]:
            return predicted
        if self.check_mode:
            is_ordered = order is not None or self.host in self.fleet["after_others"]
            return predicted if is_ordered else None
        if self.turn or (order is None and not self.earlier):
            return None
        if order is not None and order["last"] and not self.earlier.get("failed"):
            return {"changed": False, FIRST_TURN: self.earlier}
        return dict(self.earlier)

    @property
    def relied_on(self) -> list[str]:
        """The accounts on which a zone relies."""
        accounts: Mapping[str, AccountOrder] = self.fleet["order"]
        return [name for name in accounts if self.host in accounts[name]["relying"]]

    @property
    def is_followed(self) -> bool:
        """Return whether a later turn of the host shows what it has done."""
        order = self.account_order
        return self.turn == FIRST and order is not None and order["last"]

    def fleet_turn(self, failed: Sequence[str]) -> FleetTurn:
        """The turn of the host, after the hosts that have `failed`."""
        order = self.account_order
        if order is not None:
            users = still_using(order, failed) if self.turn == LAST else {}
            return ORDERED._replace(turn=self.turn, users=users)
        accounts: Mapping[str, AccountOrder] = self.fleet["order"]
        contents = {account["account_id"]: account["contents"] for account in accounts.values()}
        return ORDERED._replace(contents=contents)

    def result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """The result of the task with this result of its run: in the last turn that of both, in an
        earlier one none yet. A failure of an earlier one ends no play."""
        if self.turn in (ROOM, FIRST):
            return {"changed": False, FIRST_TURN: result}
        if self.turn == LAST:
            return _of_both_turns(self.earlier, result)
        return dict(result)


def _of_both_turns(first: Mapping[str, Any], last: Mapping[str, Any]) -> dict[str, Any]:
    """The one result of a host that has had two turns."""
    merged = {**without(first, LATER), **last}
    if last.get("failed") and STAYING not in last:
        done = [*(first.get("operations") or ()), *(last.get("done") or ())]
        merged["done"] = done
    for name in OF_BOTH_TURNS:
        parts = [*(first.get(name) or ()), *(last.get(name) or ())]
        if parts:
            merged[name] = parts
    merged["changed"] = bool(first.get("changed") or last.get("changed"))
    merged["plan_id"] = first.get("plan_id") or last.get("plan_id")
    return merged
