"""The binding record `assay.toml`: read by `tomllib`, never trusted further than it is well-formed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.binding import Binding, Limits, Owner
from core.findings import Finding
from core.vocabulary import Level, Severity

_LINE = re.compile(r"at line (\d+)")
_LIMITS = ("index_lines", "recent_entries", "withdrawn_entries", "log_bytes")


def parse_binding(path: str, data: bytes) -> tuple[Binding, tuple[Finding, ...]]:
    """The binding record and the findings. Never raises.

    A file that does not parse declares nothing. In one that does, a value of the wrong type is a finding and counts as
    absent. `owners_state` is `unconfirmed` where owners stand in it: whether a human confirmed them is known elsewhere.
    """
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Binding(), (_broken(path, data.count(b"\n", 0, error.start) + 1, "it holds bytes that are no UTF-8"),)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        found = _LINE.search(str(error))
        return Binding(), (_broken(path, int(found[1]) if found else None, f"it does not parse: {error}"),)
    reader = _Reader(path)
    return reader.binding(table), tuple(reader.findings)


class _Reader:
    """Takes what has the right shape, and says what has not."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.findings: list[Finding] = []

    def binding(self, table: Mapping[str, Any]) -> Binding:
        head = self._table(table, "binding")
        plain = Binding()
        level = self._text(head, "level", plain.level.value)
        if level not in set(Level):
            self._wrong(f"level {level!r} is no level of the protocol")
            level = plain.level.value
        owners = self._owners(table)
        links = self._table(table, "links")
        return replace(
            plain,
            id=self._text(head, "id", ""),
            protocol=self._text(head, "protocol", plain.protocol),
            version=self._text(head, "version", plain.version),
            level=Level(level),
            timezone=self._text(head, "timezone", plain.timezone),
            owners=owners,
            owners_state="unconfirmed" if owners else "none",
            limits=self._limits(table),
            allowed_links=(*self._texts(head, "allowed_links"), *self._texts(links, "allowed")),
            hot_entries=self._texts(head, "hot_entries"),
            declared=True,
        )

    def _owners(self, table: Mapping[str, Any]) -> tuple[Owner, ...]:
        listed = table.get("owners", [])
        if not isinstance(listed, list):
            self._wrong("owners is no list of tables")
            return ()
        owners = []
        for number, entry in enumerate(listed, 1):
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str) or not name:
                self._wrong(f"owner {number} has no name")
                continue
            user = entry.get("user")
            if user is not None and not isinstance(user, str):
                self._wrong(f"the user of owner {name} is no text")
                user = None
            scopes = self._texts(entry, "scopes") if "scopes" in entry else ("*",)
            if not scopes:
                self._wrong(f"owner {name} owns no scope")
                continue
            owners.append(Owner(name, user, scopes))
        return tuple(owners)

    def _limits(self, table: Mapping[str, Any]) -> Limits:
        given = self._table(table, "limits")
        kept: dict[str, int] = {}
        for name in _LIMITS:
            value = given.get(name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                self._wrong(f"the limit {name} is no number of one or more")
            else:
                kept[name] = value
        return replace(Limits(), **kept)

    def _table(self, table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = table.get(name, {})
        if isinstance(value, dict):
            return value
        self._wrong(f"{name} is no table")
        return {}

    def _text(self, table: Mapping[str, Any], name: str, default: str) -> str:
        value = table.get(name, default)
        if isinstance(value, str):
            return value
        self._wrong(f"{name} is no text")
        return default

    def _texts(self, table: Mapping[str, Any], name: str) -> tuple[str, ...]:
        value = table.get(name, [])
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        self._wrong(f"{name} is no list of texts")
        return ()

    def _wrong(self, what: str) -> None:
        self.findings.append(_broken(self.path, None, what))


def _broken(path: str, line: int | None, why: str) -> Finding:
    return Finding(
        "binding-broken",
        Severity.ERROR,
        f"The binding record cannot be relied on: {why}.",
        file=path,
        line=line,
        remedy="Repair assay.toml; until then what it gets wrong counts as absent.",
    )
