"""Who acts: the operating-system user at the door, and the owner they may act as (§17)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from core.authority import Actor, Role

if TYPE_CHECKING:
    from core.binding import Binding


def os_user() -> str:
    """The name of the user this process runs as, from the system's own table and not from the environment."""
    if os.name == "posix":
        import pwd

        uid = os.getuid()
        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            return f"uid-{uid}"
    import getpass

    return getpass.getuser()


def actor_for(binding: Binding, user: str) -> Actor:
    """The actor that the operating-system `user` is on a root with `binding`.

    An owner only where the owners that count are pinned on this machine (`owners_state` is `confirmed`, or `changed`
    with the pinned ones counting) and one of them names `user`; else `human:USER`.
    """
    if binding.owners_state in {"confirmed", "changed"}:
        for owner in binding.owners:
            if owner.user is not None and owner.user == user:
                return Actor(Role.OWNER, owner.name)
    return Actor(Role.HUMAN, user)
