"""When two texts say the same (§12.2): the form they are compared in, and a short print of it."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b


def fold_text(text: str) -> str:
    """The form in which texts are compared for saying the same: NFKC, caseless, single blanks, no final stop."""
    if text.isascii():
        return " ".join(text.lower().split()).rstrip(". ")
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".。 ")


def print_of(folded: str) -> str:
    """16 hexadecimal digits that tell a folded text from others. Texts with the same print are still to be compared."""
    return blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
