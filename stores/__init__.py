"""Bindings of the protocol: where memory lives (§7)."""
