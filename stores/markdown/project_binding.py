"""The binding record and the layout of a new root: `assay.toml` grows by what is declared, nothing is written over."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib

from core.binding import Owner
from core.changes import CreateRoot, DeclareOwner
from core.errors import RootExists, WriteRefused
from core.places import BINDING
from stores.markdown.blocks import NEWLINE
from stores.markdown.project_files import Files
from stores.markdown.project_page import Lead, dominant_eol

_ESCAPED = re.compile(r"[\"\\\x00-\x1f\x7f]")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def declare_owner(files: Files, change: DeclareOwner, *, root: str) -> None:
    """Append an `[[owners]]` table to `assay.toml`; `root` gives a new binding record its id.

    Raises `WriteRefused` where the file does not parse, or lists its owners in a form that cannot be appended to.
    """
    page = files.page(BINDING)
    data = page.data
    if page.before is None:
        binding = files.snapshot.binding
        lines = [
            "[binding]",
            f"id = {_string(binding_id(root))}",
            f"protocol = {_string(binding.protocol)}",
            f"version = {_string(binding.version)}",
            f"level = {_string(binding.level)}",
            f"timezone = {_string(binding.timezone)}",
        ]
        page.insert(0, "\n".join([*lines, "", *_table(change.owner), ""]).encode(), bound=False)
        return
    before = _parsed(data)
    eol = dominant_eol(data)
    text = eol.join(line.encode() for line in _table(change.owner)) + eol
    after = _parsed(_with_blank(data, eol) + text, was=before)
    owners = before.get("owners", [])
    if not isinstance(owners, list):
        raise _refused("its owners are no list of tables")
    expected = {**before, "owners": [*owners, _plain(change.owner)]}
    if after != expected:
        raise _refused("it would not read back as meant")
    page.insert(len(data), text, lead=Lead.BLANK, bound=False)


def create_root(files: Files, change: CreateRoot) -> None:
    """Write the files of a new root. Raises `RootExists` where one of them is there."""
    for path, text in change.files.items():
        if files.bytes_of(path) is not None or path in files.snapshot.files:
            raise RootExists(
                "A memory root is there already; nothing was written.",
                where=path,
                remedy="Open it, or name another folder.",
            )
        files.page(path).insert(0, text.encode(), bound=False)


def binding_id(root: str) -> str:
    """An id for a root that has none: its folder's name, and a digest of its path, so that two roots differ."""
    name = os.path.basename(root.rstrip("/\\")).lower()
    slug = _NOT_SLUG.sub("-", name).strip("-") or "memory"
    return f"{slug}-{hashlib.sha256(root.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def _table(owner: Owner) -> list[str]:
    user = [f"user = {_string(owner.user)}"] if owner.user is not None else []
    scopes = ", ".join(_string(scope) for scope in owner.scopes)
    return ["[[owners]]", f"name = {_string(owner.name)}", *user, f"scopes = [{scopes}]"]


def _plain(owner: Owner) -> dict[str, object]:
    user = {} if owner.user is None else {"user": owner.user}
    return {"name": owner.name, **user, "scopes": list(owner.scopes)}


def _string(text: str) -> str:
    """`text` as a TOML basic string."""
    return '"' + _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + '"'


def _with_blank(data: bytes, eol: bytes) -> bytes:
    return data if not data or NEWLINE.search(data[-1:]) else data + eol


def _parsed(data: bytes, was: dict[str, object] | None = None) -> dict[str, object]:
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        if was is not None:
            raise _refused("its owners are listed in another form than [[owners]] tables") from error
        raise _refused(f"it does not parse: {error}") from error


def _refused(why: str) -> WriteRefused:
    return WriteRefused(
        f"No owner was added: {why}.", where=BINDING, remedy="Repair the file, or add the [[owners]] table by hand."
    )
