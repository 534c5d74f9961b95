"""A case: a small root on disk, opened by the Markdown store, and what may be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.authority import Actor, Role
from core.engine import Engine
from core.items import MemoryItem
from core.plan import Plan, Receipt
from core.reading import Reading
from core.requests import Request
from stores.markdown.store import MarkdownStore
from stores.pins import Pins
from tests.support.roots import Clock

ANA = Actor(Role.OWNER, "ana")
HUMAN = Actor(Role.HUMAN, "kim")

BINDING = """\
[binding]
id = "case"
protocol = "memory"
version = "0.2.0"
level = "memory:L4"
timezone = "UTC"

[[owners]]
name = "ana"
user = "ana"
scopes = ["*"]
"""


class Case:
    """The root in `tmp/memory`, made of `files` (name -> text or bytes)."""

    def __init__(self, tmp: Path, files: Mapping[str, str | bytes], *, owners: bool = False) -> None:
        self.folder = tmp / "memory"
        self.folder.mkdir(exist_ok=True)
        for name, content in ({"assay.toml": BINDING, **files} if owners else files).items():
            self.write(name, content)
        self.clock = Clock()
        self.store = MarkdownStore(str(self.folder), pins=Pins(str(self.folder), folder=str(tmp / "config")))
        if owners:
            self.store.confirm_owners()
        self.engine = Engine(self.store, clock=self.clock)

    def write(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def bytes(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def tree(self) -> dict[str, bytes]:
        """Every file of the root but Assay's own workings, by relative path."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and ".assay" not in path.parts
        }

    def reading(self) -> Reading:
        return self.engine.reading()

    @property
    def items(self) -> tuple[MemoryItem, ...]:
        return self.store.snapshot().items

    def item(self, item_id: str) -> MemoryItem:
        (item,) = self.store.snapshot().by_id[item_id]
        return item

    def codes(self, file: str | None = None) -> list[str]:
        """The codes of all findings, or of those about one file, sorted."""
        return sorted(one.code for one in self.reading().findings if file is None or one.file == file)

    def lines(self, code: str) -> list[int | None]:
        return [one.line for one in self.reading().findings if one.code == code]

    def plan(self, request: Request, actor: Actor = HUMAN) -> Plan:
        return self.engine.plan(request, actor)

    def commit(self, plan: Plan) -> Receipt:
        return self.engine.commit(plan, self.engine.decide(plan, plan.actor))

    def do(self, request: Request, actor: Actor = HUMAN) -> Receipt:
        return self.commit(self.plan(request, actor))


def item(
    item_id: str,
    text: str,
    *,
    kind: str = "knowledge",
    subject: str = "",
    status: str = "active",
    source: str = "archive/2026-05-02.md",
    more: str = "",
    eol: str = "\n",
) -> str:
    """A canonical record of a topic page."""
    date = item_id[4:14]
    lines = [f"- [{date}] ({kind}) {text}", f"  - id: {item_id}", f"  - kind: {kind}"]
    if subject:
        lines.append(f"  - subject: {subject}")
    lines += [f"  - Status: {status}", *([more] if more else []), f"  - Source: {source}"]
    return eol.join(lines) + eol


def control(
    number: str,
    action: str,
    *,
    ids: str = "",
    archive: str = "",
    runs: str = "",
    by: str = "owner:ana",
    supersedes: str = "",
    effect: str = "",
    at: str = "2026-06-10T10:00:00+08:00",
) -> str:
    """A line of log.md with its WithdrawalRecord beneath. `number` is `YYYY-MM-DD-NNN`."""
    effect = effect or {"withdraw": "exclude-from-influence"}.get(action, "restore-eligibility")
    prior = f"  supersedes: {supersedes}\n" if supersedes else ""
    return (
        f"- [{at}] {action} (memlog-{number}) by {by} — memwd-{number}\n  ```yaml\n"
        f"  withdrawal_id: memwd-{number}\n  record_type: withdrawal-control-v1\n  action: {action}\n  scope:\n"
        f"    memory_item_ids: [{ids}]\n    archive_refs: [{archive}]\n    source_or_run_refs: [{runs}]\n"
        f"  reason: failed-exploration\n  decided_by: {by}\n  decided_at: {at}\n  effect: {effect}\n{prior}  ```\n"
    )
