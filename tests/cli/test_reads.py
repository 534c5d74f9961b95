"""Reading a root: shapes of JSON, filters, and what stays withheld, masked and harmless."""

from __future__ import annotations

import json
from typing import Any

import pytest

WITHDRAWAL = """\
# Log

- [2026-06-10T10:00:00+08:00] withdraw (memlog-2026-06-10-001) by owner:ana — memwd-2026-06-10-001
  ```yaml
  withdrawal_id: memwd-2026-06-10-001
  record_type: withdrawal-control-v1
  action: withdraw
  scope:
    memory_item_ids: [mem-2026-05-20-001]
    archive_refs: []
    source_or_run_refs: []
  reason: failed-exploration
  decided_by: owner:ana
  decided_at: 2026-06-10T10:00:00+08:00
  effect: exclude-from-influence
  ```
- [2026-06-09T10:00:00+08:00] review (memlog-2026-06-09-001) by ana — Retries hide timeouts behind the gateway. Kept.
"""
WITHDRAWN_TEXT = "Retries hide timeouts behind the gateway"

READS: list[list[str]] = [
    ["status"],
    ["items"],
    ["items", "--find", "gateway"],
    ["findings"],
    ["conflicts"],
    ["withdrawals"],
    ["erasures"],
    ["log"],
    ["check"],
    ["plan"],
    ["duplicates", "--cutoff", "1"],
    ["proposals", "--all"],
    ["show", "mem-2026-05-20-001", "--history"],
    ["show", "mem-2026-05-20-002"],
]

ITEM_KEYS = {
    *("id", "key", "date", "kind", "text", "withheld", "subject", "scope", "status", "superseded_by"),
    *("confidence", "source", "standing", "place", "influence"),
}


def by_id(result: Any) -> dict[str, Any]:
    return {item["id"]: item for item in result.data}


def test_items_as_json(assay):
    items = by_id(assay.inside("items", "--json"))
    assert all(set(item) >= ITEM_KEYS for item in items.values())
    assert items["mem-2026-05-01-009"] == {
        "id": "mem-2026-05-01-009",
        "key": "mem-2026-05-01-009",
        "date": "2026-05-01",
        "kind": "state",
        "text": "Port is 8080.",
        "withheld": False,
        "subject": "app:port",
        "scope": None,
        "status": "active",
        "superseded_by": None,
        "confidence": None,
        "source": "archive/2026-05-20.md#run-6",
        "standing": "topic",
        "place": {"file": "topics/deploy.md", "line": 15, "section": "Facts and lessons"},
        "influence": {"eligible": True, "by": [], "why": ""},
    }
    assert items["mem-2026-05-20-002"]["text"] == "部署前先备份数据库。"
    assert None in items  # the item without an id


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--status", "pending-cleanup"], ["mem-2026-05-20-001"]),
        (["--kind", "state"], ["mem-2026-06-03-001", "mem-2026-06-07-001", "mem-2026-05-01-009"]),
        (["--standing", "inbox"], ["mem-2026-06-03-001", "mem-2026-06-07-001"]),
        (["--topic", "deploy", "--kind", "state"], ["mem-2026-05-01-009"]),
        (["--subject", "app:port", "--topic", "topics/deploy.md"], ["mem-2026-05-01-009"]),
        (["--find", "数据库"], ["mem-2026-05-20-002"]),
        (["--find", "GATEWAY hide"], ["mem-2026-05-20-001"]),
        (["--topic", "none"], []),
    ],
)
def test_filters(assay, words, found):
    result = assay.inside("items", "--json", *words)
    assert result.status == 0
    assert [item["id"] for item in result.data] == found


def test_items_for_people(assay):
    result = assay.inside("items")
    assert (result.status, result.err) == (0, "")
    assert "◌ pending  " in result.out
    assert "部署前先备份数据库。" in result.out
    rows = [line for line in result.out.splitlines() if "  topics/deploy.md:" in line or "  memory.md:" in line]
    assert len({line.index("mem-") for line in rows if "mem-" in line}) == 1


