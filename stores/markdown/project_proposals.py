"""Proposals on file, and the rules that their approval writes (§17, §23.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.changes import AddRule, PutProposal
from core.errors import WriteRefused
from core.places import CONVENTIONS
from core.snapshot import Proposal
from core.vocabulary import Standing
from stores.markdown.damage import line_of
from stores.markdown.document import parse_document
from stores.markdown.frontmatter import find_frontmatter
from stores.markdown.project_files import Files
from stores.markdown.project_page import Page, Rank
from stores.markdown.proposals import parse_proposals
from stores.markdown.spans import split_lines
from stores.markdown.yaml_text import Value, mapping, scalar

FIELDS = ("proposal_id", "target", "proposed_change", "supporting_refs", "expected_benefit", "risk", "status")
"""A proposal's fields in the order of §23.5."""

_BLANKS = re.compile(rb"[ \t]*")
_FENCE = re.compile(rb"[ \t]*(`{3,}|~{3,})")


def put_proposal(files: Files, change: PutProposal) -> None:
    """Write a new proposal whole, as the frontmatter of a file of its own; of one on file, the fields that differ.

    Raises `WriteRefused` where a field does not stand on one line, or the file would not read back as meant.
    """
    proposal = change.proposal
    page = files.page(proposal.place.file)
    decided = dict(change.decision)
    if page.before is None:
        fields: dict[str, Value] = {name: getattr(proposal, name) for name in FIELDS}
        lines = ["---", *mapping({**fields, **decided}, flow_width=0), "---", ""]
        page.insert(0, "\n".join(lines).encode(), bound=False)
        return
    found, _, unwritable = parse_proposals(page.path, page.data)
    if unwritable:
        raise _refused(page.path, unwritable)
    old = next((one for one in found if one.proposal_id == proposal.proposal_id), None)
    if old is None:
        raise _refused(page.path, f"it holds no proposal {proposal.proposal_id}")
    changed = {
        name: str(getattr(proposal, name))
        for name in FIELDS
        if name != "supporting_refs" and getattr(proposal, name) != getattr(old, name)
    }
    after = _set_lines(page, old, {**changed, **decided})
    rewritten = parse_proposals(page.path, after)[0]
    expected = [proposal if one is old else one for one in found]
    if [_values(one) for one in rewritten] != [_values(one) for one in expected]:
        raise _refused(page.path, "the proposal would not read back as meant")


def add_rule(files: Files, change: AddRule) -> None:
    """Append a rule to its section, as a bullet that names the proposal which authorises it."""
    path = change.file
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        raise WriteRefused("It stands outside the root.", where=path, remedy="Write the rule there by hand.")
    page = files.page(path)
    if page.document is None and page.before is not None:
        parsed = parse_document(page.path, page.before, Standing.TOPIC)
        page = files.open_as(page.path, parsed)
    line = f"- {' '.join(change.text.split())} ({change.pointer})".encode() + page.eol
    if page.before is None and path == CONVENTIONS:
        page.insert(0, b"# Conventions\n", rank=Rank.WITHIN, bound=False)
    section = page.find_section(change.section)
    if section is None:
        page.add_to_new_section(change.section, line)
    else:
        page.append_to_bare_section(section, line, as_bullet=True)


def _set_lines(page: Page, proposal: Proposal, fields: Mapping[str, str]) -> bytes:
    """Set one-line fields where the proposal stands, add those that are missing at its end; the bytes afterwards."""
    start, end, indent = _region(page, proposal)
    region = page.data[start:end]
    eol = page.eol
    edits: list[tuple[int, int, bytes]] = []
    added = b""
    for name, value in fields.items():
        pattern = rb"(?:\A|(?<=[\r\n]))" + re.escape(indent + name.encode()) + rb":[ \t]*([^\r\n]*?)[ \t]*(?=[\r\n]|\Z)"
        line = re.search(pattern, region)
        text = scalar(value).encode()
        if line is None:
            added += indent + name.encode() + b": " + text + eol
        else:
            glue = b"" if region[line.start(1) - 1 : line.start(1)] in (b" ", b"\t") else b" "
            edits.append((start + line.start(1), start + line.end(1), glue + text))
    for at, stop, text in edits:
        page.replace(at, stop, text)
    if added:
        page.insert(end, added, rank=Rank.WITHIN, bound=False)
        edits.append((end, end, added))
    after = page.data
    for at, stop, text in sorted(edits, reverse=True):
        after = after[:at] + text + after[stop:]
    return after


def _region(page: Page, proposal: Proposal) -> tuple[int, int, bytes]:
    """Where the proposal's fields stand: from the first line to the closing one, and what leads its lines."""
    data = page.data
    frontmatter = find_frontmatter(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
    if frontmatter is not None and line_of(data, frontmatter.inner_start) == proposal.place.line:
        return frontmatter.inner_start, frontmatter.inner_end, b""
    lines = split_lines(data)
    opening = proposal.place.line - 1
    fence = _FENCE.match(data, lines[opening].start, lines[opening].end) if opening < len(lines) else None
    if fence is None or opening + 1 >= len(lines):
        raise _refused(page.path, f"no proposal is found at line {proposal.place.line}")
    inside = lines[opening + 1 :]
    indent = _BLANKS.match(data, inside[0].start, inside[0].end)
    for line in inside:
        if data[line.start : line.end].strip(b" \t").startswith(fence[1]):
            return inside[0].start, line.start, indent[0] if indent else b""
    raise _refused(page.path, "its fence is never closed")


def _values(proposal: Proposal) -> tuple[object, ...]:
    return tuple(getattr(proposal, name) for name in FIELDS)


def _refused(path: str, why: str) -> WriteRefused:
    return WriteRefused(f"The proposal is not written: {why}.", where=path, remedy="Repair the file in an editor.")
