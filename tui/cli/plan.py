"""plan: the cleanup plan of the review on paper, and a ticked one taken back in for confirmation (§16 step 10)."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.errors import AssayError, Declined, ItemNotFound, NotAuthorised, Refused, UsageError, WriteRefused
from core.plan import Plan
from core.requests import Clear, Cool, Pend, Repair, Request, Stale, Warm
from core.review_plan import OPEN, CleanupRow, Ticked, cleanup_markdown, cleanup_plan, read_plan
from tui import display
from tui.cli import commands, exits
from tui.cli.commands import Command
from tui.cli.decide import cleaner, decide_all, see_to_owners
from tui.cli.opened import Opened
from tui.cli.output import Json, Output, notice
from tui.cli.parser import did_you_mean
from tui.cli.preview import plan_json, plan_lines, receipt_json
from tui.widgets.diff import Clean


class _Asked(NamedTuple):
    """One request of a plan: the command it is a kind of, and the lines that ask for it."""

    name: str
    request: Request
    lines: tuple[int, ...]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="write the plan to a new file, and as JSON beside it (with --json: the JSON alone)",
    )
    parser.add_argument(
        "--take", metavar="FILE", help="take a plan back in: every ticked line is shown again, and asked"
    )
    parser.add_argument("--root", metavar="DIR", help="the memory root (else ASSAY_ROOT, else the nearest upwards)")
    parser.add_argument("--dry-run", action="store_true", help="with --take: print what would be done, write nothing")
    parser.add_argument("--json", action="store_true", help="the plan, or the receipts, as JSON")
    parser.add_argument("--reveal", action="store_true", help="show secrets instead of masking them")


def _run(args: argparse.Namespace, out: Output) -> int:
    if args.take is not None and args.out is not None:
        raise UsageError("--take and --out do not go together.", where="plan", remedy="See `assay plan -h`.")
    if args.dry_run and args.take is None:
        raise UsageError("Printing a plan changes nothing.", where="plan", remedy="--dry-run goes with --take.")
    opened = Opened.of(args)
    if args.take is not None:
        return _take(opened, args, out)
    rows = cleanup_plan(opened.reading.queue, opened.reading.conflicts)
    if args.out is None:
        _print(rows, opened, out)
    else:
        _write(rows, opened, args.out, out)
    return exits.OK


def _print(rows: Sequence[CleanupRow], opened: Opened, out: Output) -> None:
    clean = cleaner(opened, out)
    if out.json:
        out.data([row_json(row, clean) for row in rows])
        return
    for line in plan_text(rows, clean, today=opened.reading.today).splitlines():
        out.line(line)


def row_json(row: CleanupRow, clean: Clean) -> dict[str, Json]:
    """`what, who, why, waiting, command [words], line`. `command` is null where no command does it; a word that a human
    has to give is `…`; `line` is the row as `assay plan` prints it."""
    return {
        "what": clean(row.what),
        "who": row.who,
        "why": clean(row.why),
        "waiting": row.waiting,
        "command": list(row.words) or None,
        "line": clean(row.line),
    }


def plan_text(rows: Sequence[CleanupRow], clean: Clean, *, today: str) -> str:
    """The plan as Markdown, each line cleaned and made visible."""
    lines = cleanup_markdown(rows, today=today).removesuffix("\n").split("\n")
    return "".join(f"{display.visible(clean(line)).rstrip()}\n" for line in lines)


def outside(file: str, root: str) -> str:
    """The real path of `file`, where a plan may go. Raises `Refused` for a place inside the root."""
    path = os.path.realpath(os.path.expanduser(file))
    if path.startswith(os.path.join(os.path.realpath(root), "")):
        raise Refused("A plan is no memory; it does not go into the root.", where=file, remedy="Name another place.")
    return path


def _there(path: str) -> Refused:
    return Refused("It is there already; nothing was written.", where=path, remedy="Name a new file.")


def write_new(path: str, text: str) -> None:
    """Write a file that is not there yet. Raises `Refused` where it is, `WriteRefused` where it cannot be written."""
    try:
        with open(path, "x", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except FileExistsError:
        raise _there(path) from None
    except OSError as error:
        raise WriteRefused(f"It cannot be written: {error.strerror or error}.", where=path) from error


def write_both(rows: Sequence[CleanupRow], clean: Clean, file: str, root: str, *, today: str) -> tuple[str, ...]:
    """Write the plan as Markdown to a new file outside the root and, beside it, as JSON; the files.

    Raises `Refused` where either is there already, before anything is written, and `WriteRefused`.
    """
    stem, end = os.path.splitext(outside(file, root))
    both = (f"{stem}{'.md' if end == '.json' else end}", f"{stem}.json")
    for path in both:
        if os.path.lexists(path):
            raise _there(path)
    write_new(both[0], plan_text(rows, clean, today=today))
    write_new(both[1], _as_json(rows, clean))
    return both


def _as_json(rows: Sequence[CleanupRow], clean: Clean) -> str:
    return json.dumps([row_json(row, clean) for row in rows], indent=2, ensure_ascii=True) + "\n"


def _write(rows: Sequence[CleanupRow], opened: Opened, file: str, out: Output) -> None:
    """Write the plan to new files outside the root, as the console does; with --json that file alone."""
    clean = cleaner(opened, out)
    written: tuple[str, ...]
    if out.json:
        written = (outside(file, opened.path),)
        write_new(written[0], _as_json(rows, clean))
    else:
        written = write_both(rows, clean, file, opened.path, today=opened.reading.today)
    notice(f"{len(rows)} line{'' if len(rows) == 1 else 's'} in {' and '.join(written)}.")


def _take(opened: Opened, args: argparse.Namespace, out: Output) -> int:
    ticked = _read(args.take)
    asked = _joined(_requests(opened, ticked, args.take))
    if not asked:
        out.nothing("no line is ticked.")
    see_to_owners(opened, [one.request for one in asked], out, dry_run=args.dry_run)
    values: list[Json] = []
    refused = declined = False
    try:
        for name in dict.fromkeys(one.name for one in asked):
            planned = [(one, _planned(opened, one, args.take)) for one in asked if one.name == name]
            plans = [plan for _, plan in planned if plan is not None]
            refused = refused or len(plans) < len(planned) or any(plan.refusals for plan in plans)
            done = len(values)
            try:
                for value in _decided(opened, plans, args, out):
                    values.append(value)
            except Declined:
                declined = True
                done = len(values) - done
                notice(f"{name}: cancelled; {f'{done} of {len(plans)} were done' if done else 'nothing was written'}.")
            opened.read_again()
    finally:
        if out.json:
            out.data(values)
    return Refused.exit_status if refused else Declined.exit_status if declined else exits.OK


def _decided(opened: Opened, plans: list[Plan], args: argparse.Namespace, out: Output) -> Iterator[Json]:
    """Show the plans of one command, ask once, and carry them out; the receipts (or the plans) as JSON."""
    clean = cleaner(opened, out)
    if args.dry_run:
        for plan in plans:
            yield plan_json(plan, clean)
            if not out.json:
                for line in plan_lines(plan, clean):
                    out.line(line)
                out.line()
        return
    for receipt in decide_all(opened, plans, out):
        yield receipt_json(receipt, clean)
        if not out.json:
            out.line(display.one_line(clean(receipt.line())))
        for refusal in receipt.refusals:
            notice(f"{refusal.key}: left out: {clean(refusal.reason)}")


def _planned(opened: Opened, asked: _Asked, file: str) -> Plan | None:
    """The plan of one request; None where it cannot be done, which is said with its lines."""
    try:
        return opened.engine.plan(asked.request, opened.actor, opened.reading)
    except (Refused, WriteRefused, NotAuthorised, ItemNotFound) as error:
        notice(f"{file}:{asked.lines[0]}: left out: {error}")
        return None


def _read(file: str) -> tuple[Ticked, ...]:
    """The ticked lines of the file. Raises `UsageError` at its first line that is none of a plan's."""
    try:
        with open(file, "rb") as stream:
            text = stream.read().decode("utf-8")
    except OSError as error:
        raise UsageError(f"It cannot be read: {error.strerror or error}.", where=file) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError("It holds bytes that are no UTF-8; nothing was done.", where=f"{file}:{line}") from None
    ticked, garbled = read_plan(text)
    for one in garbled[1:]:
        notice(f"{file}:{one.line}: {one.why}")
    if garbled:
        raise UsageError(f"{garbled[0].why} Nothing was done.", where=f"{file}:{garbled[0].line}")
    return ticked


