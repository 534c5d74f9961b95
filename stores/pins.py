"""Owners that the user of this machine has confirmed, kept outside the root (§17).

Whoever can write `assay.toml` can name owners in it. So the owners that count are those pinned here, by digest, in the
user's own configuration: a changed `assay.toml` grants nothing until a human confirms it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.binding import Binding, Owner
from core.errors import WriteRefused
from stores.configuration import pins_path


def owners_digest(owners: Iterable[Owner]) -> str:
    """A digest of who owns what; the order of owners and of their scopes does not matter."""
    plain = sorted([owner.name, owner.user or "", *sorted(set(owner.scopes))] for owner in owners)
    return hashlib.sha256(json.dumps(plain, ensure_ascii=True).encode()).hexdigest()


class Pins:
    """The pinned owners of one root, keyed by its real path and binding id."""

    def __init__(self, root: str, *, folder: str | None = None) -> None:
        """`root` is the memory root, `folder` where `owners.json` is kept (None: `config_folder()`)."""
        self._root = os.path.realpath(root)
        self._folder = folder

    @property
    def path(self) -> str:
        """The file the pins are kept in."""
        return pins_path(self._folder)

    def resolve(self, binding: Binding) -> Binding:
        """`binding` as read from the root, with the owners that count and their `owners_state` (`core.binding`).

        A pin made for another binding id of the same root still counts, as `changed`: giving the root a new id, or
        removing `assay.toml`, is no way around it. Never raises: an unreadable pin file confirms nothing.
        """
        pinned, same_id = self._pinned(binding.id)
        if pinned is None:
            state = "unconfirmed" if binding.owners else "none"
            return replace(binding, owners_state=state)
        if same_id and owners_digest(pinned) == owners_digest(binding.owners):
            return replace(binding, owners_state="confirmed")
        return replace(binding, owners=pinned, owners_state="changed")

    def confirm(self, binding_id: str, owners: Iterable[Owner]) -> None:
        """Pin `owners` for the root under `binding_id`, in place of what was pinned for it. Raises `WriteRefused`.

        No owners: nothing is pinned any more. Front ends call it from a confirmation by a human only.
        """
        kept = tuple(owners)
        with self._locked():
            pins = self._load(strict=True)
            roots = pins.setdefault("roots", {})
            roots.pop(self._root, None)
            if kept:
                roots[self._root] = {
                    "binding": binding_id,
                    "owners": [{"name": one.name, "user": one.user, "scopes": list(one.scopes)} for one in kept],
                    "digest": owners_digest(kept),
                }
            self._save(pins)

    def declare(self, before: Binding, binding_id: str, owner: Owner) -> bool:
        """Pin `owner`, whom a human decided to declare just now, beside the owners pinned before.

        `before` is the resolved binding that the decision rests on, `binding_id` the id of the root afterwards. False,
        and nothing pinned, where owners stood in the root that nobody confirmed: they would be confirmed with it.
        Raises `WriteRefused`.
        """
        if before.owners_state == "unconfirmed":
            return False
        self.confirm(binding_id, (*before.owners, owner))
        return True

    def _pinned(self, binding_id: str) -> tuple[tuple[Owner, ...] | None, bool]:
        """The owners pinned for this root (None: none are), and whether under this very binding id.

        An entry that cannot be read, or does not fit its digest, is no pin.
        """
        entry = self._load().get("roots", {}).get(self._root)
        try:
            owners = tuple(
                Owner(
                    str(one["name"]),
                    None if one["user"] is None else str(one["user"]),
                    tuple(map(str, one["scopes"])),
                )
                for one in entry["owners"]
            )
            fits = bool(owners) and entry["digest"] == owners_digest(owners)
            return (owners if fits else None), entry["binding"] == binding_id
        except (KeyError, TypeError):
            return None, False

    def _load(self, *, strict: bool = False) -> dict[str, Any]:
        """The pins of all roots. What cannot be read is empty or, where `strict`, refused: it is not to be lost."""
        try:
            with open(self.path, encoding="utf-8") as file:
                pins = json.load(file)
            if isinstance(pins, dict) and isinstance(pins.get("roots", {}), dict):
                return pins
            reason = "it holds something else"
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            reason = str(error)
        if strict:
            raise WriteRefused(
                f"The confirmed owners cannot be read: {reason}.",
                where=self.path,
                remedy="Repair that file, or move it away and confirm the owners of each root again.",
            )
        return {}

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the pin file against another process that confirms at the same time."""
        from filelock import FileLock, Timeout

        path = self.path
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with FileLock(f"{path}.lock", timeout=5):
                yield
        except (OSError, Timeout) as error:
            raise WriteRefused(
                f"The confirmed owners cannot be kept: {getattr(error, 'strerror', None) or error}.",
                where=path,
                remedy="Make that folder writable, or name another in ASSAY_CONFIG_DIR.",
            ) from error

    def _save(self, pins: Mapping[str, Any]) -> None:
        path = self.path
        handle, temporary = tempfile.mkstemp(prefix=".owners-", dir=os.path.dirname(path))  # mkstemp makes it 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(pins, file, ensure_ascii=False, indent=2, sort_keys=True)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
