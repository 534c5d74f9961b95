"""Governed proposals (§23.5): one file each, its fields in frontmatter or in a fenced block."""

from __future__ import annotations

import re

from core.findings import Finding
from core.items import Place
from core.snapshot import Proposal
from core.vocabulary import Severity
from stores.markdown.blocks import Kind, Scanner
from stores.markdown.damage import byte_damage, line_of
from stores.markdown.document import BOM
from stores.markdown.frontmatter import find_frontmatter, frontmatter_finding
from stores.markdown.yaml_read import Node, YamlError, read_yaml

_MEANT = re.compile(r"(?m)^\s*(?:proposal_id|proposed_change)\s*:")
_FIELDS = ("proposal_id", "target", "proposed_change", "expected_benefit", "risk", "status")


def parse_proposals(path: str, data: bytes) -> tuple[tuple[Proposal, ...], tuple[Finding, ...], str]:
    """The proposals of a file in order (one, as a rule), the findings, and why the file must not be written to.

    Frontmatter comes first, then fenced blocks that name a proposal. Never raises.
    """
    unwritable, damage = byte_damage(path, data)
    findings = list(damage)
    proposals: list[Proposal] = []
    start = len(BOM) if data.startswith(BOM) else 0
    frontmatter = find_frontmatter(data, start)
    if frontmatter is not None:
        start = frontmatter.end
        broken = frontmatter_finding(path, frontmatter)
        if broken is not None:
            findings.append(broken)
            unwritable = unwritable or "its frontmatter does not parse"
        text = data[frontmatter.inner_start : frontmatter.inner_end].decode("utf-8", "replace")
        if broken is None and _MEANT.search(text):
            proposals.append(_proposal(read_yaml(text), Place(path, line_of(data, frontmatter.inner_start))))
    for text, offset in _fenced(data, start):
        if not _MEANT.search(text):
            continue
        place = Place(path, line_of(data, offset))
        try:
            node = read_yaml(text)
        except YamlError as error:
            findings.append(
                Finding(
                    "proposal-unreadable",
                    Severity.WARNING,
                    f"The proposal cannot be read: its YAML does not parse: {error.reason}.",
                    file=path,
                    line=place.line,
                    remedy="Repair the block in an editor.",
                )
            )
            continue
        proposals.append(_proposal(node, place))
    return tuple(proposals), tuple(findings), unwritable


def _proposal(node: Node, place: Place) -> Proposal:
    values = {name: found.text() if (found := node.get(name)) else "" for name in _FIELDS}
    refs = node.get("supporting_refs")
    return Proposal(supporting_refs=refs.texts() if refs else (), place=place, **values)


def _fenced(data: bytes, start: int) -> list[tuple[str, int]]:
    """The fenced blocks of a file, closed or cut, as (text, offset of its opening line)."""
    scanner = Scanner(data, start)
    found: list[tuple[str, int]] = []
    lines: list[bytes] = []
    opened: int | None = None
    indent = 0
    while (block := scanner.read()) is not None:
        if opened is None:
            if scanner.open_at == block.start and block.kind is Kind.CODE:
                opened, indent, lines = block.start, block.body - block.start, []
            continue
        if block.kind is Kind.CODE and scanner.open_at is not None:
            line = data[block.start : block.end]
            lines.append(line[min(indent, len(line) - len(line.lstrip(b" \t"))) :])
            continue
        found.append((b"\n".join(lines).decode("utf-8", "replace"), opened))
        opened = block.start if scanner.open_at == block.start and block.kind is Kind.CODE else None
        indent, lines = block.body - block.start, []
    if opened is not None:
        found.append((b"\n".join(lines).decode("utf-8", "replace"), opened))
    return found
