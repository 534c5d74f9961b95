"""The cleanup plan of the review (§16 step 10), on paper: a line an action, ticked by hand and read back.

A line is the words of a command, a dash, and why. What only a human can say stands as `…`. Nothing in a plan deletes:
what is in doubt is kept, and weighs less.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.authority import AUTHORITY, who_may
from core.conflicts import Conflict
from core.secrets import mask

if TYPE_CHECKING:
    from core.review import QueueEntry

OPEN = "…"
"""What stands for a word that only a human can give."""

_REPAIRS: Mapping[str, tuple[str, ...]] = {
    "missing-id": (),
    "missing-kind": ("--kind", "knowledge"),
    "unknown-kind": ("--kind", "knowledge"),
    "missing-source": ("--source", OPEN),
    "missing-subject": ("--subject", OPEN),
    "unknown-status": ("--status", OPEN),
    "status-missing": ("--status", "active"),
    "legacy-marker": ("--marker",),
    "two-items-one-id": ("--new-id",),
}
"""What repairs each finding. An item of no kind is knowledge in doubt (§9)."""

_TO_SETTLE = ("two-active", "refuted-knowledge", "refuted-state", "unordered-controls")
_BOX = re.compile(r"[-*+][ \t]+\[(?P<mark>[ xX])\][ \t]+(?P<rest>\S.*)")
_NO_BOX = re.compile(r"[-*+][ \t]+(?!\[)\S.*")
_LOOKS_BOXED = re.compile(r"[-*+]?[ \t]*\[")


@dataclass(frozen=True, slots=True)
class CleanupRow:
    """One line of the cleanup plan: what is proposed, who may decide it, and why.

    `words` are those of the command line that would do it, with `OPEN` for what a human has to say; none where no
    command does. `title` is what it is about, `waiting` what it waits as, and for how long.
    """

    what: str
    who: str
    why: str
    words: tuple[str, ...] = ()
    title: str = ""
    waiting: str = ""

    @property
    def line(self) -> str:
        """The row as a line of Markdown, without a line end: to be ticked where a command does it."""
        parts = (self.title if self.words else "", self.waiting, self.why)
        because = "; ".join(markdown_text(part.rstrip(".")) for part in parts if part)
        head = f"- [ ] {shlex.join(self.words)}" if self.words else f"- {markdown_text(self.what)}"
        head = head.replace(f"'{OPEN}'", OPEN)
        return f"{head} — {f'{because}; ' if because else ''}decides: {markdown_text(self.who)}"


@dataclass(frozen=True, slots=True)
class Ticked:
    """One line that a human ticked: its 1-based number, and the words of its command."""

    line: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Garbled:
    """One line that is none of a plan's: its 1-based number, and why."""

    line: int
    why: str


def cleanup_plan(queue: Sequence[QueueEntry], conflicts: Sequence[Conflict] = ()) -> tuple[CleanupRow, ...]:
    """The plan that comes before any destructive change: conflicts to settle, then the queue in order.

    What waits because of a conflict stands with it, not twice.
    """
    rows: list[CleanupRow] = []
    told: set[int] = set()
    for conflict in conflicts:
        if conflict.acknowledged or conflict.type not in _TO_SETTLE:
            continue
        same = [number for number, entry in enumerate(queue) if _waits_by(entry, conflict)]
        told.update(same)
        rows.append(
            CleanupRow(
                what=f"settle {conflict.type}" + (f" on {mask(conflict.subject)}" if conflict.subject else ""),
                who=who_may("settle" if conflict.type == "unordered-controls" else "reconcile"),
                why=conflict.message,
                words=_sayable(_conflict_words(conflict)),
                title=next((f"“{queue[number].title}”" for number in same if queue[number].item), ""),
                waiting=next((_waiting(queue[number]) for number in same), ""),
            )
        )
    for number, entry in enumerate(queue):
        if number in told:
            continue
        place = f"{entry.file}:{entry.line}" if entry.line else entry.file or ""
        about = " ".join(part for part in (entry.item or place, f"“{entry.title}”" if entry.item else "") if part)
        remedies = (finding.remedy for finding in entry.findings)
        rows.append(
            CleanupRow(
                what=f"{entry.proposed or 'look at'} {about or entry.title}".strip(),
                who=who_may(entry.proposed) if entry.proposed in AUTHORITY else "a human",
                why=" ".join(dict.fromkeys(part for part in (entry.reason, *remedies) if part)),
                words=_sayable(_entry_words(entry)),
                title=f"“{entry.title}”" if entry.item else entry.title if about else "",
                waiting=_waiting(entry),
            )
        )
    return tuple(rows)


