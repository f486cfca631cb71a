"""Definitions that share nothing with a use but the name: a last resort, for names that few have."""

from __future__ import annotations

from trackdown.graph.scoped.files import NOWHERE, Found, Sources, View
from trackdown.graph.scoped.rules import Rules
from trackdown.types import CLASS_KINDS

_MOST_NAMED = 3
_SHORTEST = 3
_COMMON = frozenset(
    "add advance after all and any append apply args as_mut as_ref as_str before begin borrow borrow_mut build c_str "
    "call call_user_func check class clear clone close collect compare contains containskey context copy count create "
    "data debug default delete deref describe dig dispose drain drop dup each each_key each_pair each_value "
    "emplace_back empty end eql equals error execute exists exit expect extend fail fetch fetch_add filter find "
    "finish first flush for_each foreach format free freeze from from_str get getenumerator getorelse getorput "
    "getvalue gsub handle has_key hash id include index info init initialize insert inspect instance_of "
    "instance_variable_get into into_iter invoke is_a is_empty is_err is_none is_ok is_pending is_ready is_some "
    "isempty isnotempty isnullorempty item items iter join key keys kind_of last len length list load lock log main "
    "make map match max merge method_exists method_missing min name names new next nil none not open options order "
    "orempty padend parse path peek poll pop pop_back pop_front print process public_send push push_back push_front "
    "put read record release remove render replace require reset resize resolve respond_to result retain reverse run "
    "save search select send set setup shift show size skip sort split start state stop string sub substring sum swap "
    "sync take tap test then then_some to_a to_hash to_i to_proc to_s to_str to_string to_sym to_vec toarray tolist "
    "tostring trim try_from try_into trygetvalue type unlock unwrap update use validate value values verify version "
    "wait wake_by_ref will_wake with write zip".split()
)
"""Names, in small letters and without `?`, `!` and `=`, that say too little, or that standard libraries have too."""


def by_name(sources: Sources, rules: Rules, view: View, name: str, kinds: frozenset[str], member: bool) -> Found:
    """The definitions of a name, if there are at most three. `member` says that it is called on something."""
    if len(name) < _SHORTEST or name.lower().rstrip("?!=") in _COMMON or (member and not rules.by_member(view)):
        return NOWHERE
    named = sources.named(name)
    if not 0 < len(named) <= _MOST_NAMED:
        return NOWHERE
    fitting = [
        one
        for one in named
        if one.kind in kinds
        and (one.kind in CLASS_KINDS or bool(one.owner) == member)
        and rules.reachable(view, one)
    ]  # fmt: skip
    return Found(tuple(fitting), "name")
