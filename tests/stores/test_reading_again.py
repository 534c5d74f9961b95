"""What a root says after a change does not depend on what was read before: read again or read anew, it is the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import pages
from core.events import Event, ItemChange
from core.reading import Reading
from core.snapshot import Snapshot
from stores.markdown.links import LinkPolicy, Tree, walk
from stores.markdown.reader import Reader
from stores.markdown.replay import encode_event
from tests.support.sight import snapshot_values

IDS = ("mem-2026-05-20-001", "mem-2026-05-20-002", "mem-2026-05-20-003", "odd")
WITHDRAWN = """\
- [2026-06-10T10:00:00+08:00] withdraw (memlog-2026-06-10-001) by owner:ana — memwd-2026-06-10-001
  ```yaml
  withdrawal_id: memwd-2026-06-10-001
  record_type: withdrawal-control-v1
  action: withdraw
  scope:
    memory_item_ids: [mem-2026-05-20-001]
  reason: failed-exploration
  decided_by: owner:ana
  decided_at: 2026-06-10T10:00:00+08:00
  effect: exclude-from-influence
  ```
"""
EVENTS = [
    Event(f"memlog-{n}", "cleanup", "2026-06-01T10:00:00+00:00", "human:ana", "…", items=(ItemChange(id, ()),))
    for n, id in enumerate(IDS)
]
TOML = '[binding]\nid = "assay:1"\nhot_entries = ["topics/a.md", "claude.md"]\n[limits]\nindex_lines = 3\n'


def item(id: str, text: str, subject: str, source: str) -> str:
    kind = "state" if subject else "knowledge"
    about = f"  - subject: {subject}\n" if subject else ""
    return f"- [{id[4:14]}] ({kind}) {text}\n  - id: {id}\n  - kind: {kind}\n{about}  - Source: {source}\n"


items = st.builds(
    item,
    st.sampled_from(IDS),
    st.sampled_from(["One.", "Two.", "password = hunter2-not-real"]),
    st.sampled_from(["", "", "host:ip", "Host:ip", "host:ip:v6"]),
    st.sampled_from(["chat", "archive/2026-05-20.md#run-7", IDS[1]]),
)
page = st.lists(items, max_size=3).map("".join)
titled = st.builds(
    "---\ntitle: {}\ntriggers: [{}]\n{}\n{}".format,
    st.sampled_from(["A", "B"]),
    st.sampled_from(["", "when"]),
    st.sampled_from(["---", "--"]),
    page,
)
index = st.builds(
    "## Topic Map\n- `topics/{}.md` — when\n## Withdrawn\n- {}\n## Recent Activity\n{}".format,
    st.sampled_from(["a", "b", "é", "none"]),
    st.sampled_from(IDS),
    page,
)
contents: dict[str, st.SearchStrategy[str]] = {
    "memory.md": page,
    "index.md": index,
    "topics/a.md": st.one_of(page, titled),
    "topics/b.md": st.one_of(page, titled),
    "topics/b (1).md": page,
    "topics/e\u0301.md": page,
    "withdrawn/memwd-2026-06-10-001.md": page,
    "archive/2026-05-20.md": page.map("## run-7\n{}".format),
    "log.md": st.sampled_from(["", WITHDRAWN]),
    "log/2026-06.jsonl": st.lists(st.sampled_from(EVENTS), max_size=2).map(
        lambda those: b"".join(map(encode_event, those)).decode()
    ),
    "claude.md": page,
    "assay.toml": st.sampled_from(["", TOML]),
}
steps = st.lists(
    st.sampled_from(sorted(contents)).flatmap(
        lambda name: st.tuples(st.just(name), st.one_of(st.none(), contents[name], contents[name]))
    ),
    min_size=1,
    max_size=3,
)
moments: Iterator[int] = count(10**18, 10**9)


def put(path: Path, content: str | None) -> None:
    """Write or remove a file; its times tell each content from all others."""
    if content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    os.utime(path, ns=(0, next(moments)))


def values(snapshot: Snapshot, reading: Reading) -> dict[str, Any]:
    said = snapshot_values(snapshot)
    for name in ("topics", "log", "tombstones", "proposals", "binding", "by_id", "shared_ids", "unborne", "logged"):
        said[name] = getattr(snapshot, name)
    for name in ("conflicts", "findings", "queue", "checks"):
        said[name] = getattr(reading, name)
    return {**said, "verdicts": reading.influence.verdicts, "many ids": len(snapshot.reserved_ids)}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=1, max_size=6), st.booleans())
def test_a_root_read_again_says_what_it_says_when_read_anew(
    tmp_path: Path, lives: list[list[tuple[str, str | None]]], each: bool
) -> None:
    root = tmp_path / "memory"
    shutil.rmtree(root, ignore_errors=True)
    (root / "topics").mkdir(parents=True)
    later = 4 * 10**18
    again = Reader(str(root), now=lambda: later)
    prior: Reading | None = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "_SHEAF", 2)
        for life in lives:
            for name, content in life:
                put(root / name, content)
            snapshot, documents = again.read()
            anew, pure = Reader(str(root)).read()
            prior = Reading(snapshot, today="2026-06-12", prior=prior)
            if each:
                assert values(snapshot, prior) == values(anew, Reading(anew, today="2026-06-12"))
            assert {path: documents[path].data for path in documents} == {path: pure[path].data for path in pure}
            assert list(documents) == list(pure)
    anew, _ = Reader(str(root)).read()
    assert prior is not None
    assert values(prior.snapshot, prior) == values(anew, Reading(anew, today="2026-06-12"))


def test_a_page_that_becomes_an_entry_of_its_own_is_no_page_any_more(tmp_path: Path) -> None:
    put(tmp_path / "notes.md", "- [2026-05-20] (knowledge) One.\n  - id: mem-2026-05-20-001\n")
    again = Reader(str(tmp_path))
    for hot in ("other.md", "notes.md", "other.md"):
        put(tmp_path / "assay.toml", f'[binding]\nhot_entries = ["{hot}"]\n')
        said, anew = again.read()[0], Reader(str(tmp_path)).read()[0]
        assert snapshot_values(said) == snapshot_values(anew)
        assert [one.id for one in said.items] == (["mem-2026-05-20-001"] if hot == "other.md" else [])


def test_an_index_entry_leads_to_the_file_that_has_come_since(tmp_path: Path) -> None:
    put(tmp_path / "topics/a.md", "")
    put(tmp_path / "index.md", "## Topic Map\n- `\u00e9.md` — when\n")
    again = Reader(str(tmp_path))
    assert [line.target for line in again.read()[0].index.topic_map] == ["\u00e9.md"]
    put(tmp_path / "topics/e\u0301.md", "")
    assert [line.target for line in again.read()[0].index.topic_map] == ["topics/e\u0301.md"]


# The walk


def looked(found: Tree) -> tuple[object, ...]:
    return found.files, found.findings, found.blocked, found.failing, found.unreadable


def become_link(root: Path) -> None:
    (root / "topics/a.md").rename(root / "topics/z.md")
    (root / "topics/a.md").symlink_to("z.md")


def become_pipe(root: Path) -> None:
    (root / "topics/a.md").unlink()
    os.mkfifo(root / "topics/a.md")


def become_folder(root: Path) -> None:
    (root / "topics/a.md").unlink()
    put(root / "topics/a.md/inside.md", "x")


def lead_elsewhere(root: Path) -> None:
    shutil.copytree(root / "topics", root.parent / "other")
    (root / "topics").rename(root / "kept")
    (root / "topics").symlink_to("../other")


def lose_topics(root: Path) -> None:
    (root / "topics").rename(root / "other")
    put(root / "plain.md", "x")


CHANGES = {
    "text": lambda root: put(root / "topics/a.md", "other"),
    "more": lambda root: put(root / "topics/c.md", "x"),
    "fewer": lambda root: put(root / "topics/a.md", None),
    "copy": lambda root: put(root / "topics/a (1).md", "x"),
    "no copy": lambda root: put(root / "topics/b.md", None),
    "hard link": lambda root: os.link(root / "topics/a.md", root / "topics/y.md"),
    "hard link out": lambda root: os.link(root / "topics/a.md", root.parent / "out.md"),
    "link": become_link,
    "link in": lambda root: (root / "topics/0.md").symlink_to("a.md"),
    "pipe": become_pipe,
    "folder": become_folder,
    "mode": lambda root: (root / "topics/a.md").chmod(0o600),
    "folder elsewhere": lead_elsewhere,
    "no topics": lose_topics,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_walk_after_another_finds_what_one_made_anew_finds(tmp_path: Path, change: str) -> None:
    root = tmp_path / "memory"
    names = ("memory.md", "topics/a.md", "topics/b.md", "topics/b (1).md", "topics/sub/a.md", "archive/2026-05-20.md")
    for name in names:
        put(root / name, "x")
    policy = LinkPolicy(str(root))
    before = walk(str(root), policy)
    CHANGES[change](root)
    after = walk(str(root), policy, (), before)
    assert looked(after) == looked(walk(str(root), policy))
    again = walk(str(root), policy, (), after)
    assert looked(again) == looked(after)
    assert {id(entry) for entry in again.files} & {id(entry) for entry in after.files}, "what stands is the same entry"
    assert looked(walk(str(root), policy, ("topics", "plain.md"), after)) == looked(
        walk(str(root), policy, ("topics", "plain.md"))
    )
