"""reclassify, subject, cool, warm, triggers: what kind of memory it is, and how near to the hot path (§4, §14.3)."""

from __future__ import annotations

import argparse
import unicodedata

from core.errors import ItemNotFound
from core.places import TOPICS_FOLDER
from core.requests import Cool, Reclassify, SetSubject, SetTriggers, Warm
from core.snapshot import Snapshot
from core.vocabulary import Kind
from tui.cli.naming import item_of, keys_of
from tui.cli.opened import Opened
from tui.cli.parser import add_writing, nearest, token
from tui.cli.writing import writing

_ITEM = "an id, or FILE:LINE"


def _reclassify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("item", metavar="ITEM", help=_ITEM)
    parser.add_argument("--kind", required=True, type=token("kind", Kind), metavar="KIND", help=", ".join(Kind))
    parser.add_argument("--subject", metavar="KEY", help="what a state item is the current value of")
    add_writing(parser)


def _reclassify(opened: Opened, args: argparse.Namespace) -> Reclassify:
    return Reclassify(item_of(opened.snapshot, args.item).key, args.kind, args.subject)


def _subject_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("item", metavar="ITEM", help=_ITEM)
    parser.add_argument("subject", metavar="SUBJECT", help="supersede matches it byte for byte")
    add_writing(parser)


def _subject(opened: Opened, args: argparse.Namespace) -> SetSubject:
    return SetSubject(item_of(opened.snapshot, args.item).key, args.subject)


def _move_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("items", nargs="+", metavar="ITEM", help=_ITEM)
    add_writing(parser, reason=True)


def _triggers_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", metavar="TOPIC", help="a topic page, by its name or file")
    parser.add_argument("triggers", nargs="+", metavar="TRIGGER", help="when to read it; all its triggers, in order")
    add_writing(parser)


def _triggers(opened: Opened, args: argparse.Namespace) -> SetTriggers:
    return SetTriggers(topic_file(opened.snapshot, args.topic), tuple(args.triggers))


def topic_file(snapshot: Snapshot, name: str) -> str:
    """The file of the topic named, by its name, its file, or its file in the topics' folder. Raises `ItemNotFound`."""
    wanted = unicodedata.normalize("NFC", name).removeprefix("./").removesuffix(".md")
    for topic in snapshot.topics:
        file = unicodedata.normalize("NFC", topic.file).removesuffix(".md")
        if wanted in (file, file.removeprefix(f"{TOPICS_FOLDER}/"), topic.name):
            return topic.file
    near = nearest(wanted.removeprefix(f"{TOPICS_FOLDER}/"), [topic.name for topic in snapshot.topics])
    known = ", ".join(topic.name for topic in snapshot.topics[:20]) or "none yet"
    raise ItemNotFound(
        f"No such topic; did you mean {near}?" if near else "No such topic.",
        where=name,
        remedy=f"Topics: {known}.",
    )


COMMANDS = {
    "reclassify": writing(
        usage="ITEM --kind KIND [--subject KEY] [--dry-run] [--json]",
        description="Change an item's kind. In doubt it is knowledge: a lesson is never superseded.",
        examples=(
            "reclassify mem-2026-05-20-002 --kind state --subject app:port",
            "reclassify mem-2026-05-01-009 --kind knowledge --dry-run",
        ),
        arguments=_reclassify_arguments,
        request=_reclassify,
    ),
    "subject": writing(
        usage="ITEM SUBJECT [--dry-run] [--json]",
        description="Give a state item another subject: a row is superseded only where subjects are equal to the byte.",
        examples=("subject mem-2026-05-01-009 app:port",),
        arguments=_subject_arguments,
        request=_subject,
    ),
    "cool": writing(
        usage="ITEM... [--reason TEXT] [--dry-run] [--json]",
        description="Move knowledge to its topic's Historical lessons: kept, further from the hot path.",
        examples=("cool mem-2026-05-20-002 --reason 'the host is gone'", "cool mem-2026-05-20-002 --dry-run"),
        arguments=_move_arguments,
        request=lambda opened, args: Cool(keys_of(opened.snapshot, args.items), args.reason),
    ),
    "warm": writing(
        usage="ITEM... [--reason TEXT] [--dry-run] [--json]",
        description="Bring cooled items back to their topic's Facts and lessons.",
        examples=("warm mem-2026-05-20-002",),
        arguments=_move_arguments,
        request=lambda opened, args: Warm(keys_of(opened.snapshot, args.items), args.reason),
    ),
    "triggers": writing(
        usage="TOPIC TRIGGER... [--dry-run] [--json]",
        description="Say when a topic is to be read: its triggers, and its line in the Topic Map.",
        examples=("triggers environment 'working on a host' deploying", "triggers topics/environment.md deploying"),
        arguments=_triggers_arguments,
        request=_triggers,
    ),
}
