"""show: one item whole, or an event, or a control record."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from core.errors import ItemNotFound
from core.events import Event
from core.ids import EVENT, WITHDRAWAL
from core.items import FieldValue, MemoryItem
from core.sources import Resolved, parse_source, resolve
from tui import display, glyphs
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.items import status_of
from tui.cli.log import event_of, touched
from tui.cli.naming import bearers_of
from tui.cli.opened import Opened
from tui.cli.output import Json, Output
from tui.cli.parser import add_reading, nearest
from tui.cli.references import Reference, chain_of, references_to
from tui.cli.shapes import control_json, item_json
from tui.cli.withheld import MARK, Withheld

_NO_ITEM = (f"{EVENT}-", f"{WITHDRAWAL}-")

_APART = frozenset({"text", "influence", "sources", "chain", "referred_by", "history", "place", "extra", "withheld"})
"""What of an item's JSON is printed in its own way."""

_TEXT = 100
"""Cells of a line of an item's text."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="ID", help="an item's id or FILE:LINE, an event's id, or a control record's")
    parser.add_argument("--history", action="store_true", help="also every event that touched it, field by field")
    add_reading(parser)


def _run(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    withheld = Withheld(opened.reading)
    event = event_of(opened.snapshot, args.name)
    view = next((one for one in opened.reading.influence.controls if one.record.withdrawal_id == args.name), None)
    if view is not None:
        _print_value(control_json(view, opened.snapshot), out)
    elif event is not None:
        _print_value(event_json(event, withheld), out)
    else:
        found = _bearers(opened, args.name)
        values = [_item_json(item, opened, withheld, history=args.history) for item in found]
        if out.json:
            out.data(values[0] if len(values) == 1 else values)
        else:
            for item, value in zip(found, values, strict=True):
                _print_item(item, value, opened, withheld, out)
    return exits.OK


def _bearers(opened: Opened, name: str) -> tuple[MemoryItem, ...]:
    """The items that `name` names; for a mistyped event or control record, the nearest of those."""
    if not name.startswith(_NO_ITEM):
        return bearers_of(opened.snapshot, name)
    events = (event.id for event in opened.snapshot.events)
    near = nearest(name, [*events, *(record.withdrawal_id for record in opened.snapshot.controls)])
    raise ItemNotFound(
        f"No such event or control record; did you mean {near}?" if near else "No such event or control record.",
        where=name,
        remedy="`assay log` and `assay withdrawals` list what there is.",
    )


def _item_json(item: MemoryItem, opened: Opened, withheld: Withheld, *, history: bool) -> dict[str, Json]:
    """`item_json` and `sources [{text, kind, found, line, excerpt, reason}], chain [{id, key, date, status, text}],
    referred_by [{id, how, place}]`, and with history `history [event]`."""
    snapshot = opened.snapshot
    value = item_json(item, opened.reading, withheld)
    value["sources"] = [
        {
            "text": one.ref.text,
            "kind": one.ref.kind,
            "found": one.found,
            "line": one.line,
            "excerpt": None if one.excerpt is None else withheld.scrub(one.excerpt),
            "reason": one.reason,
        }
        for one in _sources(item, opened, withheld)
    ]
    value["chain"] = [
        {
            "id": row.id,
            "key": row.key,
            "date": row.date,
            "status": row.status.value if row.status else row.status_text,
            "text": withheld.text(row),
        }
        for row in chain_of(snapshot, item)
    ]
    value["referred_by"] = [reference._asdict() for reference in _references(item, opened)]
    if history:
        value["history"] = [event_json(event, withheld) for event in snapshot.events if item.id in touched(event)]
    return value


def _sources(item: MemoryItem, opened: Opened, withheld: Withheld) -> list[Resolved]:
    source = withheld.source(item)
    if source is None:
        return []
    influence = opened.reading.influence
    return [resolve(opened.snapshot, ref, influence, item_id=item.id) for ref in parse_source(source)]


def _references(item: MemoryItem, opened: Opened) -> list[Reference]:
    return [] if item.id is None else list(references_to(opened.snapshot, item.id))


def event_json(event: Event, withheld: Withheld) -> dict[str, Json]:
    """`id, type, at, actor, command, summary, undoes, decision {by, at, plan}, detail {}, items [{id, prior, fields
    [{name, before, after}], corrections […]}], control`: the id of its control record."""
    items: list[Json] = []
    for change in event.items:
        steps = {"fields": change.fields, "corrections": change.corrections}
        items.append(
            {
                "id": change.id,
                "prior": None
                if change.record is None
                else {name: _value(value, withheld) for name, value in change.record.items()},
                **{
                    name: [
                        {"name": s.name, "before": _value(s.before, withheld), "after": _value(s.after, withheld)}
                        for s in part
                    ]
                    for name, part in steps.items()
                },
            }
        )
    return {
        "id": event.id,
        "type": event.type,
        "at": event.at,
        "actor": event.actor,
        "command": event.command,
        "summary": withheld.scrub(event.summary),
        "undoes": event.undoes,
        "decision": None if event.decision is None else asdict(event.decision),
        "detail": {name: _value(value, withheld) for name, value in event.detail.items()},
        "items": items,
        "control": None if event.control is None else event.control.withdrawal_id,
    }


def _value(value: FieldValue | None, withheld: Withheld) -> Json:
    if value is None:
        return None
    return withheld.scrub(value) if isinstance(value, str) else [withheld.scrub(part) for part in value]


def _print_value(value: dict[str, Json], out: Output) -> None:
    if out.json:
        out.data(value)
        return
    for line in _nested(value):
        out.line(out.masked(line))


def _nested(value: dict[str, Json], indent: str = "") -> list[str]:
    """A JSON object as indented lines; what is empty is left out."""
    lines: list[str] = []
    for name, part in value.items():
        if part in (None, "", [], {}):
            continue
        if isinstance(part, dict):
            lines += [f"{indent}{name}", *_nested(part, indent + "  ")]
        elif isinstance(part, list) and any(isinstance(one, dict) for one in part):
            lines.append(f"{indent}{name}")
            for one in part:
                if isinstance(one, dict):
                    first, *rest = _nested(one, indent + "    ") or [indent + "    -"]
                    lines += [f"{indent}  - {first.strip()}", *rest]
        else:
            text = ", ".join(map(str, part)) if isinstance(part, list) else str(part)
            lines.append(f"{indent}{_label(name)}{display.one_line(text)}")
    return lines


def _print_item(item: MemoryItem, value: dict[str, Json], opened: Opened, withheld: Withheld, out: Output) -> None:
    kind = glyphs.kind_glyph(item.kind)
    head = (item.id or "no id", out.label(kind), out.label(status_of(item, withheld)))
    out.line("   ".join(map(display.one_line, head)))
    text = withheld.text(item)
    out.line()
    for line in [MARK] if text is None else display.wrap(display.visible(out.masked(text)), _TEXT):
        out.line(f"  {line}")
    out.line()
    shown = {name: part for name, part in value.items() if name not in _APART and (name != "key" or part != item.id)}
    for line in _nested({"place": str(item.place), "section": item.place.section, **shown}):
        out.line(f"  {out.masked(line)}")
    for name, extra in item.extra if withheld.eligible(item) else ():
        out.line(f"  {_label(display.one_line(name))}{out.one_line(extra)}")
    _print_influence(item, opened, out)
    for one in _sources(item, opened, withheld):
        _print_source(one, withheld, out)
    _print_chain(item, opened, withheld, out)
    if references := _references(item, opened):
        out.line("  referred to by")
        for reference in references:
            out.line(f"    {out.one_line(f'{reference.id}   {reference.how}   {reference.place}')}")
    history = value.get("history")
    if isinstance(history, list):
        out.line("  history" if history else "  history       no event names it")
        for event in history:
            if isinstance(event, dict):
                out.line()
                for line in _nested(event, "    "):
                    out.line(out.masked(line))
    out.line()


def _print_influence(item: MemoryItem, opened: Opened, out: Output) -> None:
    verdict = opened.reading.influence.verdict(item.key)
    by = f" by {', '.join(verdict.by)}" if verdict.by else ""
    why = f": {verdict.why}" if verdict.why else ""
    word = "eligible" if verdict.eligible else f"excluded{by}"
    out.line(f"  {display.pad('influence', 14)}{out.one_line(word + why)}")


def _print_source(one: Resolved, withheld: Withheld, out: Output) -> None:
    if one.ref.kind == "statement":
        return
    sign = out.mark(glyphs.RESOLVES if one.found else glyphs.DANGLING)
    out.line(f"  {display.pad('rests on', 14)}{sign} {out.one_line(one.ref.text)}   {out.one_line(one.reason)}")
    if one.excerpt is not None:
        for line in withheld.scrub(out.masked(one.excerpt)).split("\n"):
            out.line(f"      {out.mark(glyphs.WORD)} {display.visible(line)}", clip=True)


def _print_chain(item: MemoryItem, opened: Opened, withheld: Withheld, out: Output) -> None:
    rows = chain_of(opened.snapshot, item)
    if len(rows) < 2:
        return
    out.line("  chain")
    out.table(
        [
            [
                ">" if row.key == item.key else " ",
                display.one_line(row.date or "no date"),
                display.one_line(row.id or row.key),
                out.label(status_of(row, withheld)),
                MARK if (text := withheld.text(row)) is None else out.one_line(text),
            ]
            for row in rows
        ],
        indent="  ",
    )


def _label(name: str) -> str:
    """A field's name in its column; a long one still stands apart from its value."""
    return display.pad(name, 14) if display.width(name) < 14 else f"{name} "


COMMANDS = {
    "show": Command(
        usage="ID [--history] [--json]",
        description="One item whole: its record, what it rests on, its chain, its influence, and who refers to it.",
        examples=("show mem-2026-05-11-004", "show topics/environment.md:41 --history", "show memwd-2026-06-10-001"),
        arguments=_arguments,
        run=_run,
    )
}