@pytest.mark.parametrize("words", READS)
def test_every_read_has_json_and_lines_and_writes_nothing(assay, words):
    before = assay.bytes()
    lines, data = assay.inside(*words), assay.inside(*words, "--json")
    assert lines.status in (0, 1)
    assert data.status == lines.status
    assert (lines.err, data.err) == ("", "")
    assert data.data is not None
    assert data.out.isascii()
    assert assay.bytes() == before


def test_status_as_json(assay):
    value = assay.inside("status", "--json").data
    assert set(value) >= {"root", "path", "level", "owners", "owners_state", "actor", "items", "oldest_wait_days"}
    assert (value["level"], value["owners"], value["owners_state"]) == ("memory:L4", [], "none")
    assert value["items"]["total"] == 7
    assert value["items"]["kind"] == {"state": 3, "knowledge": 4}


def test_findings_as_json_and_strict(assay):
    result = assay.inside("findings", "--json", "--strict")
    assert result.status == 1
    assert set(result.data[0]) >= {"code", "severity", "file", "line", "item", "message", "remedy"}
    assert assay.inside("findings").status == 0


def test_conflicts_as_json(assay):
    (conflict,) = [one for one in assay.inside("conflicts", "--json").data if one["type"] == "two-active"]
    assert (conflict["subject"], conflict["rows"]) == ("app:port", ["mem-2026-05-01-009", "mem-2026-06-03-001"])
    assert conflict["message"]


def test_check_has_21_rows_and_its_status_follows_them(assay):
    result = assay.inside("check", "--json")
    assert [check["number"] for check in result.data] == list(range(1, 22))
    assert set(result.data[0]) >= {"number", "level", "result", "evidence", "remedy"}
    failed = any(check["result"] == "fail" for check in result.data)
    assert result.status == (1 if failed else 0)


def test_show_an_item_whole(assay):
    value = assay.inside("show", "mem-2026-05-20-002", "--json").data
    assert value["id"] == "mem-2026-05-20-002"
    (source,) = value["sources"]
    assert source["found"]
    assert "部署前先备份数据库" in source["excerpt"]
    assert [row["id"] for row in value["chain"]] == ["mem-2026-05-20-002"]
    lines = assay.inside("show", "topics/deploy.md:26").out
    assert "部署前先备份数据库。" in lines
    assert "✓ archive/2026-05-20.md#run-8" in lines


def test_the_chain_and_what_refers_to_an_item(assay):
    page = assay.root / "topics/deploy.md"
    text = page.read_text().replace(
        "subject: app:port\n  - Status: active",
        "subject: app:port\n  - Status: superseded\n  - superseded_by: mem-2026-06-03-001",
    )
    page.write_text(text)
    value = assay.inside("show", "mem-2026-06-03-001", "--json").data
    assert [row["id"] for row in value["chain"]] == ["mem-2026-05-01-009", "mem-2026-06-03-001"]
    (reference,) = value["referred_by"]
    assert (reference["id"], reference["how"]) == ("mem-2026-05-01-009", "superseded_by")


def test_an_item_that_is_not_there(assay):
    result = assay.inside("show", "mem-2026-05-20-022")
    assert (result.status, result.out) == (7, "")
    assert "did you mean mem-2026-05-20-002?" in result.err
    result = assay.inside("show", "topics/deploy.md:27")
    assert result.status == 7
    assert "topics/deploy.md:26" in result.err


