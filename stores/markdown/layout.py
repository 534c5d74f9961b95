"""The reference layout (§7.3) and the binding's own folders: what each name is, and what is only left over."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from enum import StrEnum
from functools import lru_cache

from core.findings import Finding
from core.places import (
    ARCHIVE_FOLDER,
    BINDING,
    CONVENTIONS,
    HELD_FOLDER,
    INBOX,
    INDEX,
    LOG,
    LOG_FOLDER,
    PROPOSALS_FOLDER,
    TOPICS_FOLDER,
)
from core.vocabulary import Severity, Standing
from stores.markdown.own import OWN_FOLDER


class Role(StrEnum):
    """What a governed file is."""

    INBOX = "inbox"
    INDEX = "index"
    TOPIC = "topic"
    HELD = "held"
    ARCHIVE = "archive"
    LOG = "log"
    REPLAY = "replay"
    PROPOSAL = "proposal"
    CONVENTIONS = "conventions"
    HOT = "hot"
    BINDING = "binding"
    LEFTOVER = "leftover"


STANDINGS = {
    Role.INBOX: Standing.INBOX,
    Role.INDEX: Standing.INDEX,
    Role.TOPIC: Standing.TOPIC,
    Role.HELD: Standing.HELD,
}
"""The roles whose files bear items."""

FOLDERS = {
    TOPICS_FOLDER: Role.TOPIC,
    ARCHIVE_FOLDER: Role.ARCHIVE,
    HELD_FOLDER: Role.HELD,
    LOG_FOLDER: Role.LOG,
    PROPOSALS_FOLDER: Role.PROPOSAL,
}
_ROOT_FILES = {
    INBOX: Role.INBOX,
    INDEX: Role.INDEX,
    LOG: Role.LOG,
    CONVENTIONS: Role.CONVENTIONS,
    BINDING: Role.BINDING,
}
_NO_TOPICS = frozenset({"readme.md", "agents.md", "claude.md", "gemini.md", "contributing.md", "license.md"})

_SYNC = re.compile(
    r"\.sync-conflict-\d|\bconflicted copy\b|\((?:SF)?conflict(?: copy)?(?: [^()]*\d[^()]*)?\)"
    r"|冲突副本|衝突副本|冲突文件|[_.](?:BACKUP|BASE|LOCAL|REMOTE)[_.]\d+\.",
    re.IGNORECASE,
)
_GOVERNED_NAME = re.compile(r"\.md\b|\.jsonl\b|assay\.toml", re.IGNORECASE)
_MERGE_REST = re.compile(r"\.(?:orig|rej|mine|theirs|r\d+)\Z", re.IGNORECASE)
_EDITOR = re.compile(r"~\Z|\A\.#|\A#.*#\Z|\.(?:sw[a-p]|bak|tmp|old)\Z|\A~\$|\A\.~lock\.", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<stem>.*\S)(?: ?\(\d+\)| copy(?: \d+)?| - Copy(?: \(\d+\))?)(?P<end>\.(?:md|jsonl|toml))\Z")


def nfc(name: str) -> str:
    """A name in the form in which names are compared."""
    return unicodedata.normalize("NFC", name)


def role_of(path: str, *, topics_folder: bool) -> Role | None:
    """What the file at a root-relative posix path is; None where it is not governed.

    A root without a `topics/` folder (another tool's, or one that never grew) has its topics beside the inbox.
    """
    folder, _, rest = path.partition("/")
    if not rest:
        role = _ROOT_FILES.get(path)
        if role is None and path.endswith(".md") and not topics_folder and path.lower() not in _NO_TOPICS:
            return Role.TOPIC
        return role
    role = FOLDERS.get(folder)
    if role is Role.LOG and path.endswith(".jsonl"):
        return Role.REPLAY
    return role if path.endswith(".md") else None


def leftover(name: str, siblings: Container[str | None]) -> tuple[str, Severity] | None:
    """What left a file of this name behind (a clause), and how much it matters; None where it is no leftover.

    `siblings` are the names in the same folder: `page (1).md` is a copy only where `page.md` stands beside it.
    """
    told, original = _left_over(name)
    if original in siblings:
        return f"it looks like a copy of {original}", Severity.WARNING
    return told


def never_left_over(name: str) -> bool:
    """Whether `leftover` says nothing of a file of this name, whatever stands beside it."""
    return _left_over(name) == (None, None)


@lru_cache(maxsize=16_384)
def _left_over(name: str) -> tuple[tuple[str, Severity] | None, str | None]:
    """What the name alone says, and the name of which it says that it is a copy of it."""
    if name.startswith(OWN_FOLDER) or not _GOVERNED_NAME.search(name):
        return None, None
    if _SYNC.search(name):
        return ("a sync or merge tool kept another version of a file here", Severity.WARNING), None
    if _MERGE_REST.search(name):
        return ("version control left part of a merge here", Severity.WARNING), None
    if _EDITOR.search(name):
        return ("an editor left a copy here, or has the file open", Severity.NOTICE), None
    numbered = _NUMBERED.fullmatch(name)
    return None, numbered["stem"] + numbered["end"] if numbered is not None else None


def leftover_finding(path: str, why: str, severity: Severity) -> Finding:
    """The finding for a leftover: it is never read as memory."""
    return Finding(
        "conflicted-copy",
        severity,
        f"The file is not read: {why}.",
        file=path,
        remedy="Compare it with the file beside it, bring over what is missing, and remove it.",
    )


def topic_name(path: str) -> str:
    """The name of a topic page: its path below `topics/` (or the root), NFC, without `.md`."""
    return nfc(path.removeprefix(f"{TOPICS_FOLDER}/").removesuffix(".md"))
