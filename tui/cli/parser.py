"""Reading the command's words: argparse, with errors as `UsageError` and the nearest word for a mistyped one."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from core.errors import UsageError


class Parser(argparse.ArgumentParser):
    """The parser of one command. Options are never abbreviated, and may stand between the items."""

    def __init__(self, command: str, usage: str, description: str, examples: Sequence[str]) -> None:
        lines = "\n".join(f"  assay {example}" for example in examples)
        super().__init__(
            prog=f"assay {command}",
            usage=f"assay {command} {usage}".rstrip(),
            description=description,
            epilog=f"examples:\n{lines}" if examples else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.command = command

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The options and operands in `words`. Raises `UsageError`; `-h` prints the help and raises `SystemExit`."""
        values, unknown = self.parse_known_intermixed_args(list(words))
        if unknown:
            self.error(self._unknown(unknown))
        return values

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` instead of printing the whole usage."""
        raise UsageError(
            f"{message[:1].upper()}{message[1:]}".rstrip(".") + ".",
            where=self.command,
            remedy=f"See `assay {self.command} -h`.",
        )

    def _unknown(self, words: Sequence[str]) -> str:
        word = words[0]
        if not word.startswith("-"):
            return f"nothing is expected at {word!r}"
        known = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        return f"unknown option {word.split('=')[0]}{did_you_mean(word.split('=')[0], known)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` for the nearest of `known`, or ''."""
    near = nearest(word, known)
    return f"; did you mean {near}?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The word of `known` that `word` was most likely meant to be, or None."""
    found = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def token(name: str, values: Iterable[str]) -> Callable[[str], str]:
    """An argparse type: one token of a closed vocabulary, called `name` in messages."""
    known = tuple(values)

    def read(word: str) -> str:
        if word in known:
            return word
        raise argparse.ArgumentTypeError(
            f"{word!r} is no {name}{did_you_mean(word, known)} It is one of {', '.join(known)}"
            if nearest(word, known)
            else f"{word!r} is no {name}: it is one of {', '.join(known)}"
        )

    return read


def add_root(parser: argparse.ArgumentParser) -> None:
    """`--root`."""
    parser.add_argument("--root", metavar="DIR", help="the memory root (else ASSAY_ROOT, else the nearest upwards)")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """The options of every read."""
    add_root(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--reveal", action="store_true", help="show secrets instead of masking them")


def add_writing(parser: argparse.ArgumentParser, *, reason: bool = False) -> None:
    """The options of every write."""
    add_root(parser)
    if reason:
        parser.add_argument("--reason", metavar="TEXT", default="", help="why, for the log")
    parser.add_argument("--dry-run", action="store_true", help="print the plan and write nothing")
    parser.add_argument("--json", action="store_true", help="print the receipt (or the plan) as JSON")
    parser.add_argument("--reveal", action="store_true", help="show secrets in the plan instead of masking them")
