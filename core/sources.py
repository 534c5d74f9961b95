"""Sources (§9): what an item rests on, read from its Source text and looked up in a snapshot."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from core.snapshot import Archive, ArchiveDay, Snapshot

if TYPE_CHECKING:
    from core.eligibility import Influence

EXCERPT_LIMIT = 4000
"""Longest excerpt, in characters; a longer one ends in `…`."""

_BREAK = re.compile(r"([,;，；、])")
_ROOT = r"(?:\./|\.\./|memory/)*"
_ARCHIVE = re.compile(rf"{_ROOT}archive/(?P<name>[^#\s]+)(?:#(?P<anchor>.+))?")
_TOPIC = re.compile(rf"{_ROOT}topics/(?P<name>[^#]+?\.md)(?:#(?P<anchor>.+))?")
_ITEM = re.compile(r"mem-\d{4}-\d{2}-\d{2}-\d{3,}")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_DAY = re.compile(r"(?P<name>\d{4}-\d{2}-\d{2}(?:\.md)?)(?:#(?P<anchor>.+))?")
_PART = r"[^\s#,;，；、。()\[\]<>\"'`]+"
_EMBEDDED = re.compile(
    rf"(?<![A-Za-z0-9_-])archive/(?P<name>{_PART}?(?=\.md(?![A-Za-z0-9_]))|{_PART})(?:\.md)?(?:#(?P<anchor>{_PART}))?"
)
_ASCII_HEAD = re.compile(r"[\x21-\x7e]+")
_ODD = re.compile(r"(?i)archive|\d{4}-\d\d-\d\d\.md")
_LINES = re.compile(r"l(\d+)(?:-l?(\d+))?")


@dataclass(frozen=True, slots=True)
class SourceRef:
    """One thing a Source names. `text` is as written.

    `file` is root-relative (`archive/…`, `topics/…`) or None, `anchor` the part after `#` or None.
    An item reference has its id in `text`; a statement is a person's word, kept whole.
    """

    text: str
    file: str | None
    anchor: str | None
    kind: Literal["archive", "topic", "item", "statement"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference looked up. `excerpt` is what stands there (None: nothing, or withheld), `line` 1-based.

    `reason` is a sentence: what was found, why not, or why the excerpt is withheld.
    """

    ref: SourceRef
    found: bool
    excerpt: str | None
    line: int | None
    reason: str


@lru_cache(maxsize=16_384)
def parse_source(source: str) -> tuple[SourceRef, ...]:
    """The references of a Source, in order (§9).

    Lists are parted by commas or semicolons. What is no reference stays a statement: all of the Source where it names
    nothing, else each stretch between references.
    """
    parts = _BREAK.split(source)
    refs: list[SourceRef] = []
    spoken: list[str] = []

    def say() -> None:
        text = "".join(spoken).strip(" \t\r\n,;，；、")
        if text:
            refs.append(SourceRef(text, None, None, "statement"))
        spoken.clear()

    named = False
    for piece, mark in zip(parts[::2], [*parts[1::2], ""], strict=True):
        ref = _reference(piece)
        if ref is None:
            spoken += [piece, mark]
        else:
            named = True
            say()
            refs.append(ref)
    say()
    if not named:
        whole = source.strip()
        return (SourceRef(whole, None, None, "statement"),) if whole else ()
    return tuple(refs)


def pieces(source: str) -> list[str]:
    """The stretches of a Source between commas and semicolons, without blanks and final stops."""
    return [_bare(piece) for piece in _BREAK.split(source)[::2]]


def archive_ref(text: str) -> tuple[str, str | None] | None:
    """`(file, anchor)` of an archive reference as a control record may write it; None where it is none."""
    piece = _plain_path(_bare(text))
    match = _ARCHIVE.fullmatch(piece) or _DAY.fullmatch(piece)
    return _archive_place(match) if match is not None else None


