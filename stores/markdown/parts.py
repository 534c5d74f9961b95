"""What one file of a root contributes to the snapshot, parsed once and shared while the file stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from operator import attrgetter
from typing import Any

from core.binding import Binding
from core.events import Event
from core.findings import Finding
from core.items import MemoryItem
from core.snapshot import ArchiveDay, FileState, Proposal, Topic
from stores.markdown.archive import parse_archive
from stores.markdown.binding_file import parse_binding
from stores.markdown.damage import byte_damage
from stores.markdown.document import Document, parse_document
from stores.markdown.frontmatter import Value
from stores.markdown.layout import STANDINGS, Role, topic_name
from stores.markdown.log import LogPage, parse_log
from stores.markdown.proposals import parse_proposals
from stores.markdown.replay import parse_replay
from stores.markdown.spans import Section

_id, _successor = attrgetter("id"), attrgetter("superseded_by")
_IDS = re.compile(rb"mem(?<![\w-]mem)[a-z]*-\d{4}-\d\d-\d\d-\d+")  # a literal first is what is searched fast


class Leaf:
    """The records of a page and what was found in reading them; its document, which may be parsed only when needed."""

    __slots__ = ("_document", "_parse", "findings", "records")

    def __init__(
        self, records: tuple[MemoryItem, ...], findings: tuple[Finding, ...], parse: Callable[[], Document]
    ) -> None:
        self.records = records
        self.findings = findings
        self._parse = parse
        self._document: Document | None = None

    @classmethod
    def of(cls, document: Document) -> Leaf:
        """Of a document that is there."""
        return cls(document.records, document.findings, lambda: document)

    @property
    def document(self) -> Document:
        """The page's document; always the same one."""
        if self._document is None:
            self._document = self._parse()
        return self._document


class Documents(Mapping[str, Document]):
    """The item pages of a root by path; each is parsed when it is asked for, where it is not yet."""

    def __init__(self, leaves: Mapping[str, Leaf]) -> None:
        self._leaves = leaves

    def __getitem__(self, path: str) -> Document:
        return self._leaves[path].document

    def __contains__(self, path: object) -> bool:
        return path in self._leaves

    def __iter__(self) -> Iterator[str]:
        return iter(self._leaves)

    def __len__(self) -> int:
        return len(self._leaves)


@dataclass(frozen=True, slots=True)
class Part:
    """One file, read. What its role does not have is empty. `ids` are the ids that stand in it anywhere.

    `kept` are answers to questions about its records that were worked out before (`core.pages.Page`).
    """

    role: Role
    state: FileState
    findings: tuple[Finding, ...] = ()
    ids: frozenset[str] = frozenset()
    leaf: Leaf | None = None
    kept: dict[str, Callable[[], Any]] | None = None
    topic: Topic | None = None
    day: ArchiveDay | None = None
    log: LogPage | None = None
    events: tuple[Event, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    binding: Binding | None = None


def read_part(path: str, role: Role, data: bytes) -> Part:
    """Parse the bytes of a governed file for what it is. Never raises."""
    digest = digest_of(data)
    size = len(data)
    if role in STANDINGS:
        document = parse_document(path, data, STANDINGS[role])
        return Part(
            role,
            FileState(digest, size, document.unwritable),
            document.findings,
            _item_ids(document),
            leaf=Leaf.of(document),
            topic=_topic(path, document) if role is Role.TOPIC else None,
        )
    ids = _ids_in(data)
    if role is Role.ARCHIVE:
        page = parse_archive(path, data)
        copies = frozenset(id for id in page.day.copy_ids if id is not None)
        state = FileState(digest, size, page.document.unwritable)
        return Part(role, state, page.findings, ids | copies, day=page.day)
    if role is Role.LOG:
        log = parse_log(path, data)
        return Part(role, FileState(digest, size, log.unwritable), log.findings, ids, log=log)
    if role is Role.REPLAY:
        replay = parse_replay(path, data)
        return Part(role, FileState(digest, size), replay.findings, ids, events=replay.events)
    if role is Role.PROPOSAL:
        proposals, findings, unwritable = parse_proposals(path, data)
        named = frozenset(proposal.proposal_id for proposal in proposals if proposal.proposal_id)
        return Part(role, FileState(digest, size, unwritable), findings, ids | named, proposals=proposals)
    if role is Role.BINDING:
        binding, findings = parse_binding(path, data)
        return Part(role, FileState(digest, size), findings, binding=binding)
    unwritable, findings = byte_damage(path, data)
    return Part(role, FileState(digest, size, unwritable), findings if role is Role.CONVENTIONS else (), ids)


def digest_of(data: bytes) -> str:
    """The digest of a file's bytes, as in `FileState`."""
    return sha256(data).hexdigest()


def _item_ids(document: Document) -> frozenset[str]:
    """Every id that an item bears or points at, and whatever looks like one where nothing is read as an item."""
    records = document.records
    others: list[str | None] = []
    for item in document.items.run.tolerant:  # what the scan takes has no such fields
        others += (item.merged_into, *item.conflicts_with)
    for start, end in document.hidden:
        others += _ids_in(document.data[start:end])
    return frozenset(filter(None, chain(map(_id, records), map(_successor, records), others)))


def _ids_in(data: bytes) -> frozenset[str]:
    """Whatever looks like an id."""
    return frozenset(b" ".join(_IDS.findall(data)).decode().split())


def _topic(path: str, document: Document) -> Topic:
    frontmatter = document.frontmatter
    values = frontmatter.values if frontmatter is not None else {}
    title = _text(values.get("title")) or next((s.title for s in document.sections if s.level == 1), None)
    summary = document.section("Summary")
    return Topic(
        name=topic_name(path),
        file=path,
        title=title,
        layer=_text(values.get("layer")),
        triggers=_texts(values.get("triggers")),
        last_updated=_text(values.get("last_updated")),
        source_dates=_texts(values.get("source_dates")),
        summary=_paragraph(document, summary) if summary is not None else None,
    )


def _text(value: Value | None) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Value | None) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return value or ()


def _paragraph(document: Document, section: Section) -> str | None:
    """The first paragraph of a section as one line; None where a heading, a list or nothing comes first."""
    text = document.data[section.start : section.end].decode("utf-8", "replace")
    lines: list[str] = []
    for line in re.split(r"\r\n?|\n", text):
        bare = line.strip(" \t")
        if not bare:
            if lines:
                break
            continue
        if bare.startswith(("#", "- ", "* ", "+ ", "```", "~~~", "<!--")):
            break
        lines.append(bare)
    return " ".join(lines) or None
