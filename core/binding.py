"""The binding record (`assay.toml`): who owns what, and the limits the engine keeps."""

from __future__ import annotations

from dataclasses import dataclass

from core.vocabulary import Level


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner: `name`, the operating-system `user` who may act as them (None: nobody here), scope selectors.

    Selectors: `*`, `topic:NAME`, `subject:PREFIX`, `scope:ITEM-SCOPE`, `archive:YYYY-MM-DD..YYYY-MM-DD`.
    """

    name: str
    user: str | None
    scopes: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the engine keeps index.md and log.md to (§10, §13 step 5)."""

    index_lines: int = 200
    recent_entries: int = 10
    withdrawn_entries: int = 40
    log_bytes: int = 256_000


@dataclass(frozen=True, slots=True)
class Binding:
    """The binding record. `declared` is False where the root has no (readable) `assay.toml`.

    `owners` are those that count; `owners_state` is `none` (none declared), `confirmed` (pinned by the user, and the
    file says the same), `unconfirmed` (declared, never confirmed on this machine: they own scopes when records are
    read, but grant no action), `changed` (the file differs from what the user confirmed: the confirmed ones count).
    """

    id: str = ""
    protocol: str = "memory"
    version: str = "0.2.0"
    level: Level = Level.L1
    timezone: str = "UTC"
    owners: tuple[Owner, ...] = ()
    owners_state: str = "none"
    limits: Limits = Limits()
    allowed_links: tuple[str, ...] = ()
    hot_entries: tuple[str, ...] = ()
    declared: bool = False
