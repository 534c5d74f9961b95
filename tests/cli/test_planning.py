"""plan: the review on paper, and a ticked plan taken back in."""

from __future__ import annotations

import json

import pytest

from core.review_plan import OPEN, CleanupRow, Ticked, read_plan

PENDING, OTHER, STATE, RIVAL = "mem-2026-05-20-001", "mem-2026-05-20-002", "mem-2026-05-01-009", "mem-2026-06-03-001"
CLEAR = f"- [ ] clear {PENDING} — “Retries hide timeouts behind the gateway.”; pending "
DRAIN = "Drain before a restart."


@pytest.fixture
def plan(assay):
    """The plan as printed, and a way to write lines of it back."""
    text = assay.inside("plan").out

    def write(*changes: tuple[str, str], more: str = "") -> str:
        edited = text
        for old, new in changes:
            assert old in edited
            edited = edited.replace(old, new)
        (assay.folder / "plan.md").write_text(edited + more)
        return "plan.md"

    write.text = text
    return write


def tick(line: str) -> tuple[str, str]:
    return line, line.replace("[ ]", "[x]")


def page(assay) -> bytes:
    return (assay.root / "topics/deploy.md").read_bytes()


def test_a_line_an_action_names_the_command_why_and_who(assay, plan):
    assert CLEAR in plan.text
    line = next(line for line in plan.text.splitlines() if line.startswith(CLEAR))
    assert "days; It is marked pending-cleanup" in line
    assert line.endswith("; decides: a human or an owner or autodream")
    assert f"- [ ] reconcile {STATE} {RIVAL} --current {RIVAL} --evidence … — " in plan.text
    assert any(line.startswith("- [ ] repair ") and DRAIN in line for line in plan.text.splitlines())


def test_as_json(assay, plan):
    rows = assay.inside("plan", "--json").data
    row = next(row for row in rows if row["command"] == ["clear", PENDING])
    assert set(row) == {"what", "who", "why", "waiting", "command", "line"}
    assert row["line"] in plan.text.splitlines()
    assert row["waiting"].startswith("pending ")


def test_out_writes_a_new_file_outside_the_root(assay, plan):
    before = assay.bytes()
    result = assay.inside("plan", "--out", "review.md")
    assert (result.status, result.out) == (0, "")
    assert (assay.folder / "review.md").read_text() == plan.text
    assert json.loads((assay.folder / "review.json").read_text()) == assay.inside("plan", "--json").data
    (assay.folder / "mine.json").write_text("mine")
    assert assay.inside("plan", "--out", "mine.md").status == 6
    assert not (assay.folder / "mine.md").exists(), "both or none"
    assert assay.inside("plan", "--out", "review.md").status == 6
    assert assay.inside("plan", "--out", "memory/topics/review.md").status == 6
    assert assay.inside("plan", "--out", "nowhere/review.md").status == 9
    assert assay.inside("plan", "--out", "only.json", "--json").status == 0
    assert json.loads((assay.folder / "only.json").read_text())[0]["command"]
    assert not (assay.folder / "only.md").exists()
    assert assay.bytes() == before


def test_a_plan_that_nobody_ticked_does_nothing(assay, plan):
    before = assay.bytes()
    result = assay.inside("plan", "--take", plan())
    assert (result.status, result.out) == (0, "")
    assert assay.bytes() == before


def test_ticked_lines_are_shown_and_asked_one_question_a_command(assay, plan, person):
    evidence = f"--current {RIVAL} --evidence …"
    drain = next(line for line in plan.text.splitlines() if line.startswith("- [ ] repair ") and DRAIN in line)
    file = plan(
        tick(f"- [ ] clear {PENDING}"),
        tick(drain),
        (f"- [ ] reconcile {STATE}", f"- [x] reconcile {STATE}"),
        (evidence, evidence.replace("…", "archive/2026-05-20.md#run-6")),
    )
    before = assay.bytes()
    dry = assay.inside("plan", "--take", file, "--dry-run", "--json")
    assert dry.status == 0
    assert [plan["verb"] for plan in dry.data] == ["Reconcile", "Clear", "Repair"]
    assert assay("plan", "--take", file).status == 4
    assert assay.bytes() == before

    session = person("plan", "--take", file)
    session.wait_for("Reconcile? Type yes")
    assert RIVAL in session.screen
    session.type("yes\n")
    session.wait_for("Clear? Type yes")
    session.type("no\n")
    result = session.answer("yes", question="Repair? Type yes")
    assert result.status == 14
    assert "clear: cancelled; nothing was written" in result.err
    written = page(assay)
    assert b"  - Status: superseded\n  - superseded_by: mem-2026-06-03-001\n" in written
    assert b"  - Status: pending-cleanup\n" in written
    assert b"Drain before a restart.\n  - id: mem-" in written


