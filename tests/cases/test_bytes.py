"""Cases 01 to 20: what stands in a file is read as meant, and only what a command announced is changed."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from core.errors import Refused, WriteRefused
from core.requests import Repair, Stale
from core.vocabulary import Kind, Standing, Status
from stores.markdown.document import parse_document, render
from tests.cases.case import Case, item


def test_01_both_forms_in_one_inbox(tmp_path: Path) -> None:
    case = Case(
        tmp_path,
        {
            "memory.md": "# 2026-05-11\n\n"
            "- [2026-05-11] [mem-2026-05-11-001] (knowledge) Write to a volume, e.g. /data v1.2. "
            "Source: archive/2026-05-11.md#volume.\n"
            "- [2026-05-11] [mem-2026-05-11-002] (state) The port is 8443. Subject: app:port. Source: ana, by word.\n"
            "- [2026-05-11] (state) The job starts at 03:10.\n  - id: mem-2026-05-11-003\n  - kind: state\n"
            "  - subject: job:start\n  - Source: the crontab\n"
        },
    )
    one, two, three = case.items
    assert (one.text, one.source) == ("Write to a volume, e.g. /data v1.2.", "archive/2026-05-11.md#volume")
    assert (two.text, two.subject, two.source) == ("The port is 8443.", "app:port", "ana, by word")
    assert (three.id, three.kind, three.subject) == ("mem-2026-05-11-003", Kind.STATE, "job:start")
    assert [one.status, two.status, three.status] == [Status.ACTIVE] * 3


def test_02_crlf_tokens_and_line_ends(tmp_path: Path) -> None:
    before = item("mem-2026-05-01-001", "Runs Debian 12.", kind="state", subject="host:os", eol="\r\n")
    case = Case(tmp_path, {"topics/env.md": before})
    assert (case.items[0].subject, case.items[0].status) == ("host:os", Status.ACTIVE)
    case.do(Stale(("mem-2026-05-01-001",)))
    assert case.bytes("topics/env.md") == before.replace("Status: active", "Status: stale").encode()


def test_03_no_final_newline_and_mixed_ends(tmp_path: Path) -> None:
    before = b"# W\r\n\r\n- [2026-05-01] Tag first.\r\n  - id: mem-2026-05-01-002\n  - Source: retro"
    case = Case(tmp_path, {"topics/w.md": before})
    case.do(Repair("mem-2026-05-01-002", kind="knowledge"))
    after = case.bytes("topics/w.md")
    kept = b"# W\r\n\r\n- [2026-05-01] Tag first.\r\n  - id: mem-2026-05-01-002\n"
    assert after.startswith(kept)
    assert sorted(after[len(kept) :].replace(b"\r", b"").split(b"\n")) == sorted(
        [b"  - kind: knowledge", b"  - Status: active", b"  - Source: retro"]
    )


def test_04_byte_order_mark(tmp_path: Path) -> None:
    before = "\ufeff# D\n\n" + item("mem-2026-05-02-001", "Chose a file.")
    case = Case(tmp_path, {"topics/d.md": before})
    assert "\ufeff" not in case.items[0].text + str(case.items[0].place.section)
    case.do(Stale(("mem-2026-05-02-001",)))
    assert case.bytes("topics/d.md") == before.replace("active", "stale").encode()


def test_05_cut_utf8_is_read_around_and_never_written(tmp_path: Path) -> None:
    before = (
        item("mem-2026-05-02-002", "Before.").encode()
        + b"- [2026-05-02] (knowledge) \xe7\xbd\n"
        + item("mem-2026-05-02-003", "After.").encode()
    )
    case = Case(tmp_path, {"topics/n.md": before})
    assert {"mem-2026-05-02-002", "mem-2026-05-02-003"} <= {one.id for one in case.items}
    assert "undecodable" in case.codes("topics/n.md")
    with pytest.raises((WriteRefused, Refused)) as error:
        case.plan(Stale(("mem-2026-05-02-002",)))
    assert "topics/n.md" in str(error.value)
    assert case.bytes("topics/n.md") == before


def test_06_nul_run_is_damage(tmp_path: Path) -> None:
    before = b"\0" * 4096 + item("mem-2026-05-02-001", "Left over.").encode()
    case = Case(tmp_path, {"topics/x.md": before})
    assert "nul-run" in case.codes("topics/x.md")
    assert case.store.snapshot().files["topics/x.md"].unwritable
    for one in case.items:
        with pytest.raises((WriteRefused, Refused)):
            case.plan(Stale((one.key,)))
    assert case.bytes("topics/x.md") == before


def test_07_broken_frontmatter(tmp_path: Path) -> None:
    page = '---\ntitle: "a" means: b\ntriggers: [review, pr\n---\n# R\n\n' + item("mem-2026-05-03-001", "Green.")
    case = Case(tmp_path, {"topics/r.md": page, "topics/ok.md": item("mem-2026-05-03-002", "Fine.")})
    (finding,) = [one for one in case.reading().findings if one.code == "frontmatter-broken"]
    assert finding.line == 2
    assert "column" in finding.message
    with pytest.raises((WriteRefused, Refused)):
        case.plan(Stale(("mem-2026-05-03-001",)))
    case.do(Stale(("mem-2026-05-03-002",)))
    assert case.bytes("topics/r.md") == page.encode()


def test_08_a_rule_is_no_frontmatter(tmp_path: Path) -> None:
    page = "---\nWritten by hand today.\n\n---\n\n## Facts and lessons\n\n" + item("mem-2026-05-03-001", "One.")
    case = Case(tmp_path, {"topics/s.md": page})
    assert [one for one in case.codes("topics/s.md") if "frontmatter" in one] == []
    case.do(Stale(("mem-2026-05-03-001",)))
    assert case.bytes("topics/s.md") == page.replace("active", "stale").encode()


def test_09_two_frontmatters(tmp_path: Path) -> None:
    page = "---\nlayer: warm\n---\n---\ntitle: Real\ntriggers:\n  - deploy\n---\n# Double\n"
    case = Case(tmp_path, {"topics/d.md": page})
    assert "second-frontmatter" in case.codes("topics/d.md")
    (topic,) = case.store.snapshot().topics
    assert (topic.layer, topic.triggers) == ("warm", ())


def test_10_scalars_are_text_as_written(tmp_path: Path) -> None:
    page = (
        "---\ntitle: 2026-05-26\nlayer: no\nlast_updated: 2026-02-30\ntriggers:\n  - 0012\n  - 12:30\n  - 1.0\n---\n"
        "- [2026-02-30] (state) Old.\n  - id: 0011\n  - kind: state\n  - subject: yes\n  - Status: superseded\n"
        "  - superseded_by: 0012\n  - Source: archive/2026-02-28.md\n"
    )
    case = Case(tmp_path, {"topics/t.md": page})
    (topic,) = case.store.snapshot().topics
    assert (topic.title, topic.layer, topic.triggers) == ("2026-05-26", "no", ("0012", "12:30", "1.0"))
    (one,) = case.items
    assert (one.date, one.id, one.subject, one.superseded_by) == ("2026-02-30", "0011", "yes", "0012")
    assert "impossible-date" in case.codes("topics/t.md")


def test_11_fences_and_comments(tmp_path: Path) -> None:
    page = (
        item("mem-2026-05-04-001", "Real one.")
        + "\n```md {#x .small}\n- [2026-05-04] (knowledge) An example.\n~~~\n- [2026-05-04] (state) Inside.\n```\n\n"
        + "<!-- - [2026-05-04] (knowledge) Commented. -->\n\n"
        + item("mem-2026-05-04-002", "Real two.")
    )
    case = Case(tmp_path, {"topics/f.md": page})
    assert [one.text for one in case.items] == ["Real one.", "Real two."]


def test_12_a_fence_never_closed(tmp_path: Path) -> None:
    case = Case(tmp_path, {"topics/o.md": "# Open\n\n```sh\nmake\n\n" + item("mem-2026-05-04-003", "Hidden.")})
    assert case.items == ()
    assert case.lines("open-fence") == [3]


def test_13_bullets_that_are_no_items(tmp_path: Path) -> None:
    page = (
        "# Memory Index\n\n- [x] [need] ship it #soon\n- [Guide](topics/d.md) — Read when deploying.\n- [[Old note]]\n"
        "- [P0][2026-06-21] call them\n- [W][patterns:agent] seen twice\n- 2026-05-04 a plain dated bullet\n"
    )
    case = Case(tmp_path, {"index.md": page, "topics/d.md": "# D\n" + page[16:]})
    assert case.items == ()
    assert case.bytes("index.md") == page.encode()


def test_14_legacy_markers(tmp_path: Path) -> None:
    page = (
        "# 环境\n\n图例:[待清理] 表示要人来处理。\n\n"
        "- [2026-04-01] [待清理] 测试机在 10.0.0.7。 Source: archive/2026-04-01.md.\n"
        "- [2026-04-02] 合并前会有待确认信号。 Source: archive/2026-04-02.md.\n"
    )
    case = Case(tmp_path, {"topics/l.md": page})
    assert case.lines("legacy-marker") == [5]
    key = case.items[0].key
    case.do(Repair(key, kind="knowledge", marker=True))
    after = case.bytes("topics/l.md").decode()
    assert "- [2026-04-01] 测试机在 10.0.0.7。 Source: archive/2026-04-01.md.\n" in after
    assert "  - Status: pending-cleanup\n" in after
    assert after.splitlines()[2] == page.splitlines()[2]
    assert after.splitlines()[-1] == page.splitlines()[-1]


def test_15_line_separators_break_no_line(tmp_path: Path) -> None:
    before = item("mem-2026-05-05-001", "a\fb\vc\u0085d\u2028e")
    case = Case(tmp_path, {"topics/s.md": before})
    assert [one.text for one in case.items] == ["a\fb\vc\u0085d\u2028e"]
    case.do(Stale(("mem-2026-05-05-001",)))
    assert case.bytes("topics/s.md") == before.replace("Status: active", "Status: stale").encode()


def test_16_a_very_long_item_is_kept_whole(tmp_path: Path) -> None:
    before = item("mem-2026-05-05-001", "word " * 8000 + "end")
    case = Case(tmp_path, {"topics/l.md": before})
    case.do(Stale(("mem-2026-05-05-001",)))
    assert case.bytes("topics/l.md") == before.replace("Status: active", "Status: stale").encode()


def test_17_a_name_stored_decomposed(tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "환경")
    assert name != unicodedata.normalize("NFC", name)
    index = f"# Memory Index\n\n## Topic Map\n\n- topics/{unicodedata.normalize('NFC', name)}.md — Read on the host.\n"
    case = Case(tmp_path, {"index.md": index, f"topics/{name}.md": item("mem-2026-05-05-001", "One.")})
    (topic,) = case.store.snapshot().topics
    assert topic.name == "환경"
    assert not {"missing-trigger", "dangling-topic"} & set(case.codes())
    case.do(Stale(("mem-2026-05-05-001",)))
    assert [path.name for path in (case.folder / "topics").iterdir()] == [f"{name}.md"]


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"\xff\xfe\x00",
        b"---\n",
        "\ufeff---\ntitle: x\n---".encode(),
        b"- [2026-05-05] (state) x\r  - id: a-1\r\r\n```\n",
        ("- [2026-05-05] \u202e[red]" + "x" * 3000).encode(),
    ],
)
def test_parse_and_render_are_the_identity(page: bytes) -> None:
    assert render(parse_document("topics/x.md", page, Standing.TOPIC)) == page
