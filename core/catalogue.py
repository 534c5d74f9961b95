"""Every finding code: how much it matters, what it means, and what a human can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.findings import Finding
from core.items import Place
from core.vocabulary import Severity


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What a finding code means: its severity, one sentence, and what a human can do.

    `command` is the engine command that settles it, None where there is none.
    """

    severity: Severity
    meaning: str
    remedy: str
    command: str | None = None


def _error(meaning: str, remedy: str, command: str | None = None) -> CodeInfo:
    return CodeInfo(Severity.ERROR, meaning, remedy, command)


def _warning(meaning: str, remedy: str, command: str | None = None) -> CodeInfo:
    return CodeInfo(Severity.WARNING, meaning, remedy, command)


def _notice(meaning: str, remedy: str, command: str | None = None) -> CodeInfo:
    return CodeInfo(Severity.NOTICE, meaning, remedy, command)


CATALOGUE: Mapping[str, CodeInfo] = MappingProxyType(
    {
        # Items (§9)
        "missing-id": _warning(
            "An item has no id, so nothing can refer to it.", "Repair it: it is given one.", "repair"
        ),
        "missing-kind": _warning(
            "An item does not say whether it is state or knowledge.",
            "Classify it; in doubt it is knowledge.",
            "repair",
        ),
        "unknown-kind": _warning(
            "An item's kind is neither state nor knowledge.", "Classify it; in doubt it is knowledge.", "repair"
        ),
        "missing-source": _warning("An item does not say what it rests on.", "Name its Source.", "repair"),
        "missing-subject": _warning(
            "A state item has no subject, so nothing can ever supersede it.",
            "Name its subject, or reclassify it as knowledge.",
            "repair",
        ),
        "unknown-status": _warning("A Status is no token of the protocol.", "Say which Status it has.", "repair"),
        "status-missing": _notice(
            "An item in a topic has no Status; it counts as active.", "Write its Status down.", "repair"
        ),
        "impossible-date": _warning("A date is no day of the calendar.", "Correct the date in the file."),
        "legacy-marker": _warning(
            "A prose marker stands where a Status belongs.", "Turn it into Status: pending-cleanup.", "repair"
        ),
        "duplicate-field": _warning("A field stands twice in one item; the first counts.", "Take one of them out."),
        "contradicting-field": _warning(
            "The head line and a field of one item say different things.", "Correct the one that is wrong."
        ),
        "confidence-without-scheme": _warning(
            "A Confidence stands without its scheme.", "Add Confidence-Scheme: epistemic-status-v1."
        ),
        "unknown-confidence": _warning("A Confidence is no token of its scheme.", "Correct or remove it."),
        "index-only-item": _warning(
            "An item stands in the index alone, which is no place to keep it.", "Move it to a topic."
        ),
        "two-items-one-id": _warning(
            "Several items bear one id; neither wins.", "Give one of them a new id.", "repair"
        ),
        "knowledge-superseded": _warning(
            "A knowledge item is marked superseded; only state is superseded.", "Decide what it is; in doubt keep it."
        ),
        "near-subjects": _warning(
            "Subjects differ, but hardly; nothing links them.",
            "If they mean the same, write one of them everywhere.",
            "subject",
        ),
        "dangling-pointer": _warning("An item points at an id that nothing bears.", "Find the row, or clear the item."),
        "pointer-cycle": _warning("Rows supersede one another in a circle.", "Say which row is current.", "reconcile"),
        "superseded-without-pointer": _warning(
            "A superseded row does not say what replaced it.", "Name its successor, or say that it is current."
        ),
        "pointer-without-status": _warning(
            "A row names a successor but is not marked superseded.", "Supersede it, or remove the pointer.", "supersede"
        ),
        "source-not-found": _warning(
            "A Source names something that is not there.", "Find what it rests on; until then it bears little weight."
        ),
        "source-mutable": _notice(
            "A Source points into a page that may be rewritten.", "Prefer an anchor into the archive."
        ),
        "secret-in-memory": _error(
            "Something shaped like a credential stands in memory.", "Revoke it, and take it out of the file."
        ),
        "fold-mismatch": _warning(
            "An item differs from what the log says of it: somebody changed it elsewhere.",
            "Look at the change; the next decision about the item records it.",
        ),
        # Files
        "frontmatter-broken": _error("A page's frontmatter cannot be read; the page is not written to.", "Mend it."),
        "second-frontmatter": _warning("A second frontmatter block follows the first.", "Merge them by hand."),
        "open-fence": _error("A code fence is never closed; what follows is not read as items.", "Close the fence."),
        "undecodable": _error("Bytes are not UTF-8; the file is shown but not written to.", "Restore or re-encode it."),
        "nul-run": _error("The file holds a run of NUL bytes, as a crash leaves them.", "Restore it from a copy."),
        "merge-markers": _error("Merge markers stand in a file.", "Finish the merge by hand."),
        "conflicted-copy": _warning(
            "A copy left by a sync or a merge lies beside a governed file.", "Compare, then remove the copy."
        ),
        "blocked-link": _warning(
            "A link leads out of the root and is not followed.", "Allow its real path in assay.toml, or remove it."
        ),
        "dangling-link": _warning("A link leads nowhere.", "Restore its target, or remove it."),
        "link-loop": _warning("Links lead in a circle.", "Remove one of them."),
        "hard-link": _warning(
            "A file has another name outside the root's control.", "Allow it in assay.toml, or copy the file."
        ),
        "unreadable-file": _error("A file cannot be read now; nothing in it is taken for deleted.", "Mend its access."),
        "lost-rewrite": _error(
            "A sentence says that the rest of the page is unchanged, and the rest is gone.",
            "Restore the page from version control or a backup.",
        ),
        "index-too-long": _warning("index.md is longer than its limit.", "Move what is old or long into topics."),
        "index-beyond-limit": _notice(
            "An index entry stands beyond the limit, where agents may not read.", "Move it up, or into a topic."
        ),
        "missing-trigger": _warning(
            "No trigger leads to a topic, so no agent will read it.", "Add a Topic Map line or triggers.", "triggers"
        ),
        "dangling-topic-map": _warning("The Topic Map names a page that is not there.", "Correct or remove the line."),
        "undistilled-archive": _warning(
            "Archived items were never distilled into a topic.", "Distill them, or decide that they may rest."
        ),
        "boundary-violation": _error(
            "Conventions or a hot entry changed without a recorded decision.",
            "Review the change, then record who decided it, or take it back.",
        ),
        "restates-withdrawn": _error(
            "A line says again what is withdrawn.", "Take the line out; withdrawn content is not restated."
        ),
        "proposal-unreadable": _warning(
            "A proposal cannot be read; nothing in it is proposed.", "Mend the file, or remove it."
        ),
        # The log, and control records (§12.2)
        "log-line-unknown": _notice("A line of log.md is in no known form; it is kept.", "Nothing has to be done."),
        "replay-line-broken": _error("A replay record cannot be read.", "Restore the line from a copy of the log."),
        "event-id-twice": _error(
            "Two replay records bear one id; neither can be undone.", "Compare log/ with a copy; keep the true one."
        ),
        "event-without-entry": _warning(
            "A replay record has no line in the timeline; it is not undone by.", "Find out who wrote it into log/."
        ),
        "control-selects-nothing": _warning(
            "A withdrawal names what nothing here bears, so it excludes nothing by it.",
            "Look at how it is written; withdraw what was meant.",
        ),
        "control-unreadable": _error(
            "A control record cannot be read whole; what it names stays excluded.",
            "Withdraw its scope anew, naming it; that withdrawal can be reinstated.",
            "settle",
        ),
        "control-without-id": _error("A control record has no id.", "Withdraw its scope anew.", "withdraw"),
        "control-unknown-type": _error("A control record is of an unknown type.", "Settle its scope.", "settle"),
        "control-unknown-action": _error(
            "A control record has an unknown action; its scope stays excluded.", "Settle its scope.", "settle"
        ),
        "control-effect-mismatch": _error(
            "A control record's effect does not fit its action; its scope stays excluded.",
            "Settle its scope.",
            "settle",
        ),
        "control-two-contents": _error(
            "One control id has several contents; their scopes stay excluded.", "Settle their scopes.", "settle"
        ),
        "control-cycle": _error(
            "Control records supersede one another in a circle; their scopes stay excluded.",
            "Settle their scopes.",
            "settle",
        ),
        "control-without-scope": _error(
            "A control record bounds nothing, so it does nothing.", "Withdraw the scope that was meant.", "withdraw"
        ),
        "control-dangling": _error(
            "A control record names a prior event that is not there.", "Settle its scope.", "settle"
        ),
        "control-unsettled": _error(
            "A reinstatement rests on a record that cannot be relied on; its scope stays excluded.",
            "Settle its scope.",
            "settle",
        ),
        "control-unordered": _error(
            "Control events of one scope have no single order; the scope stays excluded.",
            "Settle it: say which event stands.",
            "settle",
        ),
        "control-scope-mismatch": _error(
            "A control record names an event of another scope, and does nothing to it.",
            "Reinstate exactly the scope that was withdrawn.",
            "reinstate",
        ),
        "control-not-owner": _error(
            "A reinstatement was decided by somebody who does not own the scope; it stays excluded.",
            "An owner of the scope reinstates it, or lets it be.",
            "reinstate",
        ),
        "withdraw-not-owner": _warning(
            "A withdrawal was decided by somebody who does not own the scope; it excludes all the same.",
            "An owner of the scope confirms or reinstates it.",
            "reinstate",
        ),
        "owners-none": _notice(
            "No owner is declared, so control records stand as they say they were decided.", "Name an owner.", "owner"
        ),
        "owners-unconfirmed": _warning(
            "The declared owners were never confirmed on this machine; they grant no action here.",
            "Confirm them.",
            "owner",
        ),
        "owners-changed": _error(
            "assay.toml declares other owners than those confirmed on this machine; the confirmed ones count.",
            "Look at the change, then confirm it or take it back.",
            "owner",
        ),
        "binding-broken": _error("assay.toml cannot be read; no owner and no limit in it counts.", "Mend the file."),
        "held-without-record": _error(
            "An item stands in withdrawn/ and no readable record says why; it stays excluded.",
            "Find the record, or withdraw the item anew.",
            "withdraw",
        ),
        "withdrawn-without-record": _error(
            "The index lists a scope as withdrawn and no readable record says why; it stays excluded.",
            "Find the record, or withdraw the scope anew.",
            "withdraw",
        ),
        "held-but-eligible": _warning(
            "An item is reinstated and still stands in withdrawn/.", "Move it back to its page."
        ),
        "withdrawn-copy-returned": _warning(
            "A copy of a withdrawn item is back on an ordinary page; it stays excluded.", "Remove the copy."
        ),
        "merged-from-withdrawn": _warning(
            "A folded item rests in part on what is withdrawn, so all of it stays excluded.",
            "Merge anew without the withdrawn part.",
            "merge",
        ),
        "source-under-withdrawn": _warning(
            "An item rests on a whole archive day of which a part is withdrawn; it stays excluded.",
            "Anchor its Source to the segment that it rests on.",
        ),
    }
)
"""Finding code -> what it means. The reading side and the rules emit these codes and no others."""


def make_finding(
    code: str,
    message: str = "",
    *,
    place: Place | None = None,
    file: str | None = None,
    line: int | None = None,
    item: str | None = None,
    id: str | None = None,
    severity: Severity | None = None,
    command: str | None = None,
) -> Finding:
    """A finding of `code` with the severity, remedy and command that the catalogue gives it.

    `place` gives file and line; without `message` the catalogue's sentence stands. `severity` and `command` overrule.
    """
    info = CATALOGUE[code]
    return Finding(
        code=code,
        severity=severity or info.severity,
        message=message or info.meaning,
        file=place.file if place is not None else file,
        line=place.line if place is not None else line,
        item=item,
        id=id,
        remedy=info.remedy,
        command=command or info.command,
    )