class TestOneKind:
    def test_items_of_one_command_are_one_plan(self, assay, plan, person):
        (assay.root / "topics/deploy.md").write_bytes(
            page(assay).replace(
                b"mem-2026-05-20-002\n  - kind: knowledge\n  - Status: active",
                b"mem-2026-05-20-002\n  - kind: knowledge\n  - Status: pending-cleanup",
            )
        )
        lines = f"- [x] clear {PENDING} — a\n- [x] clear {OTHER} — b\n"
        (assay.folder / "plan.md").write_text(lines)
        result = person("plan", "--take", "plan.md", "--json", pipe=True).answer("yes")
        assert result.status == 0
        (receipt,) = result.data
        assert receipt["event"].startswith("memlog-")
        assert b"pending-cleanup" not in page(assay)

    def test_repairs_of_one_item_are_one_plan(self, assay, plan, person):
        key = next(
            row["command"][1]
            for row in assay.inside("plan", "--json").data
            if row["command"] and row["command"][0] == "repair" and DRAIN in row["line"]
        )
        (assay.folder / "plan.md").write_text(f"- [x] repair '{key}' — a\n- [x] repair '{key}' --status stale — b\n")
        result = person("plan", "--take", "plan.md").answer("yes")
        assert result.status == 0
        assert b"Drain before a restart.\n  - id: mem-2026-05-21-001\n  - Status: stale\n" in page(assay)

    def test_what_cannot_be_done_is_left_out_and_said(self, assay, person):
        (assay.folder / "plan.md").write_text(
            f"- [x] clear {PENDING} — a\n- [x] clear {OTHER} — b\n- [x] cool {STATE}\n"
        )
        result = person("plan", "--take", "plan.md").answer("yes")
        assert result.status == 6
        said = result.err.replace("\r\n", " ")
        assert f"{OTHER}" in said
        assert "plan.md:3: left out:" in said
        assert b"pending-cleanup" not in page(assay)


GARBLED = [
    ("- [x]", "plan.md:3: This is no line of a plan"),
    ("- [y] clear mem-2026-05-20-001 — a", "plan.md:3: This is no line of a plan"),
    ("clear mem-2026-05-20-001", "plan.md:3: This is no line of a plan"),
    ("- [x] claer mem-2026-05-20-001 — a", "plan.md:3: 'claer' is no command of a plan; did you mean clear?"),
    ("- [x] items --json — a", "'items' is no command of a plan"),
    ("- [x] undo — a", "'undo' is no command of a plan"),
    ("- [x] look at index.md:3 — a", "'look' is no command of a plan"),
    ("- [x] clear 'mem-2026-05-20-001 — a", "plan.md:3: Its words cannot be read: no closing quotation."),
    ("- [x] clear — a", "plan.md:3: clear: The following arguments are required: ITEM."),
    ("- [x] clear mem-2026-05-20-001 --jsno — a", "plan.md:3: clear: Unknown option --jsno"),
    ("- [x] clear mem-2026-05-20-001 --dry-run — a", "says what is to be done, and no more"),
    ("- [x] clear mem-2026-05-20-001 --root /tmp — a", "says what is to be done, and no more"),
    ("- [x] clear --help — a", "asks for no help"),
    ("- [x] repair mem-2026-05-20-001 --source … — a", "plan.md:3: repair: A word stands open"),
    ("- [x] merge mem-2026-05-20-001 mem-2026-05-20-002 — a", "A merge in a plan has its --text"),
]


