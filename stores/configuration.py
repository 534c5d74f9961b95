"""Where the user's own configuration lies on this machine, outside every root."""

from __future__ import annotations

import os
from collections.abc import Mapping

PINS_FILE = "owners.json"
"""The owners that count (`stores.pins`)."""


def config_folder(environ: Mapping[str, str] = os.environ) -> str:
    """The folder: `ASSAY_CONFIG_DIR`, `XDG_CONFIG_HOME/assay`, the platform's own."""
    if explicit := environ.get("ASSAY_CONFIG_DIR"):
        return explicit
    if shared := environ.get("XDG_CONFIG_HOME"):
        return os.path.join(shared, "assay")
    from platformdirs import user_config_dir

    return user_config_dir("assay")


def pins_path(folder: str | None = None) -> str:
    """The file that the pins are kept in, in `folder` (None: `config_folder()`)."""
    return os.path.join(folder or config_folder(), PINS_FILE)
