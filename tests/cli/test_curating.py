"""duplicates, merge, reclassify, cool, triggers and their like: what they say, and the bytes they write."""

from __future__ import annotations

import pytest

DEPLOY = "topics/deploy.md"
PAGE = """\
---
title: Deploy
triggers:
  - deploying
---
# Deploy

## Facts and lessons

- [2026-05-01] (state) Port is 8080.
  - id: mem-2026-05-01-009
  - kind: state
  - subject: app:port
  - Status: active
  - Source: archive/2026-05-20.md#run-6
- [2026-05-20] (knowledge) Back the database up before each deploy, and check the copy.
  - id: mem-2026-05-20-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-7
- [2026-05-21] (knowledge) Before each deploy back up the database, and check the copy.
  - id: mem-2026-05-21-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-8
- [2026-05-22] (knowledge) Back the database up before each deploy, and never check the copy.
  - id: mem-2026-05-22-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-8
"""
ONE, TWO, NEVER, STATE = "mem-2026-05-20-001", "mem-2026-05-21-001", "mem-2026-05-22-001", "mem-2026-05-01-009"
FOLD = b"Back the database up before each deploy."


@pytest.fixture
def assay(assay):
    assay.lay_out({DEPLOY: PAGE})
    return assay


@pytest.fixture
def editor(assay, tmp_path):
    """Let EDITOR be a script of `lines`; what it was given is kept beside it."""

    def use(lines: str) -> None:
        script = tmp_path / "editor.sh"
        script.write_text(f'#!/bin/sh\ncp "$1" {tmp_path}/given.md\n{lines}\n')
        script.chmod(0o755)
        assay.environment["EDITOR"] = str(script)
        assay.environment.pop("VISUAL", None)

    return use


def page(assay) -> bytes:
    return (assay.root / DEPLOY).read_bytes()


def item(assay, id):
    return next(one for one in assay.inside("items", "--json").data if one["id"] == id)


class TestDuplicates:
    def test_a_pair_says_its_score_and_what_differs(self, assay):
        before = assay.bytes()
        pairs = assay.inside("duplicates", "--json").data
        assert set(pairs[0]) >= {"ids", "keys", "score", "opposed", "differences", "notes"}
        best = next(pair for pair in pairs if pair["ids"] == [ONE, TWO])
        assert (best["score"], best["opposed"]) == (100.0, False)
        assert {one["kind"] for one in best["differences"]} <= {"order", "punctuation", "word"}
        opposed = next(pair for pair in pairs if pair["ids"] == [ONE, NEVER])
        assert opposed["opposed"]
        assert (opposed["differences"][0]["kind"], opposed["differences"][0]["b"].strip()) == ("negation", "never")
        assert any("never" in note for note in opposed["notes"])
        assert assay.bytes() == before

    def test_what_is_counted_is_said(self, assay):
        pairs = assay.inside("duplicates", "--json").data
        opposed = sum(pair["opposed"] for pair in pairs)
        assert 0 < opposed < len(pairs)
        apart = f"{opposed} pair{'' if opposed == 1 else 's'} opposed"
        first = f"1 group alike, {apart}; {len(pairs)} pairs in all."
        assert assay.inside("duplicates").out.splitlines()[0] == first

    def test_people_are_told_what_the_score_means(self, assay):
        out = assay.inside("duplicates").out
        assert "normalised edit similarity of the sorted words" in out
        assert "100.0   mem-2026-05-20-001   mem-2026-05-21-001" in out
        assert "they oppose each other" in out
        assert "normalised edit similarity" in assay.inside("duplicates", "-h").out

    def test_a_cutoff_is_a_score(self, assay):
        assert assay.inside("duplicates", "--json", "--cutoff", "100").data[0]["score"] == 100
        assert len(assay.inside("duplicates", "--json", "--cutoff", "100").data) == 1
        for wrong in ("0", "101", "much"):
            result = assay.inside("duplicates", "--cutoff", wrong)
            assert (result.status, result.out) == (2, "")
            assert "above 0 and at most 100" in result.err

    def test_pairs_told_apart_are_left_out_until_that_is_undone(self, assay, person):
        assert assay("not-duplicate", ONE, TWO).status == 4
        before = page(assay)
        assert assay.agreed("not-duplicate", ONE, TWO).status == 0
        assert page(assay) == before
        assert [ONE, TWO] not in [pair["ids"] for pair in assay.inside("duplicates", "--json").data]
        assert assay.inside("not-duplicate", ONE, TWO, "--dry-run").status == 6
        assert assay.agreed("undo").status == 0
        assert [ONE, TWO] in [pair["ids"] for pair in assay.inside("duplicates", "--json").data]

    def test_a_difference_shows_no_secret(self, assay):
        line = "- [2026-05-2{0}] (knowledge) The upload key of the mirror is AKIA{1}.\n  - id: mem-2026-05-2{0}-007\n"
        more = "  - kind: knowledge\n  - Status: active\n  - Source: chat\n"
        text = "".join(line.format(day, f"IOSFODNN7EXAMPL{day}") + more for day in (3, 4))
        assay.lay_out({"topics/keys.md": f"# Keys\n\n## Facts and lessons\n\n{text}"})
        for form in ([], ["--json"]):
            result = assay.inside("duplicates", "--cutoff", "60", *form)
            assert "IOSFODNN7" not in result.out
            assert "mem-2026-05-23-007" in result.out


