"""Memory items as real files have them: both forms of §9, mixed, and what people and agents write instead."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.items import FIELDS, MemoryItem
from core.vocabulary import Kind, Severity, Standing, Status
from stores.markdown.document import Document, parse_document
from stores.markdown.spans import ItemSpan


def parse(text: str, standing: Standing = Standing.TOPIC, *, strict: bool = True) -> Document:
    """The document, after a look that the strict scan and the tolerant grammar agree on it."""
    document = parse_document("topics/t.md", text.encode(), standing, strict=strict)
    assert parse_document("topics/t.md", text.encode(), standing, strict=not strict) == document
    return document


def one(text: str, standing: Standing = Standing.TOPIC) -> MemoryItem:
    (item,) = parse(text, standing).records
    return item


def codes(text: str, standing: Standing = Standing.TOPIC) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in parse(text, standing).findings]


def shown(span: ItemSpan, text: str, name: str) -> tuple[str, str]:
    """The whole and the value of a field, as they are written."""
    field = span.field(name)
    assert field is not None
    data = text.encode()
    return data[field.start : field.end].decode(), data[field.value_start : field.value_end].decode()


STRUCTURED = """\
- [2026-05-21] (state) Local default model is `a`.
  - id: mem-2026-05-21-001
  - kind: state
  - subject: local:default-model
  - Scope: environment
  - Status: superseded
  - superseded_by: mem-2026-06-01-001
  - merged_into: mem-2026-06-01-002
  - conflicts_with: [mem-2026-06-01-003, mem-2026-06-01-004]
  - promoted_to: conventions.md
  - inspired_by: hyp-1
  - corroborating_refs:
    - archive/2026-05-22.md#x
    - archive/2026-05-23.md
  - Source: archive/2026-05-21.md
  - Confidence-Scheme: epistemic-status-v1
  - Confidence: observed-once
  - reviewer: ana
