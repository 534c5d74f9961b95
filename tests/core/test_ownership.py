"""Who owns a scope (§12.2, §17)."""

from __future__ import annotations

import pytest

from core.binding import Binding, Owner
from core.controls import Scope
from core.ownership import owner_named, owners_of, owns
from core.snapshot import Snapshot
from tests.core.build import change, event, item, root, scope, state

SNAPSHOT = root(
    state("mem-2026-05-01-001", "host:ip", scope="environment", file="topics/environment.md"),
    state("mem-2026-05-01-002", "host:port", scope="environment", file="topics/environment.md"),
    item("mem-2026-05-01-003", scope="project", file="topics/decisions.md"),
    item("mem-2026-05-01-004", file="topics/environment.md"),
    item("mem-2026-05-01-004", file="topics/decisions.md"),
    item("mem-2026-05-01-005", file="withdrawn/memwd-2026-06-10-001.md"),
    events=(
        event("memlog-0", "review", change("mem-2026-05-01-005", ("place", "topics/early.md", "topics/decisions.md"))),
        event(
            "memlog-1",
            "withdraw",
            change("mem-2026-05-01-006", ("place", "topics/other.md", "withdrawn/memwd-2026-06-10-001.md")),
            change(
                "mem-2026-05-01-005",
                ("subject", "topics/subject.md", None),
                ("place", "topics/environment.md#Facts", "withdrawn/memwd-2026-06-10-001.md"),
            ),
        ),
    ),
)
IP, PORT, DECISION, TWICE, HELD = (f"mem-2026-05-01-00{n}" for n in range(1, 6))


def owned(selectors: tuple[str, ...], of: Scope, snapshot: Snapshot = SNAPSHOT) -> bool:
    owner = Owner("ana", None, selectors)
    return owns(Binding(owners=(owner,)), owner, snapshot, of)


@pytest.mark.parametrize(
    ("selectors", "of", "owned_"),
    [
        (("*",), scope(["anything"], ["archive/x.md"], ["run-1"]), True),
        (("topic:environment",), scope([IP, PORT]), True),
        (("topic:environment",), scope([IP, DECISION]), False),
        (("topic:environment", "scope:project"), scope([IP, DECISION]), True),
        (("topic:environ",), scope([IP]), False),
        (("topic:environment",), scope([TWICE]), False),
        (("topic:environment", "topic:decisions"), scope([TWICE]), True),
        (("topic:environment",), scope([HELD]), True),
        (("topic:decisions",), scope([HELD]), False),
        (("topic:other",), scope([HELD]), False),
        (("status:active",), scope([IP]), False),
        (("topic:memwd-2026-06-10-001",), scope([HELD]), False),
        (("subject:host:",), scope([IP, PORT]), True),
        (("subject:host:i",), scope([IP, PORT]), False),
        (("subject:",), scope([IP]), False),
        (("scope:environment",), scope([IP]), True),
        (("scope:env",), scope([IP]), False),
        (("topic:environment",), scope(["mem-2026-01-01-001"]), False),
        (("topic:environment",), scope([IP], ["archive/2026-05-01.md"]), False),
        (("topic:environment", "archive:2026-05-01..2026-05-31"), scope([IP], ["archive/2026-05-31.md#x"]), True),
        (("archive:2026-05-01..2026-05-31",), scope((), ["archive/2026-06-01.md"]), False),
        (("archive:2026-05-01",), scope((), ["archive/2026-05-01.md"]), True),
        (("archive:2026-05-01",), scope((), ["archive/2026-05-02.md"]), False),
        (("archive:2026-05-01..",), scope((), ["archive/2026-05-02.md"]), True),
        (("archive:2026-05-01..",), scope((), ["archive/attic.md"]), False),
        (("archive:2026-05-01..2026-05-31",), scope((), (), ["run-1"]), False),
        (("topic:environment",), scope(), False),
        ((), scope([IP]), False),
    ],
)
def test_a_scope_is_owned_as_a_whole(selectors: tuple[str, ...], of: Scope, owned_: bool) -> None:
    assert owned(selectors, of) is owned_


def test_who_is_named() -> None:
    ana, eva = Owner("ana", "ana"), Owner("eva", None, ("topic:a",))
    binding = Binding(owners=(ana, eva, Owner("eva", None, ("topic:b",))))
    assert owner_named(binding, "owner:ana") == ana
    assert owner_named(binding, "ana") == ana
    assert owner_named(binding, "owner:eva") == Owner("eva", None, ("topic:a", "topic:b"))
    for other in ("human:ana", "agent:ana", "bob", "", "owner:", "Ana"):
        assert owner_named(binding, other) is None


def test_owners_of_a_scope_and_nobody_else() -> None:
    ana, eva = Owner("ana", None), Owner("eva", None, ("topic:environment",))
    binding = Binding(owners=(eva, ana))
    assert owners_of(binding, SNAPSHOT, scope([IP])) == (eva, ana)
    assert owners_of(binding, SNAPSHOT, scope([DECISION])) == (ana,)
    assert not owns(binding, Owner("bob", None, ("*",)), SNAPSHOT, scope([IP]))
