"""init and owner: laying out a root (§7.3) and naming who owns its scopes."""

from __future__ import annotations

import re

from core.authority import Role, Tier
from core.binding import Owner
from core.changes import CreateRoot, DeclareOwner
from core.commands.draft import Context, Draft
from core.errors import NotAuthorised, Refused, RootExists
from core.places import BINDING, CONVENTIONS, INBOX, INDEX
from core.requests import Init, NameOwner
from core.vocabulary import EventType, Level

_NAME = re.compile(r"[^\W_][\w.-]{0,63}\Z")


def draft_owner(request: NameOwner, context: Context) -> Draft:
    """Name an owner: anybody human where there is none, else an owner of `*` alone."""
    binding = context.reading.snapshot.binding
    _check_name(request.name)
    if any(owner.name == request.name for owner in binding.owners):
        raise Refused(f"{request.name} is an owner already.", where=BINDING)
    if binding.owners:
        named = next((owner for owner in binding.owners if owner.name == context.actor.name), None)
        if context.actor.role is not Role.OWNER or named is None or "*" not in named.scopes:
            raise NotAuthorised(
                "Only an owner of * names another owner.",
                where=BINDING,
                remedy=f"Who may: {', '.join(o.name for o in binding.owners if '*' in o.scopes) or 'nobody'}.",
            )
    owner = Owner(request.name, request.user, request.scopes)
    scopes = ", ".join(request.scopes)
    return Draft(
        title=f"Name {request.name} an owner of {scopes}",
        verb="Name owner",
        tier=Tier.PLAN,
        event_type=EventType.REVIEW.value,
        summary=f"owner {request.name} of {scopes}, acting as user {request.user}",
        changes=(DeclareOwner(owner),),
        lines=(),
        undo="Not undone with undo: edit assay.toml, then confirm the owners.",
        warnings=(f"{request.name} may withdraw, reinstate and approve within {scopes}.",),
        reads={"owners": repr(binding.owners)},
        human_only=True,
    )


def draft_init(request: Init, context: Context) -> Draft:
    """A new root; never over an existing one."""
    snapshot = context.reading.snapshot
    if snapshot.files:
        raise RootExists(
            "There is a memory root here already; nothing was written.",
            where=snapshot.root,
            remedy="Open it, or name another folder.",
        )
    files = _files(request, context)
    return Draft(
        title="Lay out a new memory root",
        verb="Create",
        tier=Tier.FREE,
        event_type=EventType.BOOTSTRAP.value,
        summary=f"root laid out, {Level.L1}",
        changes=(CreateRoot(files),),
        lines=(),
        undo="Not undone with undo: remove the folder.",
    )


def _files(request: Init, context: Context) -> dict[str, str]:
    name = "/".join(context.reading.snapshot.root.replace("\\", "/").strip("/").split("/")[-2:])
    binding = (
        f'[binding]\nid = "{_toml(name)}"\nprotocol = "memory"\nversion = "0.2.0"\nlevel = "{Level.L1}"\n'
        f'timezone = "{_toml(request.timezone)}"\n'
    )
    if request.owner is not None:
        _check_name(request.owner)
        user = f'user = "{_toml(request.user)}"\n' if request.user else ""
        binding += f'\n[[owners]]\nname = "{request.owner}"\n{user}scopes = ["*"]\n'
    return {
        BINDING: binding,
        "README.md": (
            "# Memory\n\nA memory root of the protocol `memory` 0.2.0. Read `index.md` first; obey `## Withdrawn` "
            "there; add to `memory.md` only.\n"
        ),
        CONVENTIONS: "# Conventions\n",
        INBOX: f"# {context.today}\n",
        INDEX: "# Memory Index\n\n## Recent Activity\n\n## Topic Map\n\n## Pending Cleanup\n",
    }


def _check_name(name: str) -> None:
    if not _NAME.match(name):
        raise Refused(f"{name!r} is no owner's name.", remedy="Use letters, digits, dots and hyphens, at most 64.")


def _toml(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
