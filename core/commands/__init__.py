"""The commands of the engine: one function each, from a request and what it may look at to a draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.commands.draft import Context, Draft
from core.commands.repair import draft_repair
from core.commands.roots import draft_init, draft_owner
from core.commands.statuses import draft_clear, draft_pend, draft_stale
from core.commands.succession import draft_reconcile, draft_supersede
from core.commands.undo import draft_undo
from core.commands.withdrawal import draft_reinstate, draft_settle, draft_withdraw
from core.requests import (
    Clear,
    Init,
    NameOwner,
    Pend,
    Reconcile,
    Reinstate,
    Repair,
    Request,
    Settle,
    Stale,
    Supersede,
    Undo,
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
    Undo: ("undo", draft_undo),
    NameOwner: ("owner", draft_owner),
    Init: ("init", draft_init),
}
"""Request type -> the command's name (its row in `core.authority.AUTHORITY`) and its draft."""
