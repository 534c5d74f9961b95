"""erasures: the content-free tombstones that the log holds, and what became of every holder (§12.3)."""

from __future__ import annotations

import argparse

from core.controls import Tombstone
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.opened import Opened
from tui.cli.output import Json, Output
from tui.cli.parser import add_reading
from tui.cli.shapes import place_json

_SIGNS = {"completed": ("✓", "*"), "partially-completed": ("!", "!"), "unevaluated": ("◌", "o")}
_UNKNOWN = ("?", "?")


def _run(args: argparse.Namespace, out: Output) -> int:
    tombstones = Opened.of(args).snapshot.tombstones[::-1]
    if out.json:
        out.data([erasure_json(one) for one in tombstones])
        return exits.OK
    if not tombstones:
        out.nothing("nothing was ever erased here.")
    for one in tombstones:
        _print(one, out)
    return exits.OK


def erasure_json(one: Tombstone) -> dict[str, Json]:
    """`erasure_id, scope_refs, authority_ref, decided_at, executed_at, holders [{holder_ref, result, limitation_ref}],
    sanitized_replacement_refs, place`."""
    return {
        "erasure_id": one.erasure_id,
        "scope_refs": list(one.scope_refs),
        "authority_ref": one.authority_ref,
        "decided_at": one.decided_at,
        "executed_at": one.executed_at,
        "holders": [
            {"holder_ref": holder, "result": result, "limitation_ref": limitation}
            for holder, result, limitation in one.holders
        ],
        "sanitized_replacement_refs": list(one.sanitized_replacement_refs),
        "place": None if one.place is None else place_json(one.place),
    }


def _print(one: Tombstone, out: Output) -> None:
    done = sum(result == "completed" for _, result, _ in one.holders)
    gone = "x" if out.ascii_only else "✕"
    scope = ", ".join(one.scope_refs)
    out.line(f"{gone} {out.one_line(f'{one.erasure_id}   {scope}')}   {done} of {len(one.holders)} holders completed")
    facts = (
        ("authority", one.authority_ref),
        ("decided", one.decided_at),
        ("executed", one.executed_at),
        ("instead", ", ".join(one.sanitized_replacement_refs)),
        ("stands in", str(one.place) if one.place is not None else ""),
    )
    out.table([(label, out.one_line(value)) for label, value in facts if value], indent="  ")
    for holder, result, limitation in one.holders:
        sign = _SIGNS.get(result, _UNKNOWN)[out.ascii_only]
        out.line(f"  {sign} {'   '.join(out.one_line(part) for part in (holder, result, limitation) if part)}")
    out.line()


COMMANDS = {
    "erasures": Command(
        usage="[--json]",
        description=("Every erasure that the log holds, the newest first: scope, authority, and each holder's result."),
        examples=("erasures", "erasures --json"),
        arguments=add_reading,
        run=_run,
    )
}
