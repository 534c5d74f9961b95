"""index.md (§10) and archive days (§13), proposals (§23.5) and the binding record, as they are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.binding import Limits, Owner
from core.snapshot import ArchiveDay
from core.vocabulary import Level, Standing
from stores.markdown.archive import parse_archive, slug
from stores.markdown.binding_file import parse_binding
from stores.markdown.document import parse_document
from stores.markdown.index_page import PENDING, RECENT, TOPIC_MAP, WITHDRAWN, IndexPage, parse_index
from stores.markdown.proposals import parse_proposals

INDEX = """\
# Memory Index

> read this first

| area | page |
| --- | --- |
| deploy | topics/deploy.md |

## recent activity

- [2026-05-01] (state) The port is 8000. → topics/environment.md
  with more below
- [2026-05-02] (knowledge) Back up first. -> `topics/work flows.md`

## Topic Map

- user-preferences.md — Read when handling style.
- [Deploy guide](topics/deploy.md) — Read when deploying.
- `topics/pitfalls.md`: Read when debugging.
- [[Old note]]
- about mem-2026-05-01-001
- then → end.md.

### More

- late.md – Read late.

<!-- - hidden.md — never -->

## Pending Cleanup

- [2026-05-03] [mem-2026-05-03-001] (knowledge) Maybe wrong. Status: pending-cleanup. Source: x.

## Withdrawn

Not to be used:

- mem-2026-05-20-001
- archive/2026-05-20.md#run-7

## Mine

- anything
"""


def index(text: str, **options: int) -> IndexPage:
    return parse_index(parse_document("index.md", text.encode(), Standing.INDEX), **options)


def test_sections_are_found_by_the_protocols_names() -> None:
    page = index(INDEX)
    assert list(page.sections) == [RECENT, TOPIC_MAP, PENDING, WITHDRAWN]
    section = page.sections[RECENT]
    assert section.title == "recent activity"
    assert INDEX.encode()[section.start : section.end].startswith(b"\n- [2026-05-01]")
    assert index("# Empty\n").sections == {}


def test_entries_say_what_they_point_at() -> None:
    view = index(INDEX).view
    assert view.present
    assert view.lines == len(INDEX.splitlines())
    assert [(line.target, line.line) for line in view.recent] == [
        ("topics/environment.md", 11),
        ("topics/work flows.md", 13),
    ]
    assert [(line.target, line.trigger) for line in view.topic_map] == [
        ("user-preferences.md", "Read when handling style."),
        ("topics/deploy.md", "Read when deploying."),
        ("topics/pitfalls.md", "Read when debugging."),
        ("Old note.md", None),
        ("mem-2026-05-01-001", None),
        ("end.md", None),
        ("late.md", "Read late."),
    ]
    assert [line.target for line in view.pending] == ["mem-2026-05-03-001"]
    assert [line.target for line in view.withdrawn] == ["mem-2026-05-20-001", "archive/2026-05-20.md#run-7"]
    assert view.topic_map[0].text == "user-preferences.md — Read when handling style."


def test_entries_cover_their_whole_lines() -> None:
    data = INDEX.encode()
    first, second = index(INDEX).entries[RECENT]
    assert data[first.start : first.end].decode() == (
        "- [2026-05-01] (state) The port is 8000. → topics/environment.md\n  with more below\n"
    )
    assert data[second.start : second.end].endswith(b"flows.md`\n")


def test_targets_are_resolved_to_the_files_that_are_there() -> None:
    document = parse_document(
        "index.md", "## Topic Map\n- deploy.md — x\n- mem-2026-05-01-001\n".encode(), Standing.INDEX
    )
    page = parse_index(document, resolve=lambda target: f"topics/{target}")
    assert [line.target for line in page.view.topic_map] == ["topics/deploy.md", "mem-2026-05-01-001"]


def test_entries_beyond_the_limit_with_corrections_first() -> None:
    lines = [f"- [2026-05-01] (state) Entry {number}: the port is {8000 + number}." for number in range(30)]
    lines[25] = "- [2026-06-01] (state) CORRECTION to entry 6: the port is 9000."
    lines[27] = "- [2026-06-02] (state) 更正第 3 行。"
    view = index("# I\n\n## Recent Activity\n\n" + "\n".join(lines), limit=20).view
    assert view.lines == 34
    assert [line.line for line in view.beyond_limit][:4] == [30, 32, 21, 22]
    assert len(view.beyond_limit) == 14
    assert index(INDEX).view.beyond_limit == ()


ARCHIVE = """\
# 2026-05-20