"""


def test_the_structured_form_with_every_field() -> None:
    item = one(STRUCTURED)
    assert item.record() == {
        "text": "Local default model is `a`.",
        "date": "2026-05-21",
        "place": "topics/t.md",
        "id": "mem-2026-05-21-001",
        "kind": "state",
        "subject": "local:default-model",
        "Scope": "environment",
        "Status": "superseded",
        "superseded_by": "mem-2026-06-01-001",
        "merged_into": "mem-2026-06-01-002",
        "conflicts_with": ("mem-2026-06-01-003", "mem-2026-06-01-004"),
        "promoted_to": "conventions.md",
        "inspired_by": "hyp-1",
        "corroborating_refs": ("archive/2026-05-22.md#x", "archive/2026-05-23.md"),
        "Source": "archive/2026-05-21.md",
        "Confidence-Scheme": "epistemic-status-v1",
        "Confidence": "observed-once",
    }
    assert item.extra == (("reviewer", "ana"),)
    assert (item.kind, item.status, item.standing) == (Kind.STATE, Status.SUPERSEDED, Standing.TOPIC)
    assert item.key == "mem-2026-05-21-001"
    assert codes(STRUCTURED) == []


def test_a_strict_record_is_a_real_memory_item() -> None:
    plain = "".join(
        line for line in STRUCTURED.splitlines(keepends=True) if not line.startswith(("  - conf", "  - corr", "    "))
    )
    plain = "".join(line for line in plain.splitlines(keepends=True) if ": hyp" not in line and ": conv" not in line)
    plain = plain.replace("  - merged_into: mem-2026-06-01-002\n", "").replace("  - reviewer: ana\n", "")
    item = one(plain)
    assert dataclasses.replace(item, key=item.key) == item
    assert hash(item) == hash(dataclasses.replace(item))
    assert {field.name for field in dataclasses.fields(item)} == set(MemoryItem.__slots__)
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.text = "x"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.place.line = 2  # type: ignore[misc]


def test_the_one_liner_of_the_inbox() -> None:
    text = (
        "- [2026-05-11] [mem-2026-05-11-001] (knowledge) Keep it on a volume, e.g. /data v1.2. "
        "Source: archive/2026-05-11.md#mount-test.\n"
    )
    item = one(text, Standing.INBOX)
    assert (item.id, item.kind, item.text) == (
        "mem-2026-05-11-001",
        Kind.KNOWLEDGE,
        "Keep it on a volume, e.g. /data v1.2.",
    )
    assert item.source == "archive/2026-05-11.md#mount-test", "the final full stop is not part of it"
    assert (item.status, item.status_text) == (Status.ACTIVE, None)
    assert codes(text, Standing.INBOX) == []


def test_the_one_liner_with_a_subject() -> None:
    text = "- [2026-05-11] [mem-2026-05-11-002] (state) The port is 8443. Subject: staging:port. Source: owner, 2026.\n"
    document = parse(text, Standing.INBOX)
    item = document.records[0]
    assert (item.text, item.subject, item.source) == ("The port is 8443.", "staging:port", "owner, 2026")
    span = document.items[0]
    assert shown(span, text, "subject") == (" Subject: staging:port.", "staging:port")
    assert shown(span, text, "Source") == (" Source: owner, 2026.", "owner, 2026")
    assert shown(span, text, "id") == ("[mem-2026-05-11-002]", "mem-2026-05-11-002")
    assert shown(span, text, "kind") == ("(state)", "state")
    assert shown(span, text, "date") == ("[2026-05-11]", "2026-05-11")
    assert not span.structured


@pytest.mark.parametrize(
    ("tail", "text", "subject", "source"),
    [
        ("Port is 1. Subject: a:b. Source: chat", "Port is 1.", "a:b", "chat"),
        ("Port is 1 Subject: a:b Source: chat.", "Port is 1", "a:b", "chat"),
        ("Port is 1. Source: chat. Subject: a:b.", "Port is 1.", "a:b", "chat"),
        ("地址是 10.0.0.7。 Source: archive/2026-04-01.md。", "地址是 10.0.0.7。", None, "archive/2026-04-01.md"),
        ("地址是 10.0.0.7。Source：聊天。", "地址是 10.0.0.7。", None, "聊天"),
        ("Data Source: Postgres. Source: chat.", "Data Source: Postgres.", None, "chat"),
        ("The Subject: line of mails is cut. Source: chat.", "The Subject: line of mails is cut.", None, "chat"),
        ("Filed. Source: mail with Subject: deploy.", "Filed.", None, "mail with Subject: deploy"),
        ("Wait. Subject: a:b. More prose here. Source: chat.", "Wait. Subject: a:b. More prose here.", None, "chat"),
        ("Filed. Subject: host: public ip. Source: chat.", "Filed.", "host: public ip", "chat"),
        ("open source: the repo", "open source: the repo", None, None),
        ("MultiSource: no", "MultiSource: no", None, None),
        ("Nothing. Source:", "Nothing.", None, None),
        ("Source: only.", "", None, "only"),
    ],
)
def test_where_the_fact_ends_in_a_one_liner(tail: str, text: str, subject: str | None, source: str | None) -> None:
    item = one(f"- [2026-05-11] [mem-2026-05-11-001] (state) {tail}\n", Standing.INBOX)
    assert (item.text, item.subject, item.source) == (text, subject, source)


TAILS = st.lists(
    st.sampled_from(
        [" Source: ", " Subject: ", "Source", "Subject", ": ", ".", " ", "\t", "a:b", "。", "：", "x y", "!", ". "]
    ),
    max_size=9,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(TAILS)
def test_the_quick_look_at_a_tail_sees_what_the_close_one_sees(tail: str) -> None:
    parse(f"- [2026-05-11] [mem-2026-05-11-001] (state) Fact.{tail}\n", Standing.INBOX)


def test_a_wrapped_one_liner_is_one_fact() -> None:
    text = (
        "- [2026-05-11] [mem-2026-05-11-001] (knowledge) Keep it on a\n  writable volume,\nnot on a mount. "
        "Source: the\n  mount test.\n- [2026-05-11] (state) Next.\n"
    )
    document = parse(text)
    item = document.records[0]
    assert item.text == "Keep it on a writable volume, not on a mount."
    assert item.source == "the mount test"
    assert text.encode()[document.items[0].start : document.items[0].end].endswith(b"mount test.\n")


def test_paragraphs_before_the_fields_belong_to_the_fact() -> None:
    text = (
        "- [2026-05-11] (knowledge) One.\n\n  Two\n  and three.\n\n  - id: mem-2026-05-11-001\n  - Source: x\n\nProse\n"
    )
    document = parse(text)
    item = document.records[0]
    assert (item.text, item.id, item.source) == ("One.\nTwo and three.", "mem-2026-05-11-001", "x")
    assert text[: document.items[0].end].endswith("Source: x\n"), "blank lines after it are not part of it"


def test_fields_are_found_whatever_their_case_order_and_indent() -> None:
    text = (
        "* [2026-05-11] A fact.\n\t- SOURCE: x: y\n\t- **Status**: active\n\t- `KIND`: state\n\t- Subject:host:ip\n"
        "\t- Id： mem-2026-05-11-001\n"
    )
    document = parse(text)
    item = document.records[0]
    assert (item.source, item.status, item.kind, item.subject, item.id) == (
        "x: y",
        Status.ACTIVE,
        Kind.STATE,
        "host:ip",
        "mem-2026-05-11-001",
    )
    span = document.items[0]
    assert [field.name for field in span.fields if not field.inline] == ["Source", "Status", "kind", "subject", "id"]
    assert (span.indent, span.bullet) == (b"\t", b"*")
    assert span.structured


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (["Source: x", "STATUS: stale", "ID: m-1", "Kind: state", "subject: a:b"], ("m-1", Kind.STATE, "x", "stale")),
        (["confidence: unknown", "Confidence-scheme: epistemic-status-v1", "id: m-1"], ("m-1", None, None, None)),
        (["status: nonsense", "id: m-1"], ("m-1", None, None, "nonsense")),
        (["id: m-1", "ID: m-2", "Source: x"], ("m-1", None, "x", None)),
        (["reviewer: ana", "id: m-1"], ("m-1", None, None, None)),
        (["Confidence: high", "id: m-1"], ("m-1", None, None, None)),
        (["Confidence: unknown", "id: m-1"], ("m-1", None, None, None)),
    ],
)
@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_fields_in_another_order_than_the_canonical_one(
    fields: list[str], found: tuple[object, ...], indent: str
) -> None:
    body = "".join(f"{indent}- {field}\n" for field in fields)
    item = one(f"- [2026-05-11] A fact.\n{body}")
    assert (item.id, item.kind, item.source, item.status_text) == found


def test_a_head_that_says_otherwise_is_left_to_the_tolerant_grammar() -> None:
    item = one("- [2026-05-11] [mem-2026-05-11-001] A fact.\n  - id: mem-2026-05-11-002\n")
    assert item.id == "mem-2026-05-11-002"


def test_field_spans_cover_whole_lines_and_nested_bullets() -> None:
    document = parse(STRUCTURED)
    span = document.items[0]
    assert shown(span, STRUCTURED, "Status") == ("  - Status: superseded\n", "superseded")
    whole, value = shown(span, STRUCTURED, "corroborating_refs")
    assert whole == "  - corroborating_refs:\n    - archive/2026-05-22.md#x\n    - archive/2026-05-23.md\n"
    assert value == "archive/2026-05-22.md#x\n    - archive/2026-05-23.md"
    assert shown(span, STRUCTURED, "conflicts_with")[1] == "[mem-2026-06-01-003, mem-2026-06-01-004]"
    names = [field.name for field in span.fields if not field.inline and field.name in FIELDS]
    assert names == list(FIELDS)
    assert (span.indent, span.eol, span.bullet) == (b"  ", b"\n", b"-")


def test_tokens_at_the_end_of_crlf_lines_carry_no_carriage_return() -> None:
    text = STRUCTURED.replace("\n", "\r\n")
    document = parse(text)
    item = document.records[0]
    assert (item.status, item.subject, item.source) == (
        Status.SUPERSEDED,
        "local:default-model",
        "archive/2026-05-21.md",
    )
    assert document.items[0].eol == b"\r\n"
    assert shown(document.items[0], text, "Status") == ("  - Status: superseded\r\n", "superseded")


def test_a_digest_is_over_the_items_own_bytes() -> None:
    whole = "- [2026-05-11] (knowledge) A.\n  - Source: x\n"
    digest = one(whole).digest
    assert digest == one(whole.rstrip("\n")).digest, "a line end that comes after it is not its own"
    assert digest == one("# T\n\n" + whole + "\n\nprose\n").digest
    assert digest != one(whole.replace("x", "y")).digest
    assert digest != one(whole.replace("\n", "\r\n")).digest


def test_items_without_an_id_are_keyed_by_digest_and_occurrence() -> None:
    line = "- [2026-05-11] (knowledge) A. Source: x.\n"
    first, second, other = parse(line + line + line.replace("A.", "B.")).records
    assert first.key == f"~{first.digest}@topics/t.md#0"
    assert second.key == f"~{first.digest}@topics/t.md#1"
    assert other.key == f"~{other.digest}@topics/t.md#0"


@pytest.mark.parametrize(
    "line",
    [
        "- [x] [requirement] ship the exporter #release",
        "- [Deploy guide](topics/deploy.md) — Read when deploying.",
        "- [[Old note]]",
        "- [P0][2026-06-21] call the vendor",
        "- [W][patterns:agent] seen twice",
        "- 2026-05-04 plain dated bullet",
        "- [2026-05-04](archive/2026-05-04.md) a link",
        "- [2026-5-4] no four-two-two",
        "-[2026-05-04] no blank",
        "    - [2026-05-04] (state) indented code",
        "1. [2026-05-04] (state) a numbered list",
        "\\- [2026-05-04] (state) escaped",
    ],
)
def test_bullets_that_look_like_items_are_none(line: str) -> None:
    document = parse(f"# T\n\n{line}\n")
    assert document.records == ()
    assert document.findings == ()


@pytest.mark.parametrize(
    ("head", "id", "kind", "text"),
    [
        ("[mem-2026-05-04-001] (state) Text.", "mem-2026-05-04-001", "state", "Text."),
        ("[mem-2026-05-04-001](state)Text.", "mem-2026-05-04-001", "state", "Text."),
        ("[ops-17] Text.", "ops-17", None, "Text."),
        ("[P0] Text.", None, None, "[P0] Text."),
        ("[2026-05-05] Text.", None, None, "[2026-05-05] Text."),
        ("[rfc-2119](https://example.org) Text.", None, None, "[rfc-2119](https://example.org) Text."),
        ("[a b-1] Text.", None, None, "[a b-1] Text."),
        ("(Fact) Text.", None, "Fact", "Text."),
        ("(see docs) Text.", None, None, "(see docs) Text."),
        ("(s)he said.", None, None, "(s)he said."),
        ("(knowledge) [red]not red[/red] [/close]", None, "knowledge", "[red]not red[/red] [/close]"),
        ("(knowledge) [mem-2026-05-01-001] was wrong.", None, "knowledge", "[mem-2026-05-01-001] was wrong."),
        ("(knowledge) ---", None, "knowledge", "---"),
        ("(knowledge) - [fact] x [[wiki]] \\", None, "knowledge", "- [fact] x [[wiki]] \\"),
        ("(knowledge)", None, "knowledge", ""),
    ],
)
def test_the_head_of_an_item(head: str, id: str | None, kind: str | None, text: str) -> None:
    item = one(f"- [2026-05-04] {head}\n  - Status: active\n  - Source: x\n")
    assert (item.id, item.kind_text, item.text) == (id, kind, text)
    assert item.kind == (Kind(kind) if kind in ("state", "knowledge") else None)


def test_scalars_stay_as_they_are_written() -> None:
    text = (
        "- [2026-02-30] (state) Old value.\n  - id: 0011\n  - kind: state\n  - subject: yes\n  - Scope: 1.0\n"
        "  - Status: superseded\n  - superseded_by: 0012\n  - Source: 12:30\n"
    )
    item = one(text)
    assert (item.id, item.subject, item.scope, item.superseded_by, item.source, item.date) == (
        "0011",
        "yes",
        "1.0",
        "0012",
        "12:30",
        "2026-02-30",
    )
    assert codes(text) == [("impossible-date", 1)]


def test_a_legacy_marker_at_the_head_of_a_fact_only() -> None:
    text = (
        "图例：[待清理] 表示需要人工处理。\n\n"
        "- [2026-04-01] [待清理] 测试机的地址是 10.0.0.7。 Source: archive/2026-04-01.md.\n"
        "- [2026-04-02] [mem-2026-04-02-001] (knowledge) [待确认] 端口。\n"
        "- [2026-04-02] 合并之前先等待确认信号 [待清理]。 Source: archive/2026-04-02.md.\n"
    )
    document = parse(text)
    assert [item.marker for item in document.records] == ["[待清理]", "[待确认]", None]
    assert [item.text for item in document.records] == [
        "测试机的地址是 10.0.0.7。",
        "端口。",
        "合并之前先等待确认信号 [待清理]。",
    ]
    markers = [finding for finding in document.findings if finding.code == "legacy-marker"]
    assert [(finding.line, finding.command) for finding in markers] == [(3, "repair"), (4, "repair")]
    assert markers[0].item == document.records[0].key
    assert "Status: pending-cleanup" in markers[0].remedy
    assert shown(document.items[0], text, "marker") == ("[待清理]", "[待清理]")


def test_what_an_item_lacks_is_a_finding_with_its_place() -> None:
    text = "# T\n\n- [2026-05-02] (state) A.\n- [2026-05-02] B.\n  - id: mem-2026-05-02-002\n  - Source: x\n"
    document = parse(text)
    found = [(f.code, f.severity, f.line, f.item, f.command) for f in document.findings]
    first, second = (item.key for item in document.records)
    warning, notice = Severity.WARNING, Severity.NOTICE
    assert found == [
        ("missing-id", warning, 3, first, "repair"),
        ("missing-subject", warning, 3, first, "repair"),
        ("status-missing", notice, 3, first, "repair"),
        ("missing-source", warning, 3, first, "repair"),
        ("missing-kind", warning, 4, second, "repair"),
        ("status-missing", notice, 4, second, "repair"),
    ]
    assert all(f.remedy and f.file == "topics/t.md" for f in document.findings)
    assert [f.id for f in document.findings] == [None] * 4 + ["mem-2026-05-02-002"] * 2


def test_status_may_be_absent_in_the_inbox() -> None:
    text = "- [2026-05-02] [mem-2026-05-02-001] (knowledge) A. Source: x.\n"
    assert codes(text, Standing.INBOX) == []
    assert codes(text, Standing.HELD) == []
    assert codes(text, Standing.TOPIC) == [("status-missing", 1)]


def test_words_that_are_no_tokens_are_kept_and_found() -> None:
    text = (
        "- [2026-05-02] (fact) A.\n  - id: mem-2026-05-02-001\n  - Status: done\n  - Source: x\n"
        "  - Confidence-Scheme: mine-v2\n  - Confidence: high\n"
    )
    item = one(text)
    assert (item.kind, item.kind_text, item.status, item.status_text) == (None, "fact", None, "done")
    assert codes(text) == [
        ("unknown-kind", 1),
        ("unknown-status", 3),
        ("unknown-confidence", 5),
        ("unknown-confidence", 6),
    ]
    assert codes(text.replace("Status: done", "Status:"))[1] == ("unknown-status", 3)


def test_confidence_needs_its_scheme() -> None:
    text = "- [2026-05-02] (knowledge) A.\n  - id: m-1\n  - Status: active\n  - Source: x\n  - Confidence: confirmed\n"
    assert codes(text) == [("confidence-without-scheme", 5)]
    assert one(text).confidence == "confirmed"


def test_a_field_that_stands_twice_counts_once() -> None:
    text = "- [2026-05-02] (knowledge) A.\n  - id: m-1\n  - Status: active\n  - status: stale\n  - Source: x\n"
    document = parse(text)
    assert document.records[0].status is Status.ACTIVE
    assert [(f.code, f.line) for f in document.findings] == [("duplicate-field", 4)]
    field = document.items[0].field("Status")
    assert field is not None
    assert text.encode()[field.value_start : field.value_end] == b"active"
    assert [f.name for f in document.items[0].fields].count("Status") == 2


def test_a_sub_bullet_wins_over_the_head() -> None:
    text = (
        "- [2026-05-02] [mem-2026-05-02-001] (state) A. Subject: a:b. Source: chat.\n"
        "  - kind: knowledge\n  - subject: a:c\n  - Status: active\n  - Source: archive/2026-05-02.md\n"
    )
    document = parse(text)
    item = document.records[0]
    assert (item.id, item.kind, item.subject, item.source) == (
        "mem-2026-05-02-001",
        Kind.KNOWLEDGE,
        "a:c",
        "archive/2026-05-02.md",
    )
    assert item.text == "A."
    assert [(f.code, f.line) for f in document.findings] == [
        ("contradicting-field", 2),
        ("contradicting-field", 3),
        ("contradicting-field", 5),
    ]
    same = "- [2026-05-02] [m-1] (state) A. Source: x.\n  - id: m-1\n  - subject: s\n  - kind: state\n  - Source: x\n"
    assert codes(same, Standing.INBOX) == []


def test_unknown_sub_bullets_are_kept() -> None:
    text = (
        "- [2026-05-02] (knowledge) A.\n  - id: m-1\n  - Note that: it rains\n  - just a remark\n"
        "    - with a detail\n  - https://example.org/x\n  - 备注: 好\n  - Status: active\n  - Source: x\n"
    )
    assert one(text).extra == (
        ("Note that", "it rains"),
        ("", "just a remark, with a detail"),
        ("", "https://example.org/x"),
        ("备注", "好"),
    )


def test_a_source_may_run_over_lines_and_bullets() -> None:
    text = (
        "- [2026-05-02] (knowledge) Folded.\n  - id: m-1\n  - Status: active\n"
        "  - Source:\n    - archive/2026-05-01.md#a\n    - archive/2026-05-02.md\n"
        "- [2026-05-02] (knowledge) Wrapped.\n  - id: m-2\n  - Status: active\n"
        "  - Source: a talk with\n    the owner\n"
    )
    first, second = parse(text).records
    assert first.source == "archive/2026-05-01.md#a, archive/2026-05-02.md"
    broken = "- [2026-05-02] A.\n  - Source:\n    - archive/2026-05-01.md\n      #a\n  - id:\n    m-1\n"
    assert (one(broken).source, one(broken).id) == ("archive/2026-05-01.md #a", "m-1")
    assert second.source == "a talk with the owner"


def test_a_field_that_slipped_too_deep_is_still_a_field() -> None:
    item = one(
        "- [2026-05-02] A.\n  - id: m-1\n    - kind: state\n    - subject: a:b\n  - Status: active\n  - Source: x\n"
    )
    assert (item.kind, item.subject, item.extra) == (Kind.STATE, "a:b", ())


@pytest.mark.parametrize(
    ("written", "refs"),
    [
        (": [a.md, 'b.md' , \"c.md\"]", ("a.md", "b.md", "c.md")),
        (": a.md", ("a.md",)),
        (": a.md, b.md", ("a.md", "b.md")),
        (": she said yes, twice", ("she said yes, twice",)),
        (": []", ()),
        (":", ()),
        (":\n    - a.md\n    - b.md, c", ("a.md", "b.md, c")),
    ],
)
def test_list_fields(written: str, refs: tuple[str, ...]) -> None:
    item = one(f"- [2026-05-02] A.\n  - id: m-1\n  - corroborating_refs{written}\n  - Source: x\n")
    assert item.corroborating_refs == refs
    assert item.source == "x"


def test_what_ends_an_item() -> None:
    head = "- [2026-05-02] (knowledge) A. Source: x.\n"
    for after in (
        "- plain\n",
        "# H\n",
        "---\n",
        "\nProse.\n",
        "```\ncode\n```\n",
        "<!-- c -->\n",
        "| a | b |\n",
        "> q\n",
    ):
        document = parse(head + after)
        assert document.items[0].end == len(head), after
        assert document.records[0].source == "x", after
    fields = head + "  - Status: active\n"
    assert parse(fields + "Prose at once.\n").items[0].end == len(fields)


def test_fenced_lines_inside_an_item_stay_with_it() -> None:
    text = (
        "- [2026-05-02] (knowledge) Run:\n  ```sh\n  - id: not-1\n\n  make\n  ```\n  - id: m-1\n  - Status: active\n"
        "  - Source: x\n- [2026-05-02] (knowledge) B.\n"
    )
    document = parse(text)
    assert [item.id for item in document.records] == ["m-1", None]
    assert document.records[0].text == "Run:"
    assert text.encode()[document.items[0].end :].startswith(b"- [2026-05-02] (knowledge) B.")


def test_an_item_nested_under_another_is_not_hidden() -> None:
    document = parse("- [2026-05-02] (knowledge) A.\n  - [2026-05-03] (knowledge) B.\n    - id: m-2\n")
    assert [(item.text, item.id) for item in document.records] == [("A.", None), ("B.", "m-2")]


def test_in_the_index_an_item_needs_an_id_or_a_source_and_points_nowhere() -> None:
    text = (
        "## Recent Activity\n\n- [2026-05-01] (state) The port is 8000. → topics/environment.md\n"
        "- [2026-05-01] [mem-2026-05-01-001] (state) The port is 8000. Source: x. → topics/environment.md\n"
        "- [2026-05-02] plain\n\n## Pending Cleanup\n\n"
        "- [2026-05-03] (knowledge) Kept here. Source: chat.\n- [2026-05-03] [mem-2026-05-03-002] Kept too.\n"
    )
    document = parse(text, Standing.INDEX)
    assert [item.text for item in document.records] == ["Kept here.", "Kept too."]
    assert {item.standing for item in document.records} == {Standing.INDEX}
    assert {f.line for f in document.findings} == {9, 10}


def test_two_blanks_are_the_indent_where_there_are_no_fields() -> None:
    span = parse("- [2026-05-02] (knowledge) A.\n").items[0]
    assert span.indent == b"  "
    assert span.field("Status") is None
