"""What the index says of a root, counted, in words that may be shown; and the same as bytes, for the next start."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from core.places import INBOX
from tui import display

if TYPE_CHECKING:
    from core.snapshot import Topic
    from tui.desk import Facts

_READ_WHEN = re.compile(r"^read when\s+", re.IGNORECASE)


class TopicView(NamedTuple):
    """A topic as the index shows it. Texts may be shown as they are; '' where there is none."""

    file: str
    name: str
    title: str
    summary: str
    read_when: str
    triggers: str
    items: int
    waiting: int
    updated: str
    sources: str


class OtherView(NamedTuple):
    """A page of items that is no topic."""

    file: str
    items: int
    waiting: int


class Overview(NamedTuple):
    """The index: how many items there are in all, and what lies behind each of its lines."""

    items: int
    waiting: int
    withheld: int
    inbox: int
    days: int
    span: str
    others: tuple[OtherView, ...]
    topics: Mapping[str, TopicView]
    """By file, in order."""


def overview(facts: Facts) -> Overview:
    """What is known of a root; each topic is looked at when it is asked for."""
    census, snapshot = facts.census, facts.reading.snapshot
    topics = _Topics(facts)
    dates = sorted(day.date for day in snapshot.archive)
    return Overview(
        len(census.eligible),
        sum(census.waiting.values()),
        census.withheld,
        len(census.by_file.get(INBOX, ())),
        len(dates),
        display.one_line(f"{dates[0]} to {dates[-1]}") if dates else "",
        tuple(
            OtherView(file, len(keys), census.waiting.get(file, 0))
            for file, keys in census.by_file.items()
            if file not in topics and file != INBOX
        ),
        topics,
    )


class _Topics(Mapping[str, TopicView]):
    def __init__(self, facts: Facts) -> None:
        snapshot = facts.reading.snapshot
        self._facts = facts
        self._topics = {topic.file: topic for topic in snapshot.topics}
        self._triggers = {entry.target: entry.trigger or "" for entry in snapshot.index.topic_map if entry.target}

    def __getitem__(self, file: str) -> TopicView:
        return _view(self._topics[file], self._triggers.get(file, ""), self._facts)

    def __contains__(self, file: object) -> bool:
        return file in self._topics

    def __iter__(self) -> Iterator[str]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)


def _view(topic: Topic, trigger: str, facts: Facts) -> TopicView:
    sight, census = facts.sight, facts.census
    dates = topic.source_dates
    return TopicView(
        topic.file,
        display.one_line(topic.name),
        sight.line(topic.title or topic.name),
        sight.text(topic.summary) if topic.summary else "",
        sight.line(_READ_WHEN.sub("", trigger)) if trigger else "",
        sight.line(", ".join(topic.triggers)) if topic.triggers else "",
        len(census.by_file.get(topic.file, ())),
        census.waiting.get(topic.file, 0),
        sight.line(topic.last_updated) if topic.last_updated else "",
        sight.line(f"{len(dates)} days, {min(dates)} to {max(dates)}") if dates else "",
    )


_FIELDS = [list(kind._fields) for kind in (Overview, TopicView, OtherView)]


def to_bytes(seen: Overview) -> bytes:
    """An overview as bytes: a line of all but the topics, then one for each topic, in order."""
    first = [_FIELDS, seen._replace(topics={}), list(seen.topics)]
    return b"\n".join(json.dumps(one, separators=(",", ":")).encode() for one in (first, *seen.topics.values()))


def from_bytes(record: bytes) -> Overview | None:
    """The overview that `to_bytes` made `record` of; None where another version did, or nobody."""
    first, *lines = record.split(b"\n")
    try:
        fields, plain, files = json.loads(first)
        if fields != _FIELDS or len(files) != len(lines):
            return None
        seen = Overview(*plain)
        others = tuple(OtherView(*other) for other in seen.others)
        return seen._replace(others=others, topics=_KeptTopics(dict(zip(files, lines, strict=True))))
    except (ValueError, TypeError):
        return None


class _KeptTopics(Mapping[str, TopicView]):
    """Each topic is decoded when it is seen."""

    def __init__(self, lines: Mapping[str, bytes]) -> None:
        self._lines = lines

    def __getitem__(self, file: str) -> TopicView:
        return TopicView(*json.loads(self._lines[file]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)
