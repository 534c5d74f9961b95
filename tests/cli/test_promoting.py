"""proposals, propose, approve, reject: what is asked, refused and warned of, and the bytes of a decision."""

from __future__ import annotations

import pytest

from stores.identity import os_user

ID = "mempolicy-2026-06-01-001"
CHANGE = "Back the database up before each deploy."
FENCED = f"""\
# A proposal

Noted in the weekly review.

```yaml
proposal_id: {ID}
target: conventions.md
proposed_change: "{CHANGE}"   # as Bo put it
supporting_refs: [mem-2026-05-20-002, archive/2026-05-20.md#run-8]
expected_benefit: "No lost data"
risk: "Slower deploys"
status: pending-review
votes: 3
```

See also the log.
"""
RULES = """\
# Conventions

## Rules

- Notes go into memory.md.

## History

None yet.
"""
RULE = f"- {CHANGE} ({ID})\n"


@pytest.fixture
def assay(assay):
    assay.lay_out({f"proposals/{ID}.md": FENCED, "conventions.md": RULES})
    return assay


@pytest.fixture
def owned(assay):
    """The root with an owner of everything, confirmed on this machine."""
    assay.own()
    return assay


def rules(assay) -> str:
    return (assay.root / "conventions.md").read_bytes().decode()


def proposal(assay) -> str:
    return (assay.root / f"proposals/{ID}.md").read_bytes().decode()


class TestReading:
    def test_a_proposal_says_what_it_rests_on_and_what_it_would_write(self, owned):
        before = owned.bytes()
        (value,) = owned.inside("proposals", "--json").data
        assert value["proposal_id"] == ID
        assert [(ref["ref"], ref["found"], ref["withdrawn"]) for ref in value["supporting_refs"]] == [
            ("mem-2026-05-20-002", True, False),
            ("archive/2026-05-20.md#run-8", True, False),
        ]
        assert (value["eligible"], value["decides"], value["file"]) == (True, ["ana"], "conventions.md")
        assert (value["expected_benefit"], value["risk"], value["status"]) == (
            "No lost data",
            "Slower deploys",
            "pending-review",
        )
        assert f"+{RULE}".strip() in value["diff"]
        assert value["refused"] is None
        out = owned.inside("proposals").out
        assert f"+{RULE}".strip() in out
        assert "eligible yes: 2 references stand" in out
        assert owned.bytes() == before

    def test_without_an_owner_nobody_decides(self, assay):
        (value,) = assay.inside("proposals", "--json").data
        assert value["decides"] == []
        assert value["diff"]
        assert "assay owner add" in assay.inside("proposals").out

    def test_decided_ones_are_listed_on_demand(self, owned, person):
        assert owned.agreed("reject", ID, "--reason", "one graph is no rule").status == 0
        assert owned.inside("proposals", "--json").data == []
        (value,) = owned.inside("proposals", "--all", "--json").data
        assert (value["status"], value["diff"]) == ("rejected", None)

    def test_a_target_that_no_rule_may_be_written_to(self, assay):
        path = assay.root / f"proposals/{ID}.md"
        path.write_text(FENCED.replace("target: conventions.md", "target: ../elsewhere.md"))
        (value,) = assay.inside("proposals", "--json").data
        assert (value["file"], value["diff"]) == (None, None)
        assert "names no file" in value["refused"]


class TestProposing:
    WORDS = (
        "propose",
        "--target",
        "conventions",
        "--change",
        "Drain before a restart.",
        "--benefit",
        "b",
        "--risk",
        "r",
    )

    def test_a_new_proposal_is_one_file_that_reads_back(self, assay, person):
        words = (*self.WORDS, "--ref", "mem-2026-05-20-002", "archive/2026-05-20.md#run-8")
        assert assay(*words).status == 4
        assert "proposed_change" in assay.inside(*words, "--dry-run").out
        result = person(*words, "--json", pipe=True).answer("yes")
        assert result.status == 0
        (path,) = [one["path"] for one in result.data["files"] if one["path"].startswith("proposals/")]
        new = next(one for one in assay.inside("proposals", "--json").data if one["proposal_id"] != ID)
        assert new["place"]["file"] == path
        assert new["proposed_change"] == "Drain before a restart."
        assert all(ref["found"] for ref in new["supporting_refs"])
        assert rules(assay) == RULES

    def test_it_cites_something_and_holds_no_secret(self, assay):
        assert assay.inside(*self.WORDS).status == 2
        secret = ("--ref", "x", "--change", "The key is AKIAIOSFODNN7EXAMPLE.")
        result = assay.inside(*self.WORDS, *secret, "--dry-run")
        assert result.status == 6
        assert "AKIAIOSFODNN7EXAMPLE" not in result.err