class TestMerge:
    def test_the_plan_the_question_and_the_bytes(self, assay, person):
        words = ("merge", ONE, TWO, "--text", FOLD.decode())
        before = assay.bytes()
        dry = assay.inside(*words, "--dry-run")
        assert dry.status == 0
        assert f"+- [2026-05-21] (knowledge) {FOLD.decode()}" in dry.out
        assert assay.alone(*words).status == 4
        assert assay.agreed(*words, answer="no").status == 14
        assert assay.bytes() == before
        result = person(*words, "--json", pipe=True).answer("yes")
        assert result.status == 0
        assert result.data["event"].startswith("memlog-")
        written = page(assay)
        assert b"- [2026-05-21] (knowledge) " + FOLD + b"\n  - id: mem-2026-05-21-002\n" in written
        assert b"Source: archive/2026-05-20.md#run-7, archive/2026-05-20.md#run-8\n" in written
        history = written[written.index(b"## Historical lessons") :]
        assert history.count(b"  - merged_into: mem-2026-05-21-002\n") == 2
        assert b"merge (memlog-" in (assay.root / "log.md").read_bytes()

    def test_undo_brings_the_members_back_and_keeps_the_fold_as_history(self, assay, person):
        assert assay.agreed("merge", ONE, TWO, "--text", FOLD.decode()).status == 0
        assert assay.alone("undo").status == 4
        assert assay.agreed("undo").status == 0
        assert item(assay, ONE)["standing"] == item(assay, TWO)["standing"] == "topic"
        assert "merged_into" not in item(assay, ONE)
        assert (item(assay, "mem-2026-05-21-002")["status"], item(assay, "mem-2026-05-21-002")["standing"]) == (
            "stale",
            "historical",
        )
        suggested = [id for pair in assay.inside("duplicates", "--json").data for id in pair["ids"]]
        assert ONE in suggested
        assert "mem-2026-05-21-002" not in suggested, "the fold that was undone stands beside its own members"

    def test_without_a_text_the_editor_opens_on_the_members(self, assay, person, editor, tmp_path):
        editor("printf 'Back the database up\\nbefore each deploy.\\n' > \"$1\"")
        assert person("merge", ONE, TWO).answer("yes").status == 0
        assert FOLD in page(assay)
        given = (tmp_path / "given.md").read_text()
        assert given.startswith("Before each deploy back up the database, and check the copy.\n")
        assert "Back the database up before each deploy, and check the copy." in given
        assert ONE in given

    @pytest.mark.parametrize("lines", [': > "$1"', 'printf "  \\n" > "$1"', "exit 3"])
    def test_an_empty_text_or_a_failing_editor_cancels(self, assay, person, editor, lines):
        before = assay.bytes()
        editor(lines)
        result = person("merge", ONE, TWO).end()
        assert result.status == 14
        assert "nothing was written" in result.err
        assert assay.bytes() == before

    def test_no_editor_no_terminal_nothing_to_merge(self, assay, person, editor):
        editor("exit 0")
        assert assay.alone("merge", ONE, TWO).status == 4
        assert assay.agreed("merge", ONE, STATE).status == 6
        assay.environment["EDITOR"] = "/nowhere/editor"
        assert person("merge", ONE, TWO).end().status == 2
        del assay.environment["EDITOR"]
        result = person("merge", ONE, TWO).end()
        assert result.status == 2
        assert "--text" in result.err

    def test_what_is_withdrawn_reaches_no_editor(self, assay, person, editor, tmp_path):
        editor("exit 0")
        assay.own()
        assert assay.agreed("withdraw", "--item", ONE).status == 0
        result = assay.agreed("merge", ONE, TWO)
        assert result.status == 6
        assert "reinstate it" in result.err.replace("\r\n", " ")
        assert not (tmp_path / "given.md").exists()


