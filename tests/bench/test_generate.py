"""The generated roots: the same for the same seed, as large and as varied as they are said to be."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

from stores.markdown.reader import Reader
from tests.bench.generate import generate
from tests.bench.prose import LONGEST, Prose


def contents(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_one_size_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    first, again, other = (contents(generate(tmp_path / name, 500, seed=seed)) for name, seed in ("a7", "b7", "c8"))

    assert first == again
    assert first != other


def test_a_root_is_read_without_a_finding_of_its_syntax(tmp_path: Path) -> None:
    snapshot, _ = Reader(str(generate(tmp_path / "root", 1000))).read()

    chinese = [item for item in snapshot.items if re.search(r"[\u4e00-\u9fff]{3}", item.text)]
    assert len(snapshot.items) == 1000
    assert 0.3 <= len(chinese) / 1000 <= 0.37
    assert all(item.id and item.kind and item.status for item in snapshot.items)


def test_sentences_vary_in_words_and_length_and_are_about_as_alike_as_prose_is() -> None:
    prose = Prose(random.Random(1))
    english, chinese = ([make() for _ in range(4000)] for make in (prose.english, prose.chinese))

    lengths = sorted(map(len, english))
    assert (lengths[0] >= 20, lengths[200] < 70, lengths[-200] > 300, lengths[-1] < LONGEST + 200) == (True,) * 4
    assert len(set(english) | set(chinese)) > 7990
    assert len({word for text in english for word in re.findall(r"\w+", text)}) > 3000
    assert 0.35 < alike([text for text in english if 80 <= len(text) < 140]) < 0.45
    assert 0.05 < alike([text for text in chinese if 80 <= len(text) < 140]) < 0.15


def alike(texts: list[str]) -> float:
    """The share of bigrams that two texts have in common, on average."""
    rng = random.Random(2)
    grams = [Counter(zip(text.casefold(), text.casefold()[1:], strict=False)) for text in texts]
    pairs = [rng.sample(grams, 2) for _ in range(500)]
    return sum((a & b).total() / min(a.total(), b.total()) for a, b in pairs) / len(pairs)