class TestWithdrawn:
    @pytest.fixture
    def assay(self, assay):
        assay.lay_out({"log.md": WITHDRAWAL})
        return assay

    @pytest.mark.parametrize("words", READS)
    @pytest.mark.parametrize("form", [[], ["--json"]])
    def test_no_ordinary_read_shows_the_text(self, assay, words, form):
        result = assay.inside(*words, *form)
        assert WITHDRAWN_TEXT not in result.out + result.err
        assert result.status in (0, 1)

    def test_the_item_is_there_without_its_text(self, assay):
        item = by_id(assay.inside("items", "--json"))["mem-2026-05-20-001"]
        assert (item["text"], item["withheld"]) == (None, True)
        assert item["influence"]["eligible"] is False
        assert item["influence"]["by"] == ["memwd-2026-06-10-001"]
        assert "⊘ withdrawn" in assay.inside("items").out

    def test_a_search_does_not_tell_what_it_says(self, assay):
        assert assay.inside("items", "--find", "timeouts").out == ""

    def test_the_control_record(self, assay):
        (record,) = assay.inside("withdrawals", "--json").data
        assert record["withdrawal_id"] == "memwd-2026-06-10-001"
        assert (record["action"], record["state"]) == ("withdraw", "controls")
        assert record["scope"]["memory_item_ids"] == ["mem-2026-05-20-001"]
        assert record["excludes"] == ["mem-2026-05-20-001"]
        assert {"supersedes", "decided_by", "decided_at"} <= set(record)
        assert "excludes 1 item now" in assay.inside("withdrawals").out

    def test_the_log_tells_the_event_and_not_the_text(self, assay):
        entries = assay.inside("log", "--json").data
        assert [entry["type"] for entry in entries] == ["withdraw", "review"]
        assert entries[1]["summary"] == "[withheld] Kept."
        assert [entry["type"] for entry in assay.inside("log", "--json", "--type", "withdraw").data] == ["withdraw"]
        assert [entry["type"] for entry in assay.inside("log", "--json", "--actor", "ana").data] == [
            "withdraw",
            "review",
        ]
        assert [entry["type"] for entry in assay.inside("log", "--json", "--item", "mem-2026-05-20-001").data] == [
            "withdraw"
        ]

    def test_the_audit_is_for_a_person_at_a_terminal(self, assay, person):
        result = assay.inside("withdrawals", "--audit")
        assert (result.status, result.out) == (4, "")
        assert WITHDRAWN_TEXT in person("withdrawals", "--audit").end().err


TOMBSTONE = """\
- [2026-06-10T09:00:00+00:00] erase (memlog-2026-06-10-001) by owner:ana — memerase-2026-06-10-001
  ```yaml
  erasure_id: memerase-2026-06-10-001
  record_type: erasure-tombstone-v1
  scope_refs: [mem-2026-05-20-009]
  authority_ref: request-9
  decided_at: 2026-06-10T08:00:00+00:00
  executed_at: 2026-06-10T09:00:00+00:00
  holders:
    - holder_ref: topics/deploy.md
      result: completed
    - holder_ref: backup
      result: unevaluated
      limitation_ref: policy-3
  sanitized_replacement_refs: []
  ```
"""


def test_erasures_name_scope_authority_and_every_holder(assay):
    assert (assay.inside("erasures").out, assay.inside("erasures", "--json").data) == ("", [])
    later = TOMBSTONE.replace("2026-06-10", "2026-06-11").replace("mem-2026-05-20-009", '"run\\e[2J"')
    assay.lay_out({}, log=f"# Log\n\n{TOMBSTONE}{later}")
    shown = assay.inside("erasures").out
    assert "✕ memerase-2026-06-10-001   mem-2026-05-20-009   1 of 2 holders completed\n" in shown
    for words in (
        "authority  request-9",
        "  ✓ topics/deploy.md   completed\n",
        "  ◌ backup   unevaluated   policy-3\n",
    ):
        assert words in shown
    assert "\x1b" not in shown
    newest, oldest = assay.inside("erasures", "--json").data
    assert (newest["erasure_id"], oldest["erasure_id"]) == ("memerase-2026-06-11-001", "memerase-2026-06-10-001")
    assert (oldest["scope_refs"], oldest["authority_ref"]) == (["mem-2026-05-20-009"], "request-9")
    assert oldest["holders"] == [
        {"holder_ref": "topics/deploy.md", "result": "completed", "limitation_ref": None},
        {"holder_ref": "backup", "result": "unevaluated", "limitation_ref": "policy-3"},
    ]
    assert oldest["place"]["file"] == "log.md"


