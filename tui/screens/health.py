"""Screen 9, Health: the validation checklist (§21), the findings, and the state of the root itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

from core.findings import Finding
from core.items import MemoryItem
from core.validation import Check
from core.vocabulary import CheckResult, Severity
from tui import display, present
from tui.desk import Facts
from tui.lines import EMPTY, LABEL, Line, flow, labelled, line, spread
from tui.page import Page
from tui.verbs import HEALTH, INDEX, WITHDRAWALS
from tui.widgets.virtual_list import Key

RESULT: dict[CheckResult, tuple[str, str, str]] = {
    CheckResult.PASS: ("✓", "good", "pass"),
    CheckResult.FAIL: ("✗", "waits", "fail"),
    CheckResult.NOT_APPLICABLE: ("–", "dim", "not applicable"),
    CheckResult.UNEVALUATED: ("◌", "dim", "unevaluated"),
}
MEANING: dict[CheckResult, str] = {
    CheckResult.PASS: "It holds, as far as the files show.",
    CheckResult.FAIL: "It does not hold.",
    CheckResult.NOT_APPLICABLE: "It belongs to a level that this root does not claim.",
    CheckResult.UNEVALUATED: "Nothing here shows it, either way: neither a pass nor a fault.",
}
_HEADS = ("This root", "Checklist", "Findings")


class HealthPage(Page):
    """State, checks, findings."""

    NUMBER: ClassVar[int] = HEALTH
    NEEDS: ClassVar[str] = "checks"

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How many checks hold, of those that apply; the title says what both numbers are."""
        counts = Counter(check.result for check in facts.reading.checks)
        applicable = counts.total() - counts[CheckResult.NOT_APPLICABLE]
        return f"{counts[CheckResult.PASS]}/{applicable}", counts[CheckResult.FAIL] > 0

    def rows(self, facts: Facts) -> Sequence[Key]:
        """Three parts, each under its heading."""
        self._state = {label: (value, role, detail) for label, value, role, detail in self._states(facts)}
        self._checks = {check.number: check for check in facts.reading.checks}
        self._findings: dict[Key, Finding] = {}
        for finding in facts.reading.findings:
            name = ("finding", finding.code, finding.item or finding.file or "", finding.message)
            self._findings.setdefault(name, finding)
        keys: list[Key] = [("head", _HEADS[0]), *(("state", label) for label in self._state)]
        keys.extend((("gap", "1"), ("head", _HEADS[1]), *(("check", number) for number in self._checks)))
        if self._findings:
            keys.extend((("gap", "2"), ("head", _HEADS[2]), *self._findings))
        return keys

    def headings(self) -> frozenset[Key]:
        """The three headings, and the blank rows between."""
        heads = {*(("head", name) for name in _HEADS), ("gap", "1"), ("gap", "2")}
        return frozenset(heads & set(self._all))

    def _states(self, facts: Facts) -> Iterable[tuple[str, str, str, str]]:
        """`(label, value, role, what it means)`."""
        snapshot = facts.reading.snapshot
        binding, index = snapshot.binding, snapshot.index
        declared = "" if binding.declared else "no assay.toml; these are the defaults"
        claim = "What assay.toml claims; checks above this level do not apply. The checklist says what holds."
        yield "level", f"{binding.level}, claimed", "", f"{claim} {declared}".strip()
        rules = f"The rules that this root follows. Its days begin and end in the time zone {binding.timezone}."
        yield "protocol", f"{binding.protocol} {binding.version}", "", f"{rules} {declared}".strip()
        limit = binding.limits.index_lines
        long = index.lines > limit
        length = f"{index.lines} of {limit} lines" if index.present else "no index.md"
        beyond = f"{len(index.beyond_limit)} entries stand beyond the limit." if index.beyond_limit else ""
        yield (
            "index",
            length,
            "waits" if long or not index.present else "",
            f"Agents read the index first; it stays short. {beyond}",
        )
        owners = ", ".join(f"{owner.name} of {' '.join(owner.scopes)}" for owner in binding.owners) or "none"
        counts = {
            "none": "Nobody is named. The first owner-only action names one.",
            "confirmed": "Confirmed on this machine: they may withdraw, reinstate and approve here. O shows them.",
            "unconfirmed": "Declared in assay.toml, never confirmed on this machine: they grant nothing until O does.",
            "changed": "assay.toml differs from what was confirmed here; the confirmed ones count. O shows both.",
        }.get(binding.owners_state, "")
        state = binding.owners_state
        yield (
            "owners",
            f"{owners}, {state}" if state != "none" else owners,
            "waits" if state in ("unconfirmed", "changed") else "",
            counts,
        )
        watch, detail = self.desk.watch_state
        words = {"live": "live", "polling": "polling", "off": "the root is gone", "still": "not watched"}.get(
            watch, watch
        )
        yield (
            "watch",
            words,
            "" if watch in ("live", "still") else "waits",
            detail or "Changes on disk are shown as they happen.",
        )
        unwritable = [path for path, file in snapshot.files.items() if file.unwritable]
        yield (
            "writing",
            f"{len(unwritable)} files are not written" if unwritable else "every file can be written",
            "waits" if unwritable else "",
            "\n".join(f"{path}: {snapshot.files[path].unwritable}" for path in unwritable[:20])
            or "A file that is not understood is shown and never written; here there is none.",
        )
        for label, calm, meaning in (
            ("lock", "one writer at a time", "A waiting writer is told who holds it, and since when."),
            ("journal", "nothing in flight", "No commit was cut short."),
        ):
            found = [finding for finding in snapshot.drift if finding.code.startswith(label)]
            said = "\n".join(f"{finding.message} {finding.remedy}" for finding in found)
            yield label, f"{len(found)} in doubt" if found else calm, "waits" if found else "", said or meaning

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Checks by title and evidence, findings by message, place and id."""
        for label, (value, _, detail) in self._state.items():
            yield ("state", label), display.visible(f"{label} {value} {detail}")
        for number, check in self._checks.items():
            yield ("check", number), display.visible(f"{number} {check.title} {check.evidence} {check.result}")
        for key, finding in self._findings.items():
            yield key, display.visible(f"{finding.code} {finding.message} {finding.file or ''} {finding.id or ''}")

    def note(self) -> Line:
        """How the checks went; the level claimed is the first row."""
        if self.facts is None:
            return line(("reading…", "dim"))
        counts = Counter(check.result for check in self.facts.reading.checks)
        applicable = counts.total() - counts[CheckResult.NOT_APPLICABLE]
        failed, open_ones = counts[CheckResult.FAIL], counts[CheckResult.UNEVALUATED]
        return line(
            f"{counts[CheckResult.PASS]} of {applicable} checks hold",
            (f", {failed} fail" if failed else "", "waits"),
            (f", {open_ones} unevaluated" if open_ones else "", "dim"),
        )

    def row(self, key: Key, width: int) -> Line:
        """A state, a check, a finding."""
        assert self.facts is not None
        kind, name, *_ = key if isinstance(key, tuple) else (str(key), "")
        if kind in ("head", "gap"):
            return line((str(name), "head")) if kind == "head" else EMPTY
        if kind == "state":
            value, role, _ = self._state[str(name)]
            return line((f"{name:<10}", "dim"), (self.facts.sight.line(value), role))
        if kind == "check":
            return self._check_row(self._checks[int(str(name))], width)
        finding = self._findings[key]
        role = {Severity.ERROR: "waits", Severity.WARNING: "waits"}.get(finding.severity, "dim")
        place = f"{finding.file}:{finding.line}" if finding.line else finding.file or finding.id or ""
        right = line((display.clip(display.one_line(place), 26), "dim")) if width >= 50 else EMPTY
        return spread(
            line(("! " if role == "waits" else "· ", role), self.facts.sight.line(finding.message)), right, width
        )

    def _check_row(self, check: Check, width: int) -> Line:
        sign, role, word = RESULT[check.result]
        quiet = "dim" if role == "dim" else ""
        left = line((f"{check.number:>2}  ", "dim"), (f"{sign} ", role), (display.one_line(check.title), quiet))
        return spread(left, line((word, role)), width)

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """The whole of it: evidence and remedy."""
        assert self.facts is not None
        sight = self.facts.sight
        kind, name, *_ = key if isinstance(key, tuple) else (str(key), "")
        if kind == "state":
            value, role, detail = self._state[str(name)]
            return [
                line((f"{name}  ", "dim"), (sight.line(value), role or "strong")),
                EMPTY,
                *flow(sight.text(detail), width),
            ]
        if kind == "check":
            return self._check_card(self._checks[int(str(name))], width)
        return self._finding_card(self._findings[key], width)

    def _check_card(self, check: Check, width: int) -> list[Line]:
        assert self.facts is not None
        sight = self.facts.sight
        sign, role, word = RESULT[check.result]
        block = [
            spread(line((f"Check {check.number}", "strong")), line((f"{sign} {word}", role)), width),
            EMPTY,
            *flow(sight.line(check.title), width),
            EMPTY,
            *labelled("from", [line(f"{check.level}")]),
            *labelled("evidence", flow(sight.text(check.evidence), width - LABEL)),
            *labelled("result", flow(MEANING[check.result], width - LABEL, role="dim")),
        ]
        if check.remedy:
            block.extend(labelled("remedy", flow(sight.text(check.remedy), width - 10, role="waits")))
        if self._finding_of(check) is not None:
            block.extend((EMPTY, line(("enter", "key"), " goes to the finding")))
        return block

    def _finding_card(self, finding: Finding, width: int) -> list[Line]:
        assert self.facts is not None
        sight = self.facts.sight
        room = width - LABEL
        place = f"{finding.file}:{finding.line}" if finding.line else finding.file or ""
        block = [line((finding.code.replace("-", " "), "strong"), "   ", (finding.severity.value, "dim")), EMPTY]
        block.extend((*flow(sight.text(finding.message), width), EMPTY))
        for label, value in (("stands in", place), ("id", finding.id or ""), ("remedy", finding.remedy)):
            if value:
                block.extend(labelled(label, flow(sight.line(value), room)))
        item = self._item_of(finding)
        if item is not None:
            block.extend((EMPTY, line(("enter", "key"), " goes to the item"), EMPTY))
            block.extend(present.card(item, sight, self.facts.references, width))
        return block

    # --- going there

    def _item_of(self, finding: Finding) -> MemoryItem | None:
        return self.facts.reading.snapshot.by_key.get(finding.item or "") if self.facts is not None else None

    def _finding_of(self, check: Check) -> Key | None:
        """The finding that a failed check is about: one whose place, id or message its evidence names."""
        if check.result is not CheckResult.FAIL:
            return None
        for key, finding in self._findings.items():
            place = f"{finding.file}:{finding.line}" if finding.line else finding.file
            named = (finding.message, finding.id, place)
            if any(text and text in check.evidence for text in named):
                return key
        return None

    def open_row(self, key: Key) -> None:
        """From a check to its finding, from a finding to what it is about."""
        kind, name, *_ = key if isinstance(key, tuple) else (str(key), "")
        if self.opened_first():
            return
        if kind == "check":
            found = self._finding_of(self._checks[int(str(name))])
            if found is not None:
                self.listing.go(found)
                return
        finding = self._findings.get(key)
        if finding is not None and self.facts is not None:
            if finding.code.startswith(("withdrawal", "control", "reinstate")):
                self.desk.visit(WITHDRAWALS, finding.id)
                return
            item = self._item_of(finding)
            if item is not None and self.facts.sight.eligible(item):
                self.desk.visit(INDEX, item.key)
                return
        if kind == "state" and name == "owners":
            self.desk.owners()
            return
        self.show_card()

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The finding's item."""
        finding = self._findings.get(key)
        item = self._item_of(finding) if finding is not None else None
        return (item,) if item is not None else ()

    def name_of(self, key: Key) -> str:
        """What the finding said."""
        return display.one_line(str(key[-1]) if isinstance(key, tuple) else str(key))