class TestCooling:
    def test_one_item_needs_no_question_and_undo_takes_it_back(self, assay):
        before = page(assay)
        result = assay("cool", ONE, "--reason", "the host is gone", "--json")
        assert result.status == 0
        assert item(assay, ONE)["standing"] == "historical"
        assert b"## Historical lessons\n\n- [2026-05-20] (knowledge) Back the database up" in page(assay)
        assert assay("undo", result.data["event"]).status == 0
        assert item(assay, ONE)["standing"] == "topic"
        back = page(assay).partition(b"## Historical lessons")[0]
        assert sorted(back.split()) == sorted(before.split())

    def test_several_ask_and_state_does_not_cool(self, assay, person):
        assert assay.alone("cool", ONE, TWO).status == 4
        assert assay.alone("cool", STATE).status == 6
        assert assay.agreed("cool", ONE, TWO).status == 0
        assert assay.alone("warm", ONE).status == 4
        assert assay.agreed("warm", ONE).status == 0
        assert item(assay, ONE)["standing"] == "topic"
        assert item(assay, TWO)["standing"] == "historical"
        assert assay.inside("warm", NEVER, "--dry-run").status == 6


class TestKinds:
    def test_reclassify_and_its_undo(self, assay, person):
        assert assay.inside("reclassify", ONE, "--kind", "state", "--dry-run").status == 6
        words = ("reclassify", ONE, "--kind", "state", "--subject", "deploy:backup")
        assert "lose its weight" in assay.inside(*words, "--dry-run").out
        assert assay.alone(*words).status == 4
        assert person(*words).answer("yes").status == 0
        assert b"  - kind: state\n  - subject: deploy:backup\n  - Status: active\n" in page(assay)
        assert assay.agreed("undo").status == 0
        assert page(assay).count(b"kind: state") == PAGE.encode().count(b"kind: state")
        assert b"deploy:backup" not in page(assay)

    def test_the_kind_is_a_token(self, assay):
        result = assay.inside("reclassify", ONE, "--kind", "stat")
        assert (result.status, "did you mean state?" in result.err) == (2, True)

    def test_subject(self, assay, person):
        assert assay.inside("subject", ONE, "x:y", "--dry-run").status == 6
        assert assay.alone("subject", STATE, "app:listen-port").status == 4
        assert assay.agreed("subject", STATE, "app:listen-port").status == 0
        assert b"  - subject: app:listen-port\n" in page(assay)
        assert assay.agreed("undo").status == 0
        assert b"  - subject: app:port\n" in page(assay)

    @pytest.mark.parametrize("name", ["deploy", "deploy.md", "topics/deploy.md", "./topics/deploy.md"])
    def test_triggers(self, assay, person, name):
        assert assay.agreed("triggers", name, "deploying", "a 数据库 restore").status == 0
        assert b"triggers:\n  - deploying\n  - " in page(assay)
        assert "a 数据库 restore".encode() in page(assay)
        index = (assay.root / "index.md").read_bytes()
        assert "- deploy.md — Read when deploying, a 数据库 restore.".encode() in index
        assert b"restore" not in page(assay).split(b"---\n", 2)[2]

    def test_an_unknown_topic(self, assay):
        result = assay.inside("triggers", "deplyo", "x")
        assert (result.status, result.out) == (7, "")
        assert "did you mean deploy?" in result.err