class TestApproving:
    def test_the_rule_the_decision_and_the_pointers_stand_on_disk(self, owned, person):
        before = owned.bytes()
        assert owned.alone("approve", ID).status == 4
        dry = owned.inside("approve", ID, "--dry-run")
        assert dry.status == 0
        assert f"+{RULE}" in dry.out
        assert person("approve", ID).answer("no").status == 14
        assert owned.bytes() == before
        result = person("approve", ID, "--json", pipe=True).answer("yes")
        assert result.status == 0
        assert rules(owned) == RULES.replace("- Notes go into memory.md.\n", f"- Notes go into memory.md.\n{RULE}")
        decided = proposal(owned)
        lines = decided.splitlines()
        assert [line.replace('"', "") for line in lines if line.startswith("decided_by: ")] == ["decided_by: owner:ana"]
        assert sum(line.startswith("decided_at: ") for line in lines) == 1
        kept = "\n".join(line for line in lines if not line.startswith("decided_")) + "\n"
        assert kept == FENCED.replace("status: pending-review", "status: approved")
        assert b"  - promoted_to: conventions.md\n" in (owned.root / "topics/deploy.md").read_bytes()
        assert b"promote (memlog-" in (owned.root / "log.md").read_bytes()
        assert owned.inside("approve", ID, "--dry-run").status == 6
        assert owned.alone("undo", result.data["event"]).status == 6

    def test_conventions_are_laid_out_where_there_are_none(self, owned, person):
        (owned.root / "conventions.md").unlink()
        assert owned.agreed("approve", ID).status == 0
        assert rules(owned) == f"# Conventions\n\n## Rules\n\n{RULE}"

    def test_the_owner_words_the_rule(self, owned, person, tmp_path):
        text = "Back every database up before each deploy."
        assert owned.agreed("approve", ID, "--text", text).status == 0
        assert f"- {text} ({ID})\n" in rules(owned)
        assert f'proposed_change: "{CHANGE}"   # as Bo put it\n' in proposal(owned)
        assert f"approved_text: {text}" in proposal(owned).replace('"', "")

    def test_or_edits_it(self, owned, person, tmp_path):
        script = tmp_path / "editor.sh"
        script.write_text('#!/bin/sh\nsed -i "1s/Back the/Back every/" "$1"\n')
        script.chmod(0o755)
        owned.environment["VISUAL"] = str(script)
        assert owned.inside("approve", ID, "--edit", "--text", "x").status == 2
        assert person("approve", ID, "--edit").answer("yes").status == 0
        assert f"- Back every database up before each deploy. ({ID})\n" in rules(owned)
        assert "Slower deploys" not in rules(owned)

    def test_no_owner(self, assay, person):
        before = assay.bytes()
        refused = assay.inside("approve", ID, "--dry-run")
        assert refused.status == 5
        assert "assay owner add" in refused.err
        assert assay.alone("approve", ID).status == 4
        assert person("approve", ID).answer("", question="nothing to cancel:").status == 14
        assert assay.bytes() == before

    def test_the_first_approval_names_an_owner_first(self, assay, person):
        session = person("approve", ID)
        session.wait_for("nothing to cancel:")
        session.type("ana\n")
        session.wait_for("Name owner?")
        session.type("yes\n")
        assert session.answer("yes", question="Approve?").status == 0
        assert RULE in rules(assay)

    def test_owners_who_were_never_confirmed(self, assay):
        binding = assay.root / "assay.toml"
        binding.write_text(f'{binding.read_text()}\n[[owners]]\nname = "ana"\nuser = "{os_user()}"\n')
        result = assay("approve", ID)
        assert result.status == 5
        assert "assay owner confirm" in result.err

    def test_another_users_root(self, assay):
        assay.own("bo", "somebody-else")
        result = assay("approve", ID)
        assert result.status == 5
        assert "bo" in result.err

    def test_a_target_that_changed_since_is_shown_anew(self, owned, person):
        session = person("approve", ID)
        session.wait_for("cancel:")
        (owned.root / "conventions.md").write_text(RULES.replace("Notes go", "All notes go"))
        session.type("yes\n")
        session.wait_for("shown anew")
        session.screen = ""
        assert session.answer("yes").status == 0
        assert f"- All notes go into memory.md.\n{RULE}" in rules(owned)

    def test_a_reference_that_is_gone_is_a_warning(self, owned):
        path = owned.root / f"proposals/{ID}.md"
        path.write_text(FENCED.replace("#run-8]", "#run-99]"))
        dry = owned.inside("approve", ID, "--dry-run")
        assert dry.status == 0
        assert "Note: archive/2026-05-20.md#run-99 does not resolve" in dry.out
        assert "One incident is no stable rule" in dry.out
        (value,) = owned.inside("proposals", "--json").data
        assert (value["eligible"], value["supporting_refs"][1]["found"]) == (False, False)

    def test_what_rests_on_what_is_withdrawn_is_refused(self, owned, person):
        assert owned.agreed("withdraw", "--item", "mem-2026-05-20-002").status == 0
        before = owned.bytes()
        result = owned("approve", ID)
        assert result.status == 6
        assert "mem-2026-05-20-002" in result.err
        assert "Reinstate" in result.err
        (value,) = owned.inside("proposals", "--json").data
        assert (value["eligible"], value["supporting_refs"][0]["withdrawn"]) == (False, True)
        assert owned.bytes() == before

    def test_an_unknown_proposal(self, owned):
        result = owned.inside("approve", "mempolicy-2026-06-01-01")
        assert (result.status, result.out) == (7, "")
        assert f"did you mean {ID}?" in result.err