- [2026-05-20] [mem-2026-05-20-000] (knowledge) First. Source: chat.

## Run 7: Émile's *try*!

- [2026-05-20] [mem-2026-05-20-001] (knowledge) Second. Source: chat.

### Détail_a-b

- [2026-05-20] [mem-2026-05-20-002] (knowledge) Third. Source: chat.


## Run 7: Émile's *try*!

Text <a id="here"></a> anchored.
- [2026-05-20] (knowledge) Fourth.

## Named {#special .x}

The end {#tail}
more
"""


def day(text: str) -> ArchiveDay:
    return parse_archive("archive/2026-05-20.md", text.encode()).day


def test_anchors_of_an_archive_day() -> None:
    assert dict(day(ARCHIVE).anchors) == {
        "2026-05-20": (1, 22),
        "run-7-émiles-try": (5, 11),
        "détail_a-b": (9, 11),
        "run-7-émiles-try-1": (14, 17),
        "here": (16, 17),
        "special": (19, 22),
        "named": (19, 22),
        "tail": (21, 22),
    }
    assert next(iter(day(ARCHIVE).anchors)) == "2026-05-20", "in the order of the file"


def test_an_explicit_anchor_in_a_heading_covers_its_section() -> None:
    assert dict(day('## <a name="b"></a>Bee\n\ntext\n\n## C\n').anchors) == {
        "bee": (1, 3),
        "b": (1, 3),
        "c": (5, 5),
    }


def test_slugs_are_those_of_github() -> None:
    assert slug("  Instruction  Mount-test (v1.2) ") == "instruction--mount-test-v12"
    assert slug("部署 前") == "部署-前"
    assert slug("See [the *guide*](topics/x.md) `now`") == "see-the-guide-now"


@given(st.text())
def test_a_slug_keeps_letters_digits_hyphens_and_underscores(title: str) -> None:
    kept = (one for one in title.strip().lower() if one.isalnum() or one in " -_")
    assert slug(title) == "".join(kept).replace(" ", "-") or set(title) & set("<[")


def test_archived_copies_are_evidence_with_their_anchor() -> None:
    found = [(copy.id, copy.anchor, copy.line, copy.text) for copy in day(ARCHIVE).copies]
    assert found == [
        ("mem-2026-05-20-000", "2026-05-20", 3, "First."),
        ("mem-2026-05-20-001", "run-7-émiles-try", 7, "Second."),
        ("mem-2026-05-20-002", "détail_a-b", 11, "Third."),
        (None, "here", 17, "Fourth."),
    ]
    page = parse_archive("archive/2026-05-20.md", ARCHIVE.encode())
    assert page.findings == (), "drift of a copy is no finding"


def test_lines_of_an_archive_day_are_cut_when_asked_for() -> None:
    one = day("a\r\nb\x0cc\rd\n\n")
    assert one.lines == ("a", "b\x0cc", "d", "")
    assert one == day("a\r\nb\x0cc\rd\n\n")
    assert one != day("a\n")
    assert day("").lines == ()


def test_an_archive_file_is_dated_by_its_name() -> None:
    assert parse_archive("archive/2026-05-20-evening.md", b"").day.date == "2026-05-20"
    assert parse_archive("archive/old/notes.md", b"").day.date == "notes"
    assert parse_archive("archive/2026-05-20.md", b"\xff").document.unwritable


FIELDS = """\
proposal_id: mempolicy-2026-07-15-001
target: retrieval-trigger:environment-state
proposed_change: "Require live verification when source age exceeds 30 days"
supporting_refs:
  - memfb-2026-06-02-004
  - 0012
expected_benefit: no
risk: "Adds latency"
status: pending-review
"""


@pytest.mark.parametrize("text", [f"---\n{FIELDS}---\n\nWhy.\n", f"# P\n\n```yaml\n{FIELDS}```\n", f"~~~\n{FIELDS}"])
def test_a_proposal_in_frontmatter_or_a_fence(text: str) -> None:
    (proposal,), findings, unwritable = parse_proposals("proposals/p.md", text.encode())
    assert (proposal.proposal_id, proposal.target) == (
        "mempolicy-2026-07-15-001",
        "retrieval-trigger:environment-state",
    )
    assert proposal.proposed_change == "Require live verification when source age exceeds 30 days"
    assert proposal.supporting_refs == ("memfb-2026-06-02-004", "0012")
    assert (proposal.expected_benefit, proposal.risk, proposal.status) == ("no", "Adds latency", "pending-review")
    assert (findings, unwritable) == ((), "")
    assert proposal.place.file == "proposals/p.md"


def test_a_proposal_that_cannot_be_read_is_a_finding() -> None:
    proposals, findings, _ = parse_proposals("proposals/p.md", b"```yaml\nproposal_id: x\n risk: [\n```\n")
    assert proposals == ()
    assert [(f.code, f.line) for f in findings] == [("proposal-unreadable", 1)]
    assert parse_proposals("proposals/p.md", b"# Notes\n\n```\ncode\n```\n") == ((), (), "")
    (bare,), _, _ = parse_proposals("proposals/p.md", b"---\nproposal_id: x\n---\n")
    assert (bare.proposal_id, bare.target, bare.supporting_refs) == ("x", "", ())
    assert parse_proposals("proposals/p.md", b"---\nproposal_id: x\na: b: c\n---\n")[2]


BINDING = """\
[binding]
id = "case"
level = "memory:L4"
timezone = "Asia/Shanghai"
allowed_links = ["~/notes"]
hot_entries = ["../AGENTS.md"]

[limits]
index_lines = 100

[[owners]]
name = "ana"
user = "ana"
scopes = ["topic:deploy", "subject:app:"]

[[owners]]
name = "bob"
"""


def test_the_binding_record() -> None:
    binding, findings = parse_binding("assay.toml", b"\xef\xbb\xbf" + BINDING.encode())
    assert findings == ()
    assert (binding.id, binding.level, binding.timezone, binding.declared) == ("case", Level.L4, "Asia/Shanghai", True)
    assert binding.owners == (Owner("ana", "ana", ("topic:deploy", "subject:app:")), Owner("bob", None, ("*",)))
    assert binding.owners_state == "unconfirmed"
    assert (binding.limits, binding.allowed_links, binding.hot_entries) == (
        Limits(index_lines=100),
        ("~/notes",),
        ("../AGENTS.md",),
    )
    assert parse_binding("assay.toml", b"")[0].owners_state == "none"


@pytest.mark.parametrize("data", [b"[binding\n", b"\xff", b"a = 1\na = 2\n", b"[" * 5_000])
def test_a_broken_binding_record_declares_nothing(data: bytes) -> None:
    binding, findings = parse_binding("assay.toml", data)
    assert (binding.declared, binding.owners) == (False, ())
    assert [f.code for f in findings] == ["binding-broken"]


@pytest.mark.parametrize(
    "old",
    [
        ('level = "memory:L4"', 'level = "memory:L9"'),
        ('id = "case"', "id = 7"),
        ("index_lines = 100", "index_lines = 0"),
        ("index_lines = 100", "index_lines = true"),
        ('scopes = ["topic:deploy", "subject:app:"]', "scopes = []"),
        ('scopes = ["topic:deploy", "subject:app:"]', 'scopes = "*"'),
        ('user = "ana"', "user = 7"),
        ('name = "bob"', ""),
        ('allowed_links = ["~/notes"]', 'allowed_links = "~/notes"'),
        ("[limits]", "[[limits]]"),
        ('[[owners]]\nname = "ana"\nuser = "ana"\nscopes = ["topic:deploy", "subject:app:"]\n\n[[owners]]', "[owners]"),
    ],
)
def test_a_value_of_the_wrong_shape_counts_as_absent(old: tuple[str, str]) -> None:
    assert old[0] in BINDING
    binding, findings = parse_binding("assay.toml", BINDING.replace(*old).encode())
    assert findings
    assert {f.code for f in findings} == {"binding-broken"}
    assert binding.declared
    assert ("*",) not in [owner.scopes for owner in binding.owners if owner.name == "ana"]