def _plain_path(text: str) -> str:
    """A reference as its plain path below the root: decoded, without scheme, dots, doubled or trailing slashes."""
    path, mark, anchor = unquote(text).strip().replace("\\", "/").partition("#")
    path = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:/*", "", path)
    path = re.sub(r":\d+$", "", posixpath.normpath(path.strip()).strip("/"))
    folder, _, name = path.rpartition("/")
    folder = folder.rpartition("/")[2].strip()
    name = re.sub(r"(?i)\.md$", ".md", name.strip())
    if folder.casefold() == "archive":
        path = f"archive/{name}"
    return f"{path}#{anchor}" if mark and anchor else path


def embedded_archive_refs(source: str) -> Iterator[tuple[str, str | None]]:
    """`(file, anchor)` of every archive reference that stands anywhere in `source`, also within a sentence.

    Where text of another script follows an anchor without a blank, the anchor is given with and without it: a
    consumer that excludes errs towards excluding (§12.2).
    """
    if "archive/" not in source:
        yield from _odd_archive_refs(source)
        return
    for match in _EMBEDDED.finditer(source):
        place = _archive_place(match)
        yield place
        head = _ASCII_HEAD.match(match["anchor"] or "")
        if head is not None and head.end() < len(match["anchor"]):
            yield place[0], head[0].rstrip(".:!?")


def archive_names(source: str) -> list[str]:
    """The names, without `.md`, of the archive files that `embedded_archive_refs` would find: a fast look."""
    if "archive/" in source:
        return [name.removesuffix(".md") for name, _ in _EMBEDDED.findall(source)]
    return [file.removeprefix("archive/").removesuffix(".md") for file, _ in _odd_archive_refs(source)]


def _odd_archive_refs(source: str) -> Iterator[tuple[str, str | None]]:
    """Archive references that are written otherwise than `archive/…`: a bare file name, another case, escapes."""
    if _ODD.search(source) is not None:
        for piece in re.split("[,;]", source):
            found = archive_ref(piece)
            if found is not None:
                yield found


def norm_anchor(anchor: str) -> str:
    """The form in which anchors are compared: decoded, NFC, caseless, blanks as hyphens."""
    return "-".join(unicodedata.normalize("NFC", unquote(anchor)).casefold().split()).lstrip("#")


def segment(day: ArchiveDay, anchor: str) -> tuple[int, int] | None:
    """The lines `(first, last)`, 1-based, that `anchor` names in an archive day: a heading's slug, or `L3-L9`."""
    found = day.anchors.get(anchor)
    if found is not None:
        return found
    wanted = norm_anchor(anchor)
    for slug, lines in day.anchors.items():
        if norm_anchor(slug) == wanted:
            return lines
    match = _LINES.fullmatch(wanted)
    if match is None:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    known = len(day.lines) or max((copy.line for copy in day.copies), default=0)
    return (first, last) if 1 <= first <= last and first <= known else None


def stands_in(archive: Archive, ref: SourceRef) -> bool:
    """Whether the archive day that `ref` names is there, and its segment in it."""
    place = (ref.file or "", ref.anchor)
    known = archive.looked_up.get(place)
    if known is None:
        day = archive.by_file.get(place[0])
        known = day is not None and (ref.anchor is None or segment(day, ref.anchor) is not None)
        archive.looked_up[place] = known
    return known


def resolve(
    snapshot: Snapshot, ref: SourceRef, influence: Influence | None = None, *, item_id: str | None = None
) -> Resolved:
    """Look `ref` up. With `influence`, nothing that a withdrawal covers is excerpted (§12.2).

    An anchored archive reference is excerpted by its segment, a whole day by its archived copies (those of `item_id`
    where it has any), a reference to an item by the item's text.
    """
    if ref.kind == "archive":
        return _resolve_archive(snapshot, ref, influence, item_id)
    if ref.kind == "topic":
        return _resolve_topic(snapshot, ref)
    if ref.kind == "item" or ref.text in snapshot.by_id:
        return _resolve_item(snapshot, ref, influence)
    return Resolved(ref, True, None, None, "A statement: it stands for itself.")


def _bare(piece: str) -> str:
    piece = piece.strip()
    link = _LINK.fullmatch(piece.rstrip("."))
    if link is not None:
        piece = link[1]
    return piece.strip("`<>\"'").rstrip(".。")


def _archive_place(match: re.Match[str]) -> tuple[str, str | None]:
    name = match["name"].rstrip(".:!?").removesuffix(".md")
    anchor = (match["anchor"] or "").strip().rstrip(".:!?")
    return f"archive/{unicodedata.normalize('NFC', name)}.md", anchor or None


def _reference(piece: str) -> SourceRef | None:
    text = piece.strip()
    bare = _bare(piece)
    match = _ARCHIVE.fullmatch(bare)
    if match is not None:
        file, anchor = _archive_place(match)
        return SourceRef(text, file, anchor, "archive")
    match = _TOPIC.fullmatch(bare)
    if match is not None:
        name = unicodedata.normalize("NFC", match["name"])
        return SourceRef(text, f"topics/{name}", match["anchor"], "topic")
    if _ITEM.fullmatch(bare):
        return SourceRef(bare, None, None, "item")
    return None


def _resolve_archive(snapshot: Snapshot, ref: SourceRef, influence: Influence | None, item_id: str | None) -> Resolved:
    day = snapshot.days.by_file.get(ref.file or "")
    if day is None:
        erased = _erased(snapshot, ref)
        return Resolved(ref, False, None, None, erased or f"There is no {ref.file}.")
    lines = segment(day, ref.anchor) if ref.anchor is not None else None
    if ref.anchor is not None and lines is None:
        erased = _erased(snapshot, ref)
        return Resolved(ref, False, None, None, erased or f"{day.file} has no segment #{ref.anchor}.")
    if influence is not None and influence.archive_excluded(day.file, ref.anchor):
        return Resolved(ref, True, None, lines[0] if lines else None, "Withheld: a withdrawal covers it.")
    if lines is None:
        return _whole_day(ref, day, influence, item_id)
    first, last = lines
    if influence is not None and influence.lines_excluded(day, first, last):
        return Resolved(ref, True, None, first, "Withheld: a withdrawal covers part of it.")
    texts = day.lines[first - 1 : last] or tuple(copy.text for copy in day.copies if first <= copy.line <= last)
    if texts and texts[0].lstrip().startswith("#"):
        texts = texts[1:]
    return Resolved(ref, True, _clip("\n".join(texts).strip("\n")), first, f"Stands in {day.file}.")


def _whole_day(ref: SourceRef, day: ArchiveDay, influence: Influence | None, item_id: str | None) -> Resolved:
    copies = [copy for copy in day.copies if influence is None or not influence.copy_excluded(day, copy)]
    own = [copy for copy in copies if item_id is not None and copy.id == item_id]
    shown = own or copies
    withheld = len(day.copies) > len(copies)
    reason = f"Stands in {day.file}."
    if withheld:
        reason = f"Stands in {day.file}; what a withdrawal covers is left out."
    if not shown:
        return Resolved(ref, True, None, None, "Withheld: a withdrawal covers it." if withheld else reason)
    return Resolved(ref, True, _clip("\n".join(copy.text for copy in shown)), shown[0].line, reason)


def _resolve_topic(snapshot: Snapshot, ref: SourceRef) -> Resolved:
    known = any(unicodedata.normalize("NFC", topic.file) == ref.file for topic in snapshot.topics)
    if not known and ref.file not in snapshot.files:
        return Resolved(ref, False, None, None, f"There is no {ref.file}.")
    if ref.anchor is None:
        return Resolved(ref, True, None, None, f"{ref.file} is there; it may be rewritten at any time.")
    wanted = norm_anchor(ref.anchor)
    line = next(
        (
            item.place.line
            for item in snapshot.items
            if item.place.file == ref.file and item.place.section and norm_anchor(item.place.section) == wanted
        ),
        None,
    )
    return Resolved(ref, True, None, line, f"{ref.file} is there; its headings may be rewritten at any time.")


def _resolve_item(snapshot: Snapshot, ref: SourceRef, influence: Influence | None) -> Resolved:
    bearers = snapshot.by_id.get(ref.text, ())
    if influence is not None and ref.text in influence.excluded_ids:
        return Resolved(ref, bool(bearers), None, None, "Withheld: a withdrawal covers it.")
    if len(bearers) > 1:
        return Resolved(ref, True, None, None, f"{len(bearers)} items bear the id {ref.text}.")
    if bearers:
        return Resolved(ref, True, _clip(bearers[0].text), bearers[0].place.line, f"Stands in {bearers[0].place}.")
    for day in snapshot.archive:
        for copy in day.copies:
            if copy.id == ref.text:
                if influence is not None and influence.copy_excluded(day, copy):
                    return Resolved(ref, True, None, copy.line, "Withheld: a withdrawal covers it.")
                return Resolved(ref, True, _clip(copy.text), copy.line, f"Stands in {day.file}, archived.")
    return Resolved(ref, False, None, None, _erased(snapshot, ref) or f"Nothing bears the id {ref.text}.")


def _erased(snapshot: Snapshot, ref: SourceRef) -> str | None:
    names = {ref.text, ref.file, f"{ref.file}#{ref.anchor}"}
    for tombstone in snapshot.tombstones:
        if names & set(tombstone.scope_refs):
            return f"Erased by {tombstone.erasure_id}; it cannot be audited any more."
    return None


def _clip(text: str) -> str:
    return text if len(text) <= EXCERPT_LIMIT else text[: EXCERPT_LIMIT - 1] + "…"
