"""The commands of the engine: one function each, from a request and what it may look at to a draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.commands.curation import draft_cool, draft_reclassify, draft_subject, draft_triggers, draft_warm
from core.commands.draft import Context, Draft
from core.commands.merging import draft_merge, draft_not_duplicate
from core.commands.promotion import draft_approve, draft_propose, draft_reject
from core.commands.recovery import draft_recover
from core.commands.repair import draft_repair
from core.commands.roots import draft_init, draft_owner
from core.commands.statuses import draft_clear, draft_pend, draft_stale
from core.commands.succession import draft_reconcile, draft_supersede
from core.commands.undo import draft_undo
from core.commands.withdrawal import draft_reinstate, draft_settle, draft_withdraw
from core.requests import (
    Approve,
    Clear,
    Cool,
    Init,
    Merge,
    NameOwner,
    NotDuplicate,
    Pend,
    Propose,
    Reclassify,
    Reconcile,
    Recover,
    Reinstate,
    Reject,
    Repair,
    Request,
    SetSubject,
    Settle,
    SetTriggers,
    Stale,
    Supersede,
    Undo,
    Warm,
    Withdraw,
)

COMMANDS: dict[type[Request], tuple[str, Callable[[Any, Context], Draft]]] = {
    Stale: ("stale", draft_stale),
    Clear: ("clear", draft_clear),
    Pend: ("pend", draft_pend),
    Repair: ("repair", draft_repair),
    Supersede: ("supersede", draft_supersede),
    Reconcile: ("reconcile", draft_reconcile),
    Withdraw: ("withdraw", draft_withdraw),
    Reinstate: ("reinstate", draft_reinstate),
    Settle: ("settle", draft_settle),
    Reclassify: ("reclassify", draft_reclassify),
    SetSubject: ("subject", draft_subject),
    Cool: ("cool", draft_cool),
    Warm: ("warm", draft_warm),
    Merge: ("merge", draft_merge),
    NotDuplicate: ("not-duplicate", draft_not_duplicate),
    SetTriggers: ("triggers", draft_triggers),
    Propose: ("propose", draft_propose),
    Approve: ("approve", draft_approve),
    Reject: ("reject", draft_reject),
    Undo: ("undo", draft_undo),
    Recover: ("recover", draft_recover),
    NameOwner: ("owner", draft_owner),
    Init: ("init", draft_init),
}
"""Request type -> the command's name (its row in `core.authority.AUTHORITY`) and its draft."""