def test_a_rejection_stays_on_file_with_its_reason(owned, person):
    assert owned.inside("reject", ID).status == 2
    assert owned.alone("reject", ID, "--reason", "one graph is no rule").status == 4
    assert owned.agreed("reject", ID, "--reason", "one graph is no rule").status == 0
    lines = proposal(owned).splitlines()
    kept = "\n".join(line for line in lines if not line.startswith(("decided_", "reason:"))) + "\n"
    assert kept == FENCED.replace("status: pending-review", "status: rejected")
    assert any(line.startswith("reason:") and "one graph is no rule" in line for line in lines)
    assert rules(owned) == RULES


class TestSteering:
    """A hot entry outside the root is written through a link that a human allowed, and never otherwise."""

    AGENTS = "# Agents\n\nBe kind.\n\n## Rules\n\n* Read first.\n"
    STEERING = FENCED.replace("target: conventions.md", "target: steering:AGENTS.md")

    @pytest.fixture
    def owned(self, owned):
        (owned.folder / "AGENTS.md").write_text(self.AGENTS)
        (owned.root / f"proposals/{ID}.md").write_text(self.STEERING)
        return owned

    def name(self, owned, *lines: str) -> None:
        binding = owned.root / "assay.toml"
        binding.write_text(binding.read_text().replace('id = "cli"', "\n".join(['id = "cli"', *lines])))

    def link(self, owned) -> None:
        (owned.root / "AGENTS.md").symlink_to("../AGENTS.md")

    def test_through_an_allowed_link(self, owned, person):
        self.link(owned)
        self.name(owned, 'hot_entries = ["AGENTS.md"]', 'allowed_links = ["../AGENTS.md"]')
        (value,) = owned.inside("proposals", "--json").data
        assert (value["file"], value["refused"]) == ("AGENTS.md", None)
        session = person("approve", ID)
        session.wait_for("cancel:")
        (owned.folder / "AGENTS.md").write_text(self.AGENTS.replace("kind", "very kind"))
        session.type("yes\n")
        session.wait_for("shown anew")
        session.screen = ""
        assert session.answer("yes").status == 0
        written = (owned.folder / "AGENTS.md").read_text()
        assert written == self.AGENTS.replace("kind", "very kind") + RULE
        assert (owned.root / "AGENTS.md").is_symlink()
        assert b"  - promoted_to: AGENTS.md\n" in (owned.root / "topics/deploy.md").read_bytes()
        assert rules(owned) == RULES

    @pytest.mark.parametrize(
        ("lines", "target", "said"),
        [
            ([], "steering:AGENTS.md", "names no file"),
            (['hot_entries = ["AGENTS.md"]'], "steering:AGENTS.md", "leads out of the root"),
            (['hot_entries = ["../AGENTS.md"]'], "steering:../AGENTS.md", "allowed_links"),
            (['hot_entries = ["memory.md"]'], "memory.md", "no file right in the root"),
            (['hot_entries = ["topics/deploy.md"]'], "topics/deploy.md", "no file right in the root"),
        ],
    )
    def test_refused_in_words(self, owned, lines, target, said):
        self.link(owned)
        self.name(owned, *lines)
        (owned.root / f"proposals/{ID}.md").write_text(self.STEERING.replace("steering:AGENTS.md", target))
        result = owned.inside("approve", ID, "--dry-run")
        assert result.status == 6
        assert said in result.err
        assert (owned.folder / "AGENTS.md").read_text() == self.AGENTS
        assert said in owned.inside("proposals", "--json").data[0]["refused"]

    def test_a_binding_that_changed_since_it_was_confirmed_names_nothing(self, owned):
        self.link(owned)
        self.name(owned, 'hot_entries = ["AGENTS.md"]', 'allowed_links = ["../AGENTS.md"]')
        binding = owned.root / "assay.toml"
        binding.write_text(binding.read_text() + '\n[[owners]]\nname = "eve"\nuser = "eve"\nscopes = ["*"]\n')
        result = owned.inside("approve", ID, "--dry-run")
        assert result.status == 6
        assert "assay owner confirm" in result.err
