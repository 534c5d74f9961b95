"""The console's own theme, beside those of Textual: for eyes or screens that need all the contrast there is."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

HIGH_CONTRAST = "high-contrast"

OWN = (
    Theme(
        name=HIGH_CONTRAST,
        primary="#ffff00",
        secondary="#00ffff",
        accent="#ffff00",
        warning="#ff9cff",
        error="#ff8080",
        success="#7fff7f",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#000000",
        dark=True,
        text_alpha=1.0,
        variables={
            "text": "#ffffff",
            "text-primary": "#ffff00",
            "text-warning": "#ff9cff",
            "text-error": "#ff8080",
            "text-success": "#7fff7f",
        },
    ),
)
"""Each text colour stands at 7 : 1 or more on black; nothing is dimmed (`tui.widgets.paint`)."""


def names() -> frozenset[str]:
    """The names of all themes."""
    return frozenset({*BUILTIN_THEMES, *(theme.name for theme in OWN)})
