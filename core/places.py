"""Where things stand in a root (§7.3): the names that rules and stores share."""

from __future__ import annotations

from core.vocabulary import Standing

INBOX = "memory.md"
INDEX = "index.md"
LOG = "log.md"
CONVENTIONS = "conventions.md"
TOPICS_FOLDER = "topics"
ARCHIVE_FOLDER = "archive"
HELD_FOLDER = "withdrawn"
LOG_FOLDER = "log"
PROPOSALS_FOLDER = "proposals"
BINDING = "assay.toml"
FACTS_SECTION = "Facts and lessons"
HISTORICAL_SECTION = "Historical lessons"


def standing_of(file: str, section: str | None) -> Standing:
    """Where an item in `section` of the root-relative `file` stands."""
    if file == INBOX:
        return Standing.INBOX
    if file == INDEX:
        return Standing.INDEX
    if file.startswith(HELD_FOLDER + "/"):
        return Standing.HELD
    if section is not None and section.strip().casefold() == HISTORICAL_SECTION.casefold():
        return Standing.HISTORICAL
    return Standing.TOPIC


def held_file(withdrawal_id: str) -> str:
    """The file that holds the items a withdrawal took out of the ordinary pages."""
    return f"{HELD_FOLDER}/{withdrawal_id}.md"


HOT = "hot:"
"""Before a hot file's name, in an event's detail: the digest of the file as the event left it (§17)."""
