"""The one table of screens. A new screen is one file, and one row here.

The rail names the screens before their code is needed, so a row says where it is and `load_pages` brings it in.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tui.page import Page


class ScreenRow(NamedTuple):
    """One screen: its number and names, and the class that draws it, as `module:class` below `tui.screens`."""

    number: int
    title: str
    short: str
    where: str

    def load(self) -> type[Page]:
        """The class."""
        module, _, name = self.where.partition(":")
        page: type[Page] = getattr(import_module(f"tui.screens.{module}"), name)
        return page


SCREENS: tuple[ScreenRow, ...] = (
    ScreenRow(1, "Index", "Index", "index:IndexPage"),
    ScreenRow(2, "Review", "Review", "review:ReviewPage"),
    ScreenRow(3, "Conflicts", "Conf", "conflicts:ConflictsPage"),
    ScreenRow(4, "Duplicates", "Dup", "duplicates:DuplicatesPage"),
    ScreenRow(5, "Withdrawals", "Withd", "withdrawals:WithdrawalsPage"),
    ScreenRow(6, "Proposals", "Prop", "proposals:ProposalsPage"),
    ScreenRow(7, "Erasures", "Eras", "erasures:ErasuresPage"),
    ScreenRow(8, "Log", "Log", "log:LogPage"),
    ScreenRow(9, "Health", "Health", "health:HealthPage"),
)
"""In the order of the rail; the first one opens first."""

NUMBERS = frozenset(row.number for row in SCREENS)


def load_pages() -> None:
    """Bring in the code of every screen, so that none of them makes a key wait."""
    for row in SCREENS:
        row.load()


def title_of(number: int) -> str:
    """The title of a screen."""
    return next(row.title for row in SCREENS if row.number == number)


def titles(numbers: tuple[int, ...]) -> str:
    """The titles of the screens that there are among `numbers`, for a sentence."""
    return ", ".join(row.title for row in SCREENS if row.number in numbers)