SECRET = "AKIAIOSFODNN7EXAMPLE"


@pytest.mark.parametrize("words", [["items"], ["show", "mem-2026-06-07-001"], ["findings"], ["plan"]])
def test_secrets_are_masked_unless_revealed(assay, words):
    for form in ([], ["--json"]):
        assert SECRET not in assay.inside(*words, *form).out
    if words[0] in ("items", "show"):
        assert SECRET in assay.inside(*words, "--reveal").out
        assert SECRET in assay.inside(*words, "--json", "--reveal").out


PROPOSAL = """\
---
proposal_id: "a\\e]0;t\\ab"
target: "conventions\\u202e"
proposed_change: "c\\x9b31m\\u200b"
supporting_refs: ["mem-\\e", "\\u202e"]
expected_benefit: "\\x7f"
risk: "\\e"
status: "pending-review"
---
"""
NASTY = "a\x1b]0;t\x07b\x9bc\u202ed\x7f\u200be\x1b"


class TestHostile:
    @pytest.fixture
    def assay(self, assay):
        """The nasty text wherever a root has room for text: names, fields, headings, log, controls, owners."""
        item = f"- [2026-05-06] (state) {NASTY}\n  - id: {NASTY}\n  - kind: {NASTY}\n  - Status: {NASTY}\n"
        more = (
            f"  - subject: {NASTY}\n  - Source: archive/{NASTY}.md\n  - superseded_by: {NASTY}\n  - {NASTY}: {NASTY}\n"
        )
        owner = f'\n[[owners]]\nname = "{NASTY}"\nuser = "x"\nscopes = ["{NASTY}"]\n'.replace("\x7f", "")
        control = WITHDRAWAL.replace("failed-exploration", NASTY).replace("mem-2026-05-20-001", f"[{NASTY}]")
        assay.lay_out(
            {
                f"topics/{NASTY}.md": f"# {NASTY}\n\n## {NASTY}\n\n{item}{more}",
                "log.md": f"{control}- [{NASTY}] {NASTY} ({NASTY}) by {NASTY} — {NASTY}\n- {NASTY}\n",
                "assay.toml": (assay.root / "assay.toml").read_text() + _toml(owner),
                f"archive/{NASTY}.md": f"# {NASTY}\n\n{item}",
                "proposals/nasty.md": PROPOSAL,
            }
        )
        return assay

    @pytest.mark.parametrize("words", [*READS, ["show", "mem-2026-05-06-006"], ["show", NASTY], ["log", "--records"]])
    @pytest.mark.parametrize("form", [[], ["--json"]])
    def test_no_text_acts_on_the_terminal(self, assay, hostile, words, form):
        result = assay.inside(*words, *form)
        assert result.status in (0, 1, 7)
        assert not hostile(result.out + result.err)

    @pytest.mark.parametrize("words", [["stale", "mem-2026-05-06-006"], ["repair", "topics/deploy.md:31"]])
    def test_no_plan_acts_on_the_terminal(self, assay, hostile, words):
        for form in ([], ["--json"]):
            result = assay.inside(*words, "--dry-run", *form)
            assert result.status == 0
            assert not hostile(result.out + result.err)


def _toml(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in text)


def test_escapes_are_drawn_and_json_keeps_the_text(assay):
    assert "copy␛]52;c;aGVsbG8=␇" in assay.inside("items").out
    text = by_id(assay.inside("items", "--json"))["mem-2026-05-06-006"]["text"]
    assert text.startswith("copy\x1b]52;c;aGVsbG8=\x07")
    assert "\\u007f" in json.dumps(text).replace("\x7f", "\\u007f")


def test_lines_are_clipped_to_a_terminal_only(assay, person):
    screen = person("items").end().err
    assert all(len(line) <= 80 for line in screen.splitlines())
    assert "…" in screen
    assert "…" not in assay.inside("items").out