def cleanup_markdown(rows: Sequence[CleanupRow], *, today: str) -> str:
    """The cleanup plan as Markdown; `today` is an ISO date. Ends in a newline."""
    head = f"# Cleanup plan, {today}\n\n"
    if not rows:
        return head + "Nothing waits for a decision.\n"
    said = (
        "> A proposal: nothing is changed until each line is decided. Tick what is to be done, `[x]`, and put a word\n"
        f"> in the place of each {OPEN}; `assay plan --take FILE` shows every ticked line again, and asks.\n\n"
    )
    return head + said + "".join(f"{row.line}\n" for row in rows)


def read_plan(text: str) -> tuple[tuple[Ticked, ...], tuple[Garbled, ...]]:
    """The ticked lines of a plan edited by hand, and the lines that are none of a plan's.

    Headings, quotes, blank lines and bullets without a box are a human's, and pass.
    """
    ticked: list[Ticked] = []
    garbled: list[Garbled] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        bare = line.strip()
        if not bare or bare.startswith(("#", ">")) or bare == "Nothing waits for a decision.":
            continue
        box = _BOX.fullmatch(bare)
        if box is None:
            if not _NO_BOX.fullmatch(bare) or _LOOKS_BOXED.match(bare):
                garbled.append(Garbled(number, "This is no line of a plan: `- [x] COMMAND … — why`."))
            continue
        try:
            words = tuple(_command_words(box["rest"]))
        except ValueError as error:
            garbled.append(Garbled(number, f"Its words cannot be read: {str(error).lower()}."))
            continue
        if not words:
            garbled.append(Garbled(number, "It names no command."))
        elif box["mark"] != " ":
            ticked.append(Ticked(number, words))
    return tuple(ticked), tuple(garbled)


def markdown_text(text: str) -> str:
    """Text that stays text in Markdown: one line, no markup of its own."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))


def _command_words(rest: str) -> Iterator[str]:
    """The words in front of the dash. Raises ValueError for a quote that is never closed."""
    reader = shlex.shlex(rest, posix=True)
    reader.whitespace_split = True
    reader.commenters = ""
    for word in reader:
        if word == "—":
            return
        yield word


def _sayable(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words, where a line can carry them: nothing that hides, breaks the line, or is a secret."""
    plain = all(word and word.isprintable() and word != "—" and mask(word) == word for word in words)
    return words if plain else ()


def _waits_by(entry: QueueEntry, conflict: Conflict) -> bool:
    """Whether the entry is settled with the conflict."""
    if entry.proposed == "settle":
        return entry.finding is not None and entry.finding.id in conflict.controls
    return entry.proposed == "reconcile" and conflict.type.startswith("refuted-") and entry.item in conflict.rows


def _conflict_words(conflict: Conflict) -> tuple[str, ...]:
    if conflict.controls:
        return ("settle", conflict.controls[0], OPEN)
    if not conflict.rows:
        return ()
    return ("reconcile", *conflict.rows, "--current", conflict.suggested or OPEN, "--evidence", OPEN)


def _entry_words(entry: QueueEntry) -> tuple[str, ...]:
    """The command line that does what the entry proposes; none where no command does, or a conflict has its own."""
    item, record = entry.item, entry.finding.id if entry.finding is not None else None
    match entry.proposed:
        case "clear" | "cool" if item:
            return (entry.proposed, item)
        case "repair" if item and all(code in _REPAIRS for code in entry.codes):
            return ("repair", item, *_repair_options(entry.codes))
        case "reconcile" if item:
            return ("reconcile", item, OPEN, "--current", OPEN, "--evidence", OPEN)
        case "subject" if item:
            return ("subject", item, OPEN)
        case "supersede" if item:
            return ("supersede", item, "--by", OPEN)
        case "triggers" if entry.file:
            return ("triggers", entry.file, OPEN)
        case "settle" if record:
            return ("settle", record, OPEN)
        case "reinstate" if record:
            return ("reinstate", record)
        case _:
            return ()


def _repair_options(codes: Sequence[str]) -> Iterator[str]:
    """The options of the one repair that settles all of `codes`."""
    for code in codes:
        if not (code == "unknown-status" and "legacy-marker" in codes):  # the marker says which Status
            yield from _REPAIRS[code]


def _waiting(entry: QueueEntry) -> str:
    if entry.age_days is None or entry.finding is not None:
        return ""
    days = f"{entry.age_days} day{'' if entry.age_days == 1 else 's'}"
    return f"{'pending' if entry.code == 'pending-cleanup' else entry.code} {days}"
