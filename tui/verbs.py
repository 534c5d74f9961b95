"""The one table of verbs. The footer, the help screen, the palette, the README's key table and the tests are made from
it, so that a key means the same everywhere and nothing is named twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.authority import Tier, who_may

INDEX, REVIEW, CONFLICTS, DUPLICATES, WITHDRAWALS, PROPOSALS, ERASURES, LOG, HEALTH = range(1, 10)
ALL: tuple[int, ...] = ()

Keys = Mapping[str, tuple[str, str]]
"""Keys that a human chose, by verb: as Textual names them, and as they wrote them."""

_chosen: dict[str, tuple[str, str]] = {}
"""Those of this process; a key means the same on every console in it."""


def choose_keys(keys: Keys) -> None:
    """From now on these verbs have these keys, and all others their own."""
    _chosen.clear()
    _chosen.update(keys)


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb.

    `name` is the protocol's word, `default` the key as Textual names it, `shown` as people read it, `label` its word in
    the footer. `screens` are the screens it acts on (empty: all). `command` is the engine's command behind it ('' for
    verbs that only look or move), whose authority it takes; `tier` what it takes to confirm it. `undo` says how it is
    taken back. `rank` orders the footer; a verb without one is in the help only.
    """

    name: str
    default: str
    label: str
    help: str
    screens: tuple[int, ...] = ALL
    command: str = ""
    tier: Tier | None = None
    undo: str = ""
    shown: str = ""
    rank: int | None = None
    aliases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key, as Textual names it: the one that a human chose, else the default."""
        return _chosen[self.name][0] if self.name in _chosen else self.default

    @property
    def keys(self) -> str:
        """The keys for people."""
        return _chosen[self.name][1] if self.name in _chosen else self.shown or self.default

    @property
    def authority(self) -> str:
        """Who may do it."""
        return who_may(self.command) if self.command else "anyone"

    def on(self, screen: int) -> bool:
        """Whether the verb acts on the screen of this number."""
        return not self.screens or screen in self.screens


_ITEMS = (INDEX, REVIEW)
_UNDO = "with u"

VERBS: tuple[Verb, ...] = (
    Verb(
        "clear",
        "c",
        "clear",
        "Keep the item: it is active again, and waits no more.",
        _ITEMS,
        "clear",
        Tier.PLAN,
        _UNDO,
        rank=10,
    ),
    Verb(
        "stale",
        "s",
        "stale",
        "Judge the item no longer applicable; what becomes of it is open.",
        _ITEMS,
        "stale",
        Tier.PLAN,
        _UNDO,
        rank=11,
    ),
    Verb(
        "pend",
        "p",
        "pend",
        "Mark the item pending-cleanup: it waits for review. On Conflicts: all rows.",
        (INDEX, REVIEW, CONFLICTS),
        "pend",
        Tier.FREE,
        _UNDO,
        rank=14,
    ),
    Verb(
        "repair",
        "r",
        "repair",
        "Give the item what it lacks: id, kind, subject, Source, a Status. On Conflicts: part two items of one id.",
        (INDEX, REVIEW, CONFLICTS),
        "repair",
        Tier.PLAN,
        "with u; an id, once given, stays",
        rank=15,
    ),
    Verb(
        "cool",
        "l",
        "cool",
        "Move knowledge to its topic's Historical lessons: further from the hot path, kept.",
        _ITEMS,
        "cool",
        Tier.FREE,
        _UNDO,
        rank=17,
    ),
    Verb(
        "warm",
        "L",
        "warm",
        "Bring cooled knowledge back to its topic's Facts and lessons.",
        _ITEMS,
        "warm",
        Tier.PLAN,
        _UNDO,
    ),
    Verb(
        "reclassify",
        "K",
        "reclassify",
        "Change the kind: to knowledge, or to state with its subject. In doubt an item is knowledge.",
        _ITEMS,
        "reclassify",
        Tier.PLAN,
        _UNDO,
    ),
    Verb(
        "subject",
        "B",
        "subject",
        "Give a state item another subject: supersede matches it byte for byte.",
        _ITEMS,
        "subject",
        Tier.PLAN,
        _UNDO,
    ),
    Verb(
        "triggers",
        "t",
        "triggers",
        "Say when a topic is to be read.",
        (INDEX, REVIEW),
        "triggers",
        Tier.PLAN,
        "by setting them again",
    ),
    Verb(
        "left is current",
        "less_than_sign",
        "left is current",
        "Settle the conflict: the left row is current, the others are kept as history.",
        (CONFLICTS,),
        "reconcile",
        Tier.PLAN,
        _UNDO,
        shown="<",
        rank=10,
    ),
    Verb(
        "right is current",
        "greater_than_sign",
        "right is current",
        "Settle the conflict: the right row is current, the others are kept as history.",
        (CONFLICTS,),
        "reconcile",
        Tier.PLAN,
        _UNDO,
        shown=">",
        rank=11,
    ),
    Verb(
        "both stay",
        "b",
        "both stay",
        "Let the rows stay side by side, each naming the others.",
        (CONFLICTS,),
        "reconcile",
        Tier.PLAN,
        _UNDO,
        rank=12,
    ),
    Verb(
        "merge",
        "m",
        "merge",
        "Fold near-duplicate knowledge into one entry, with a text that you edit. The originals are kept.",
        (DUPLICATES,),
        "merge",
        Tier.PLAN,
        "with u; the folded entry stays as history",
        rank=10,
    ),
    Verb(
        "not a duplicate",
        "n",
        "not a duplicate",
        "They only look alike: remember it, and suggest them no more.",
        (DUPLICATES,),
        "not-duplicate",
        Tier.PLAN,
        _UNDO,
        rank=11,
    ),
    Verb(
        "approve",
        "a",
        "approve",
        "Make it a standing rule: your decision is recorded, then the rule is written.",
        (PROPOSALS,),
        "approve",
        Tier.PLAN,
        "by another decision only",
        rank=10,
    ),
    Verb(
        "edit and approve",
        "e",
        "edit and approve",
        "Edit the rule's words, in your editor where EDITOR names one, then approve it.",
        (PROPOSALS,),
        "approve",
        Tier.PLAN,
        "by another decision only",
        rank=11,
    ),
    Verb(
        "reject",
        "x",
        "reject",
        "Reject the proposal with a reason. It stays on file.",
        (PROPOSALS,),
        "reject",
        Tier.PLAN,
        "by proposing it again",
        rank=12,
    ),
    Verb(
        "withdraw",
        "w",
        "withdraw",
        "Exclude a bounded scope from influence. It says nothing about truth and erases nothing.",
        (INDEX, REVIEW, WITHDRAWALS),
        "withdraw",
        Tier.PLAN,
        "by a reinstatement only",
        rank=16,
    ),
    Verb(
        "reinstate",
        "R",
        "reinstate",
        "Lift the withdrawal under the cursor, for exactly its scope.",
        (WITHDRAWALS,),
        "reinstate",
        Tier.PLAN,
        "by a withdrawal only",
        rank=11,
    ),
    Verb(
        "settle",
        "S",
        "settle",
        "Say which control event stands, where several have no one order. The settlement is a new event.",
        (WITHDRAWALS,),
        "settle",
        Tier.PLAN,
        "by a control event only",
        rank=10,
    ),
    Verb(
        "owners",
        "O",
        "owners",
        "See the declared owners, confirm them on this machine, or name the first.",
        (WITHDRAWALS, HEALTH),
        "owner",
        Tier.PLAN,
        "by hand: edit assay.toml, then confirm",
        rank=30,
    ),
    Verb("open", "enter", "open", "Open what the cursor is on.", rank=40, shown="enter"),
    Verb("mark", "v", "mark", "Mark the item, for one decision on several.", _ITEMS, rank=42),
    Verb("mark all", "V", "mark all", "Mark all items shown, or unmark them.", _ITEMS),
    Verb("diff", "d", "diff", "Then the key of a decision: show what it would write, and write nothing.", rank=44),
    Verb(
        "undo",
        "u",
        "undo",
        "Take back your latest decision that can be taken back; its plan is shown first.",
        ALL,
        "undo",
        Tier.PLAN,
        rank=46,
    ),
    Verb("source", "o", "source", "Open the archive where the item's Source points.", rank=48),
    Verb("plan", "P", "plan", "Write the review's plan to a file, as Markdown to tick and as JSON.", (REVIEW,)),
    Verb("filter", "slash", "filter", "Show only what contains these words.", shown="/", rank=50),
    Verb("copy id", "y", "copy id", "Copy the id of what the cursor is on."),
    Verb(
        "back",
        "escape",
        "back",
        "One step back: close, clear the filter, return to where enter led from, take marks away. It never quits.",
        shown="esc",
    ),
    Verb(
        "up and down",
        "up",
        "move",
        "Move: also j and k, g and G for first and last, page up and page down.",
        shown="↑ ↓",
    ),
    Verb("screens", "1", "screens", "Go to a screen by its number.", shown="1–9"),
    Verb("help", "question_mark", "help", "This page.", shown="?", rank=60),
    Verb("palette", "ctrl+p", "palette", "All of this by name, and the themes.", shown="ctrl+p"),
    Verb("quit", "q", "quit", "Leave.", rank=70),
)
"""Every verb, in the order of the help screen. Decisions come first."""

DECISIONS: tuple[Verb, ...] = tuple(verb for verb in VERBS if verb.tier is not None and verb.name != "undo")
"""Verbs that write: each leads to a plan."""


def verb(name: str) -> Verb:
    """The verb of this name. Raises KeyError."""
    found = next((entry for entry in VERBS if entry.name == name), None)
    if found is None:
        raise KeyError(name)
    return found


def verbs_of(screen: int) -> tuple[Verb, ...]:
    """The verbs of a screen, in the table's order."""
    return tuple(entry for entry in VERBS if entry.on(screen))


def by_key(key: str, screen: int) -> Verb | None:
    """The verb that `key` means on a screen."""
    return next((entry for entry in VERBS if entry.on(screen) and key == entry.key), None)


def footer_of(screen: int) -> tuple[Verb, ...]:
    """The verbs that a screen's footer names, the most wanted first."""
    ranked = [entry for entry in verbs_of(screen) if entry.rank is not None]
    return tuple(sorted(ranked, key=lambda entry: entry.rank or 0))


def key_table() -> tuple[tuple[str, str, str, str, str, str], ...]:
    """`(keys, verb, screens, authority, undo, help)` of every verb, for the README and the help screen."""
    return tuple(
        (
            entry.keys,
            entry.name,
            ", ".join(map(str, entry.screens)) or "all",
            entry.authority,
            entry.undo or "–",
            entry.help,
        )
        for entry in VERBS
    )