def _requests(opened: Opened, ticked: Sequence[Ticked], file: str) -> list[_Asked]:
    """What the ticked lines ask for, in order. Raises the first error, which names the line; the others are said."""
    asked: list[_Asked] = []
    errors: list[AssayError] = []
    for one in ticked:
        try:
            asked.append(_Asked(one.words[0], _request(opened, one.words), (one.line,)))
        except AssayError as error:
            where = f"{file}:{one.line}" + (f": {error.where}" if error.where else "")
            errors.append(type(error)(error.what, where=where, remedy=error.remedy))
    for other in errors[1:]:
        notice(str(other))
    if errors:
        raise errors[0]
    return asked


def _request(opened: Opened, words: Sequence[str]) -> Request:
    """The request that a line's words make, as the command line itself reads them. Raises `AssayError`."""
    name, *rest = words
    command = commands.load(name) if name in commands.ENTRIES else None
    if command is None or command.request is None:
        known = [entry for entry in commands.ENTRIES if commands.load(entry).request is not None]
        raise UsageError(f"{name!r} is no command of a plan{did_you_mean(name, known) or '.'} Nothing was done.")
    if OPEN in rest:
        raise UsageError(f"A word stands open: put it in the place of {OPEN}. Nothing was done.", where=name)
    if {"-h", "--help"} & set(rest):
        raise UsageError("A line of a plan asks for no help. Nothing was done.", where=name)
    args = commands.parser_of(name, command).read(rest)
    if args.root is not None or args.dry_run or args.json or args.reveal or getattr(args, "edit", False):
        raise UsageError(
            "A line of a plan says what is to be done, and no more. Nothing was done.",
            where=name,
            remedy="Give --root, --dry-run, --json and --reveal to `assay plan` itself.",
        )
    if name == "merge" and args.text is None:
        raise UsageError("A merge in a plan has its --text. Nothing was done.", where=name)
    return command.request(opened, args)


