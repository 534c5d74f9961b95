"""Triggers, proposals and rules: the lines they are about change, and no others."""

from __future__ import annotations

import pytest

from core.changes import AddRule, KeepIndex, PutProposal, PutTriggers
from core.errors import WriteRefused
from core.items import Place
from core.snapshot import Proposal
from stores.markdown.frontmatter import find_frontmatter
from stores.markdown.proposals import parse_proposals
from tests.stores.projecting import Root, event

BODY = "# Deploy\n\n- [2026-05-01] (knowledge) One. Source: a.\n"


def page(frontmatter: str) -> str:
    return f"---\ntitle: Deploy\n{frontmatter}layer: warm   # kept\n---\n{BODY}"


def triggered(frontmatter: str, *triggers: str, eol: str = "\n") -> str:
    data = page(frontmatter).replace("\n", eol).encode()
    written = Root({"topics/deploy.md": data}).after(PutTriggers("topics/deploy.md", triggers))["topics/deploy.md"]
    found = find_frontmatter(written, 0)
    assert found is not None
    values = found.values["triggers"]
    assert ((values,) if isinstance(values, str) else values) == triggers
    return written.decode()


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("triggers:\n  - deploying\n", "triggers:\n  - deploying\n  - rolling back\n"),
        ("triggers:\n- 'deploying'  # mine\n- gone\n", "triggers:\n- 'deploying'  # mine\n- rolling back\n"),
        ("triggers: [deploying, gone]\n", "triggers: [deploying, rolling back]\n"),
        ('triggers: ["deploying"]  # x\n', 'triggers: ["deploying", rolling back]  # x\n'),
        ("triggers: gone\n", "triggers: [deploying, rolling back]\n"),
        ("triggers:\n", "triggers:\n  - deploying\n  - rolling back\n"),
        ("triggers: []\n", "triggers: [deploying, rolling back]\n"),
    ],
)
def test_triggers_keep_their_form_and_what_stays_keeps_its_bytes(before: str, after: str, eol: str) -> None:
    assert triggered(before, "deploying", "rolling back", eol=eol) == page(after).replace("\n", eol)


def test_triggers_that_are_missing_are_added() -> None:
    assert triggered("", "yes", "a: b", "部署") == page("").replace(
        "# kept\n", '# kept\ntriggers:\n  - "yes"\n  - "a: b"\n  - 部署\n'
    )


def test_a_topic_without_frontmatter_has_its_line_in_the_topic_map_alone() -> None:
    root = Root({"topics/deploy.md": BODY, "index.md": "# Memory Index\n"})

    assert root.after(PutTriggers("topics/deploy.md", ("deploying",)), KeepIndex()) == {
        "index.md": "# Memory Index\n\n## Topic Map\n\n- deploy.md — Read when deploying.\n".encode()
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- deploy.md — Read when x.   \n", "- deploy.md — Read when deploying, rolling back.   \n"),
        ("- [D](topics/deploy.md): when x\n", "- [D](topics/deploy.md): Read when deploying, rolling back.\n"),
        ("- topics/deploy.md\n", "- topics/deploy.md — Read when deploying, rolling back.\n"),
        ("- deploy.md", "- deploy.md — Read when deploying, rolling back."),
    ],
)
def test_the_topic_map_says_when_in_the_line_that_is_there(line: str, expected: str) -> None:
    root = Root({"topics/deploy.md": BODY, "index.md": f"## Topic Map\n\n- env.md — Read when y.\n{line}"})

    written = root.after(PutTriggers("topics/deploy.md", ("deploying", "rolling back")))

    assert written == {"index.md": f"## Topic Map\n\n- env.md — Read when y.\n{expected}".encode()}


def test_broken_frontmatter_is_refused() -> None:
    root = Root({"topics/deploy.md": f"---\ntitle: [\ntriggers: x\n---\n{BODY}"})

    with pytest.raises(WriteRefused, match="frontmatter"):
        root.project(PutTriggers("topics/deploy.md", ("deploying",)))


# Proposals

FILE = "proposals/mempolicy-2026-06-01-001.md"
PROPOSAL = Proposal(
    proposal_id="mempolicy-2026-06-01-001",
    target="conventions.md",
    proposed_change='Say "drain" first: always.',
    supporting_refs=("mem-2026-05-20-001", "memfb-2026-06-02-004"),
    expected_benefit="fewer lost requests",
    risk="slower restarts",
    status="pending-review",
    place=Place(FILE, 2),
)
WRITTEN = """\
---
proposal_id: mempolicy-2026-06-01-001
target: conventions.md
proposed_change: "Say \\"drain\\" first: always."
supporting_refs:
  - mem-2026-05-20-001
  - memfb-2026-06-02-004
expected_benefit: fewer lost requests
risk: slower restarts
status: pending-review
---
"""
APPROVED = PutProposal(
    Proposal(**{**{name: getattr(PROPOSAL, name) for name in Proposal.__slots__}, "status": "approved"}),
    (("decided_by", "owner:ana"), ("decided_at", "2026-06-12T09:30:00+00:00")),
)
DECIDED = 'decided_by: owner:ana\ndecided_at: "2026-06-12T09:30:00+00:00"\n'