@pytest.mark.parametrize(("line", "said"), GARBLED)
def test_a_garbled_line_stops_everything_and_is_named(assay, line, said):
    before = assay.bytes()
    (assay.folder / "plan.md").write_text(f"# Mine\n- [x] clear {PENDING} — a\n{line}\n")
    result = assay.inside("plan", "--take", "plan.md")
    assert (result.status, result.out) == (2, "")
    assert said in result.err
    assert assay.bytes() == before


def test_an_unknown_item_stops_everything_and_every_fault_is_said(assay):
    before = assay.bytes()
    lines = f"- [x] clear {PENDING} — a\n- [x] clear mem-1999-01-01-001 — b\n- [x] cool nothing — c\n"
    (assay.folder / "plan.md").write_text(lines)
    result = assay.inside("plan", "--take", "plan.md")
    assert result.status == 7
    assert "plan.md:2: mem-1999-01-01-001: No such item" in result.err
    assert "plan.md:3: nothing: No such item" in result.err
    assert assay.bytes() == before


@pytest.mark.parametrize("data", [b"- [x] clear \xff\n", None])
def test_a_file_that_cannot_be_read(assay, data):
    if data is not None:
        (assay.folder / "plan.md").write_bytes(b"\n" + data)
    result = assay.inside("plan", "--take", "plan.md")
    assert result.status == 2
    assert ("plan.md:2" if data else "plan.md: It cannot be read") in result.err


def test_options_that_do_not_go_together(assay):
    assert assay.inside("plan", "--take", "a", "--out", "b").status == 2
    assert assay.inside("plan", "--dry-run").status == 2


def test_a_plan_says_nothing_that_was_withdrawn_and_no_secret(assay, person):
    assert "AKIAIOSFODNN7EXAMPLE" not in assay.inside("plan").out
    assay.own()
    assert assay.agreed("withdraw", "--item", PENDING).status == 0
    out = assay.inside("plan").out
    assert PENDING not in out
    assert "Retries hide" not in out
    (assay.folder / "plan.md").write_text(f"- [x] clear {PENDING} — a\n")
    result = assay.inside("plan", "--take", "plan.md")
    assert result.status == 6
    assert "reinstate it" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("clear", PENDING),
        ("repair", "~4a38@topics/值班 手册.md#0", "--source", OPEN),
        ("subject", 'an "odd" one\'s key', OPEN),
        ("repair", "--marker", "a\\b #c"),
    ],
)
def test_a_line_reads_back_as_the_words_it_was_made_of(words):
    row = CleanupRow("look", "a human — or two", "it's “odd” — [x] *so*", words, title="“a — 'b”")
    assert read_plan(row.line) == ((), ())
    assert read_plan(f"\ufeff# Plan\r\n{row.line.replace('[ ]', '[x]', 1)}\r\n")[0] == (Ticked(2, words),)


def test_every_line_of_a_plan_is_one_of_a_plans(assay, plan):
    ticked, garbled = read_plan(plan.text.replace("- [ ]", "- [x]"))
    assert garbled == ()
    commands = [tuple(row["command"]) for row in assay.inside("plan", "--json").data if row["command"]]
    assert [one.words for one in ticked] == commands


def test_a_group_that_meets_a_change_says_what_was_done(assay, person):
    lines = "".join(f"- [x] reclassify {id} --kind state --subject a:{id[-1]} — why\n" for id in (PENDING, OTHER))
    (assay.folder / "plan.md").write_text(lines)
    session = person("plan", "--take", "plan.md", "--json", pipe=True)
    session.wait_for("Reclassify, all 2? Type yes")
    (assay.root / "topics/deploy.md").write_bytes(page(assay).replace("部署前先".encode(), "部署前必先".encode()))
    session.type("yes\n")
    session.wait_for("shown anew")
    session.screen = ""
    result = session.answer("no")
    assert result.status == 14
    assert "reclassify: cancelled; 1 of 2 were done" in result.err
    assert len(result.data) == 1
    assert b"subject: a:1\n" in page(assay)
    assert b"subject: a:2\n" not in page(assay)