def _joined(asked: Sequence[_Asked]) -> list[_Asked]:
    """What can be one plan is: the items of one kind of mark with one reason, and the repairs of one item."""
    joined: list[_Asked] = []
    for one in asked:
        for number, other in enumerate(joined):
            request = _together(other.request, one.request)
            if request is not None:
                joined[number] = other._replace(request=request, lines=(*other.lines, *one.lines))
                break
        else:
            joined.append(one)
    return joined


def _together(first: Request, second: Request) -> Request | None:
    if isinstance(first, Stale | Clear | Pend | Cool | Warm):
        if type(first) is type(second) and first.reason == second.reason:
            return replace(first, items=tuple(dict.fromkeys((*first.items, *second.items))))
    elif isinstance(first, Repair) and isinstance(second, Repair) and first.item == second.item:
        return Repair(
            first.item,
            kind=second.kind or first.kind,
            subject=second.subject or first.subject,
            source=second.source or first.source,
            status=second.status or first.status,
            marker=first.marker or second.marker,
            new_id=first.new_id or second.new_id,
        )
    return None


COMMANDS = {
    "plan": Command(
        usage="[--out FILE] [--json] | --take FILE [--dry-run] [--json]",
        description=(
            "The cleanup plan of the review, as Markdown: a line an action, with its command, why, and who decides.\n"
            "Printing it changes nothing. With --take, the lines ticked by hand are shown as plans and confirmed, one\n"
            "question a kind of command; a line that cannot be read stops all of it before anything is done."
        ),
        examples=(
            "plan",
            "plan --json",
            "plan --out review.md",
            "plan --take review.md --dry-run",
            "plan --take review.md",
        ),
        arguments=_arguments,
        run=_run,
    )
}