def test_a_new_proposal_is_one_file_in_the_protocols_order() -> None:
    written = Root({}).after(PutProposal(PROPOSAL))

    assert written == {FILE: WRITTEN.encode()}
    assert parse_proposals(FILE, written[FILE])[0] == (PROPOSAL,)


def test_a_decision_changes_the_status_and_is_added_behind_it() -> None:
    after = Root({FILE: WRITTEN + "\nNotes of a human.\n"}).after(APPROVED)[FILE].decode()

    assert after == WRITTEN.replace("pending-review\n", f"approved\n{DECIDED}") + "\nNotes of a human.\n"
    again = Root({FILE: after}).after(PutProposal(APPROVED.proposal, (("decided_by", "owner:bob"),)))[FILE].decode()
    assert again == after.replace("owner:ana", "owner:bob")


def test_a_proposal_in_a_fence_is_changed_in_its_fence() -> None:
    fenced = "  ```yaml\n" + WRITTEN.split("---\n")[1].replace("\n", "\n  ").join(["  ", ""]).rstrip(" ") + "  ```\n"
    before = f"# Proposals\r\n\n{fenced}\nMore.\n"

    after = Root({FILE: before}).after(APPROVED)[FILE].decode()

    indented = "  " + DECIDED.replace("\n", "\n  ").rstrip(" ")
    assert after == before.replace("pending-review\n", f"approved\n{indented}")


@pytest.mark.parametrize(
    "before",
    [
        WRITTEN.replace("status: pending-review", "status: >\n  pending-review"),
        WRITTEN.replace("-001\n", "-002\n", 1),
        WRITTEN.replace("risk: slower", 'risk: "slower'),
        "",
    ],
)
def test_a_proposal_that_would_not_read_back_is_refused(before: str) -> None:
    with pytest.raises(WriteRefused) as caught:
        Root({FILE: before}).project(APPROVED)
    assert caught.value.where == FILE
    assert caught.value.remedy


# Rules

RULE = AddRule("conventions.md", "Rules", "Drain before a restart.", "mempolicy-2026-06-01-001")
BULLET = "- Drain before a restart. (mempolicy-2026-06-01-001)\n"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (None, f"# Conventions\n\n## Rules\n\n{BULLET}"),
        ("# Conventions\n", f"# Conventions\n\n## Rules\n\n{BULLET}"),
        ("## Rules\n\n- One.\n", f"## Rules\n\n- One.\n{BULLET}"),
        ("## Rules\n\n- One\n  wrapped.\n\n## Notes\n", f"## Rules\n\n- One\n  wrapped.\n{BULLET}\n## Notes\n"),
        ("## Rules\n\nA paragraph", f"## Rules\n\nA paragraph\n\n{BULLET}"),
        ("## Rules\r\n\r\n- One.\r\n", f"## Rules\n\n- One.\n{BULLET}".replace("\n", "\r\n")),
    ],
)
def test_a_rule_is_a_bullet_of_its_section_that_names_its_proposal(before: str | None, expected: str) -> None:
    root = Root({} if before is None else {"conventions.md": before})

    assert root.after(RULE) == {"conventions.md": expected.encode()}


def test_a_rule_behind_an_open_fence_is_refused() -> None:
    with pytest.raises(WriteRefused, match="never closed") as caught:
        Root({"conventions.md": "# C\n\n```\n"}).project(RULE)
    assert caught.value.where == "conventions.md:3"


@pytest.mark.parametrize("file", ["../AGENTS.md", "/etc/agents.md", "~/AGENTS.md", "a/../../b.md"])
def test_a_rule_outside_the_root_is_refused(file: str) -> None:
    with pytest.raises(WriteRefused, match="outside the root"):
        Root({}).project(AddRule(file, "Rules", "x", "y"))


def test_an_approval_writes_the_decision_before_the_rule() -> None:
    edits = Root({FILE: WRITTEN, "conventions.md": "# C\n"}).project(RULE, APPROVED, event("promote")).edits

    assert [edit.path for edit in edits] == ["log.md", "log/2026-06.jsonl", FILE, "conventions.md"]
