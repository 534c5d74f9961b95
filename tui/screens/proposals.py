"""Screen 6, Proposals: what would become a standing rule (§17, §23.5). Evidence and authority stand apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from core.errors import AssayError
from core.items import MemoryItem
from core.promotion import deciders, eligibility, rule_target, supports
from core.requests import Approve, Reject, Request
from core.snapshot import Proposal
from tui import display, editing, glyphs
from tui.desk import Facts, Then
from tui.lines import EMPTY, LABEL, Line, Span, flow, labelled, line, spread, wrap_spans
from tui.page import Page
from tui.screens.form import Answers, Field
from tui.verbs import PROPOSALS, Verb
from tui.widgets.diff import word_differences
from tui.widgets.virtual_list import Key

PENDING = "pending-review"


class ProposalsPage(Page):
    """Pending proposals first, decided ones after."""

    NUMBER: ClassVar[int] = PROPOSALS
    NEEDS: ClassVar[str] = "influence"
    COUNTS: ClassVar[str] = "proposal"

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How many wait for an owner."""
        waiting = sum(one.status == PENDING for one in facts.reading.snapshot.proposals)
        return f"{waiting:,}", waiting > 0

    def rows(self, facts: Facts) -> Sequence[Key]:
        """Those that wait first, each in the order of the files."""
        proposals = facts.reading.snapshot.proposals
        ordered = sorted(proposals, key=lambda one: one.status != PENDING)
        self._proposals: dict[Key, Proposal] = {("proposal", one.proposal_id or str(one.place)): one for one in ordered}
        return list(self._proposals)

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Everything that stands in a proposal."""
        for key, one in self._proposals.items():
            words = (one.proposal_id, one.target, one.proposed_change, *one.supporting_refs, one.expected_benefit)
            yield key, facts.sight.line(" ".join((*words, one.risk, one.status)))

    def empty(self) -> tuple[str, ...]:
        """Nothing is proposed."""
        return (
            "Nothing is proposed.",
            "A lesson that keeps proving true may become a standing rule. Agents propose it with what supports it "
            "(assay propose); an owner decides here.",
        )

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The items it rests on."""
        one = self._proposals.get(key)
        if one is None or self.facts is None:
            return ()
        by_id = self.facts.reading.snapshot.by_id
        return tuple(item for ref in one.supporting_refs for item in by_id.get(ref, ()))

    def copy_text(self, key: Key) -> str | None:
        """The proposal's id."""
        one = self._proposals.get(key)
        return one.proposal_id if one is not None else None

    # --- drawing

    def row(self, key: Key, width: int) -> Line:
        """The rule, where it would go, and whether it waits."""
        assert self.facts is not None
        one = self._proposals[key]
        waits = one.status == PENDING
        left = line(
            ("◌ " if waits else "  ", "waits"),
            (self.facts.sight.head(one.proposed_change, width), "" if waits else "dim"),
        )
        right = line((self.facts.sight.head(f"→ {one.target}" if waits else one.status or "no status", 30), "dim"))
        return spread(left, right, width)

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """The rule, what it rests on, whether that is enough, who decides, and the line it would add."""
        assert self.facts is not None
        one, sight = self._proposals[key], self.facts.sight
        snapshot = self.facts.reading.snapshot
        found = supports(one, snapshot, self.facts.reading.influence)
        room = width - LABEL
        state = one.status or "no status"
        head = line((display.one_line(one.proposal_id or "no id"), "strong"))
        block = [spread(head, line((sight.line(state), "waits" if state == PENDING else "dim")), width), EMPTY]
        block.extend(flow(sight.line(one.proposed_change), width))
        block.append(EMPTY)
        for label, value in (("benefit", one.expected_benefit), ("risk", one.risk)):
            block.extend(labelled(label, flow(sight.line(value or "not said"), room)))
        for number, support in enumerate(found):
            sign = glyphs.RESOLVES if support.found and not support.withdrawn else glyphs.DANGLING
            role = "good" if support.found and not support.withdrawn else "waits"
            words = [line((f"{sign.sign} ", role), sight.line(support.ref))]
            if support.reason:
                words.extend(flow(sight.line(support.reason), room, role="dim", indent=2))
            elif support.item is not None:
                _, lesson = word_differences(sight.line(one.proposed_change), sight.head(support.item.text, room * 2))
                spans = tuple(Span(span.text, f"dim {span.role}".strip()) for span in lesson)
                words.extend((Span("  "), *part) for part in wrap_spans(spans, room - 2))
            block.extend(labelled("rests on" if number == 0 else "", words))
        enough = eligibility(found)
        sentence = f"{'eligible' if enough.eligible else 'not eligible'}: {enough.why}"
        block.extend(labelled("evidence", flow(sight.line(sentence), room, role="" if enough.eligible else "waits")))
        owners = ", ".join(owner.name for owner in deciders(found, snapshot)) or "nobody yet: the root names no owner"
        block.extend(labelled("authority", flow(sight.line(f"{owners} may decide; evidence alone never does"), room)))
        file = rule_target(one.target, snapshot.binding)
        block.extend(labelled("target", flow(sight.line(one.target), room)))
        block.extend((EMPTY, *self._rule(one, file, width)))
        return block

    def _rule(self, one: Proposal, file: str | None, width: int) -> list[Line]:
        assert self.facts is not None
        if file is None:
            return flow("It names no file that a rule may be written to: nothing can be approved.", width, role="waits")
        if one.status != PENDING:
            return []
        shown = self.facts.sight.line(one.proposed_change)
        lines = [line((display.one_line(file), "head"), ("  d shows the whole diff", "dim"))]
        added = [line(("+ ", "add"), (part, "add")) for part in display.wrap(f"- {shown}", max(width - 2, 8))]
        return [*lines, *added]

    # --- verbs

    def why_not(self, verb: Verb) -> str | None:
        """Only what waits is decided."""
        if verb.name in ("approve", "edit and approve", "reject"):
            one = self._proposals.get(self.listing.key) if self.listing.key is not None else None
            if one is None:
                return "There is no proposal under the cursor."
            if one.status != PENDING:
                return f"It is {one.status or 'without a status'}, and waits for nothing."
            return self._not_authorised(verb)
        return super().why_not(verb)

    def request(self, verb: Verb, then: Then) -> None:
        """Approve, edit and approve, reject with a reason."""
        key = self.listing.key
        one = self._proposals.get(key) if key is not None else None
        if one is None:
            return
        if verb.name == "approve":
            then(Approve(one.proposal_id))
        elif verb.name == "edit and approve":
            editing.edit_line(
                self.desk,
                "Edit the rule, then approve it",
                one.proposed_change,
                lambda text: then(Approve(one.proposal_id, text)),
            )
        elif verb.name == "reject":

            def go_on(answers: Answers) -> None:
                then(Reject(one.proposal_id, answers["reason"]))

            field = Field("reason", "reason", "", "one line, for whoever proposed it", long=True)
            self.desk.ask("Reject: why?", (field,), go_on, intro=("The proposal stays on file with the reason.",))

    def refused(self, request: Request, error: AssayError) -> bool:
        """Nothing is asked for again: the engine's words say what to do."""
        return False
