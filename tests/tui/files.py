"""A root of Markdown files that the console's tests drive, and what stands in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.authority import Actor, Role
from core.binding import Binding
from stores.markdown import MarkdownStore
from stores.pins import Pins
from tests.tui.driving import Desk
from tui.door import Door

FILES = {
    "assay.toml": """\
[binding]
id = "t"
protocol = "memory"
version = "0.2.0"
level = "memory:L4"
timezone = "UTC"

[[owners]]
name = "ana"
user = "ana"
scopes = ["*"]
""",
    "index.md": """\
# Memory Index

## Recent Activity

## Topic Map

- topics/deploy.md — Read when deploying.
- topics/net.md — Read when the network misbehaves.

## Pending Cleanup
""",
    "memory.md": """\
# 2026-06-03

- [2026-06-03] [mem-2026-06-03-001] (state) Port is 9090. Subject: app:port. Source: deploy log 2026-06-03.
""",
    "topics/deploy.md": """\
---
title: Deploy
layer: warm
triggers:
  - deploy
last_updated: 2026-05-11
source_dates:
  - 2026-05-11
---

# Deploy

## Facts and lessons

- [2026-05-11] (knowledge) Retries hide timeouts behind the gateway.
  - id: mem-2026-05-11-001
  - kind: knowledge
  - Status: pending-cleanup
  - Source: archive/2026-05-11.md#run-3
- [2026-05-11] (knowledge) 部署前先备份数据库。
  - id: mem-2026-05-11-002
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-11.md#run-3
- [2026-05-11] The staging key is rotated on Mondays.
  - id: mem-2026-05-11-003
  - Status: active
""",
    "topics/net.md": """\
---
title: Net
layer: warm
triggers:
  - network
last_updated: 2026-05-11
source_dates:
  - 2026-05-11
---

# Net

## Facts and lessons

- [2026-05-11] (state) Port is 8080.
  - id: mem-2026-05-11-009
  - kind: state
  - subject: app:port
  - Status: active
  - Source: archive/2026-05-11.md#run-3
""",
    "archive/2026-05-11.md": """\
# 2026-05-11

## run 3

- [2026-05-11] [mem-2026-05-11-001] (knowledge) Retries hide timeouts behind the gateway. Source: incident.
- [2026-05-11] [mem-2026-05-11-002] (knowledge) 部署前先备份数据库。 Source: incident.
- [2026-05-11] [mem-2026-05-11-009] (state) Port is 8080. Subject: app:port. Source: deploy log.
""",
}


class Root:
    """A root of files, with the pins of one user."""

    def __init__(self, folder: Path, files: dict[str, str], *, confirmed: bool = True) -> None:
        self.path = folder / "memory"
        for name, text in files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(text, encoding="utf-8")
        self.pins = Pins(str(self.path), folder=str(folder / "config"))
        self.store = MarkdownStore(str(self.path), pins=self.pins)
        if confirmed:
            self.store.confirm_owners()

    def text(self, name: str) -> str:
        """A file as it is now."""
        return (self.path / name).read_text(encoding="utf-8")

    def door(self) -> Door:
        """The door of the user `ana`."""

        def actor_for(binding: Binding) -> Actor:
            if binding.owners_state in ("confirmed", "changed"):
                for owner in binding.owners:
                    if owner.user == "ana":
                        return Actor(Role.OWNER, owner.name)
            return Actor(Role.HUMAN, "ana")

        def declare(before: Binding, name: str) -> None:
            after = self.store.declared_binding()
            self.pins.declare(before, after.id, next(one for one in after.owners if one.name == name))

        return Door("ana", actor_for, self.store.declared_binding, self.store.confirm_owners, declare)


def make(tmp_path: Path, change: Callable[[dict[str, str]], object], *, confirmed: bool = True) -> Root:
    """The root with some files changed."""
    files = dict(FILES)
    change(files)
    return Root(tmp_path, files, confirmed=confirmed)


def items_of(text: str) -> str:
    """A topic's page without its frontmatter, whose last_updated every write keeps true."""
    return text.split("# ", 1)[1]


async def into(desk: Desk, id: str) -> None:
    """Put the cursor on an item, from anywhere."""
    desk.app.console_screen.visit(1, id)
    await desk.settle()
    assert desk.key == id


RETRIES, BACKUP, KEY = "mem-2026-05-11-001", "mem-2026-05-11-002", "mem-2026-05-11-003"
