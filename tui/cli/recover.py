"""recover: commits that a crash cut short and that could be neither finished nor undone; a human chooses a version."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.changes import FileDiff
from core.commands.recovery import VERSIONS
from core.errors import AssayError, ItemNotFound
from core.plan import Receipt
from core.requests import Recover
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.decide import YES, ask_yes, cleaner, decide
from tui.cli.opened import Opened
from tui.cli.output import Json, Output, notice
from tui.cli.parser import add_root, token
from tui.cli.preview import diff_lines

if TYPE_CHECKING:
    from stores.markdown.recovery import StuckFile


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("commit", nargs="?", metavar="COMMIT", help="the commit to settle (without: list them)")
    parser.add_argument(
        "--keep",
        type=token("version", VERSIONS),
        metavar="VERSION",
        help="before: as if it never was; after: as if it were whole; now: as the files stand",
    )
    add_root(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    stuck: dict[str, list[StuckFile]] = {}
    for file in opened.store.stuck(str(opened.actor)):
        stuck.setdefault(file.tx, []).append(file)
    if args.commit is None:
        return _list(stuck, out)
    if args.commit not in stuck:
        raise ItemNotFound(
            f"No commit {args.commit} waits for a choice.", where=args.commit, remedy="`assay recover` lists them."
        )
    if args.keep is None:
        return _show(stuck[args.commit], opened, out)
    chosen = {file.path: _version(file, args.keep) for file in stuck[args.commit]}
    ask_yes(
        lambda terminal: (
            f"Keep the version {args.keep} of {', '.join(sorted(chosen))}? The others are lost. Type {YES} to keep it:"
        ),
        what="A choice of versions",
    )
    changed = opened.store.settle_stuck(str(opened.actor), {args.commit: chosen})
    receipt = _record(opened, Recover(args.commit, args.keep, tuple(sorted(chosen))), out)
    if out.json:
        out.data({"commit": args.commit, "keep": args.keep, "files": sorted(changed), "event": receipt.event})
    else:
        names = ", ".join(sorted(changed)) or "no file changed"
        out.line(out.one_line(f"{args.commit}: {args.keep} kept   {names}   {receipt.event}"))
    return exits.OK


def _record(opened: Opened, request: Recover, out: Output) -> Receipt:
    """Let the log say what was chosen: it can be written only now. Raises what the engine raises, once that is said."""
    opened.read_again()
    try:
        return decide(opened, opened.engine.plan(request, opened.actor, opened.reading), out, ask=False)
    except AssayError:
        notice(f"{request.tx} is settled: {request.kept} kept. The log could not be told so.")
        raise


def _version(file: StuckFile, keep: str) -> bytes:
    found = {"before": file.before, "after": file.after, "now": file.now}[keep]
    return found if found is not None else b""


def _list(stuck: Mapping[str, Sequence[StuckFile]], out: Output) -> int:
    if out.json:
        out.data(
            [
                {"commit": tx, "files": [{"path": file.path, "versions": _sizes(file)} for file in files]}
                for tx, files in stuck.items()
            ]
        )
    elif not stuck:
        out.nothing("no commit waits for a choice.")
    for tx, files in stuck.items() if not out.json else ():
        out.line(out.one_line(tx))
        for file in files:
            sizes = ", ".join(f"{name} {size} bytes" for name, size in _sizes(file).items() if size is not None)
            out.line(f"  {out.one_line(file.path)}   {sizes}")
    return exits.OK


def _sizes(file: StuckFile) -> dict[str, Json]:
    versions = {"before": file.before, "after": file.after, "now": file.now}
    return {name: None if data is None else len(data) for name, data in versions.items()}


def _show(files: Sequence[StuckFile], opened: Opened, out: Output) -> int:
    """What the commit would have changed, and what stands in the files now against that."""
    clean = cleaner(opened, out)
    for file in files:
        for title, old, new in (
            ("before → after", file.before, file.after),
            ("after → now", file.after, file.now),
        ):
            out.line(f"{out.one_line(file.path)}   {title}")
            for row in diff_lines(FileDiff(file.path, old, new), clean):
                out.line(row)
    out.line("--keep before, after or now chooses; all files of the commit change as one.")
    return exits.OK


COMMANDS = {
    "recover": Command(
        usage="[COMMIT] [--keep before|after|now] [--json]",
        description="Settle a commit that a crash cut short and that others' edits left neither whole nor undone.",
        examples=("recover", "recover memlog-2026-06-12-004 --keep after"),
        arguments=_arguments,
        run=_run,
    )
}
