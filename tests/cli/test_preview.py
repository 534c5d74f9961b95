"""Diffs: the lines around a change, cleaned without losing their place."""

from __future__ import annotations

from core.changes import FileDiff
from core.secrets import mask
from tui.cli.preview import changed_lines, diff_lines


def plain(text: str) -> str:
    return text


def lines(before: bytes | None, after: bytes | None, clean=plain) -> list[str]:
    return list(diff_lines(FileDiff("a.md", before, after), clean))


def test_a_change_with_the_lines_around_it():
    before = b"".join(b"line %d\n" % number for number in range(1, 100))
    assert lines(before, before.replace(b"line 50\n", b"line fifty\n")) == [
        "--- a.md",
        "+++ a.md",
        "@@ -48,5 +48,5 @@",
        " line 48",
        " line 49",
        "-line 50",
        "+line fifty",
        " line 51",
        " line 52",
    ]


def test_a_new_file_and_a_removed_one():
    assert lines(None, b"a\nb\n") == ["--- /dev/null", "+++ a.md", "@@ -0,0 +1,2 @@", "+a", "+b"]
    assert lines(b"a\n", None) == ["--- a.md", "+++ /dev/null", "@@ -1,1 +0,0 @@", "-a"]


def test_repeated_lines_at_the_ends():
    assert lines(b"a\na\na\n", b"a\na\na\na\n")[2:] == ["@@ -2,2 +2,3 @@", " a", " a", "+a"]
    assert changed_lines(FileDiff("a.md", b"a\na\na\n", b"a\na\n")) == (0, 1)


def test_line_ends_and_bytes_are_visible():
    assert lines(b"a\r\n", b"a\n\xff")[2:] == ["@@ -1,1 +1,2 @@", "-a␍", "+a", "+⟨0xFF⟩"]


def test_a_secret_over_several_lines_is_masked_in_each_of_them():
    key = "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75Zr\nabcdefghijk\n-----END PRIVATE KEY-----"
    before = f"{key}\nuser: ana\n".encode()
    shown = lines(before, before.replace(b"ana", b"bob"), mask)
    assert shown[3:] == [" •••", " •••", "-user: ana", "+user: bob"]
    assert lines(before, before.replace(b"ana", b"bob"))[3:5] == [" abcdefghijk", " -----END PRIVATE KEY-----"]


def test_many_lines_are_compared_quickly():
    before = b"".join(b"line %d\n" % (number % 7) for number in range(200_000))
    assert len(lines(before, before + b"new\n")) == 6
