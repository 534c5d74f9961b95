"""The protocol's closed vocabularies (§9, §12.2, §12.3, §20, §23). Each value is the protocol's own token."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """Epistemic kind of an item (§4). In doubt an item is `knowledge`."""

    STATE = "state"
    KNOWLEDGE = "knowledge"


class Status(StrEnum):
    """Item status, a closed token (§9). `withdrawn` is no status: a control record says it (§12.2)."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    STALE = "stale"
    PENDING_CLEANUP = "pending-cleanup"


class Confidence(StrEnum):
    """`epistemic-status-v1` (§9)."""

    CONFIRMED = "confirmed"
    OBSERVED_ONCE = "observed-once"
    INFERRED = "inferred"
    UNKNOWN = "unknown"


CONFIDENCE_SCHEME = "epistemic-status-v1"


class Standing(StrEnum):
    """Where an item stands in the root (§7.3 and the binding's `withdrawn/`)."""

    INBOX = "inbox"
    TOPIC = "topic"
    HISTORICAL = "historical"
    INDEX = "index"
    HELD = "held"


class EventType(StrEnum):
    """Lifecycle events of the operation log (§7.1, §8)."""

    BOOTSTRAP = "bootstrap"
    CAPTURE = "capture"
    ARCHIVE = "archive"
    ARCHIVE_SKIP = "archive-skip"
    AUTODREAM = "autodream"
    AUTODREAM_SKIP = "autodream-skip"
    SUPERSEDE = "supersede"
    COOL = "cool"
    MERGE = "merge"
    PENDING_CLEANUP = "pending-cleanup"
    WITHDRAW = "withdraw"
    REINSTATE = "reinstate"
    ERASE = "erase"
    REVIEW = "review"
    CLEANUP = "cleanup"
    MANUAL_CORRECTION = "manual-correction"
    PROMOTE = "promote"
    PROPOSE = "propose"


class ControlAction(StrEnum):
    """`action` of a WithdrawalRecord (§12.2)."""

    WITHDRAW = "withdraw"
    REINSTATE = "reinstate"


class ControlEffect(StrEnum):
    """`effect` of a WithdrawalRecord (§12.2)."""

    EXCLUDE = "exclude-from-influence"
    RESTORE = "restore-eligibility"


class ControlState(StrEnum):
    """What a control record does now, as the causal chain has it (§12.2)."""

    CONTROLS = "controls"
    UNRESOLVED = "unresolved"
    SUPERSEDED = "superseded"
    INVALID = "invalid"


class Level(StrEnum):
    """Implementation levels (§20), in order."""

    L0 = "memory:L0"
    L1 = "memory:L1"
    L2 = "memory:L2"
    L3 = "memory:L3"
    L4 = "memory:L4"
    L5 = "memory:L5"


class CheckResult(StrEnum):
    """Result of one check of the validation checklist (§21)."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not-applicable"
    UNEVALUATED = "unevaluated"


class Severity(StrEnum):
    """How much a finding matters: `error` blocks a write or hides memory, `warning` waits for a human."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"
