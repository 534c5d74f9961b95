"""Owners are appended to assay.toml, and a new root is laid out over nothing."""

from __future__ import annotations

import tomllib

import pytest

from core.binding import Owner
from core.changes import CreateRoot, DeclareOwner
from core.errors import RootExists, WriteRefused
from stores.markdown.binding_file import parse_binding
from tests.stores.projecting import Root, event

ANA = Owner("ana", "ana", ("*",))
TABLE = '[[owners]]\nname = "ana"\nuser = "ana"\nscopes = ["*"]\n'


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ('[binding]\nid = "r"  # ours\n', f'[binding]\nid = "r"  # ours\n\n{TABLE}'),
        ('[binding]\nid = "r"', f'[binding]\nid = "r"\n\n{TABLE}'),
        (f"{TABLE.replace('ana', 'bob')}\n", f"{TABLE.replace('ana', 'bob')}\n{TABLE}"),
        ("", TABLE),
        ("# only a comment\n\n\n", f"# only a comment\n\n\n{TABLE}"),
    ],
)
def test_an_owner_is_appended_and_nothing_else_changes(before: str, expected: str) -> None:
    assert Root({"assay.toml": before}).after(DeclareOwner(ANA))["assay.toml"] == expected.encode()


def test_line_ends_are_those_of_the_file() -> None:
    before = b'[binding]\r\nid = "r"\r\n'

    written = Root({"assay.toml": before}).after(DeclareOwner(ANA))["assay.toml"]

    assert written == before + b"\r\n" + TABLE.replace("\n", "\r\n").encode()


def test_a_binding_record_is_made_where_there_is_none() -> None:
    written = Root({}).after(DeclareOwner(ANA))["assay.toml"]

    binding, findings = parse_binding("assay.toml", written)
    assert findings == ()
    assert binding.owners == (ANA,)
    assert binding.id.startswith("memory-")
    assert written == Root({}).after(DeclareOwner(ANA), event())["assay.toml"]


def test_a_name_with_quotes_and_controls_reads_back() -> None:
    owner = Owner('an"a\\\n', None, ("topic:a\tb", "subject:部署"))

    written = Root({"assay.toml": ""}).after(DeclareOwner(owner))["assay.toml"]

    assert tomllib.loads(written.decode())["owners"] == [{"name": 'an"a\\\n', "scopes": ["topic:a\tb", "subject:部署"]}]


@pytest.mark.parametrize(
    "before", ['owners = [{name = "bob"}]\n', "[binding\n", b"\xff", 'owners = "bob"\n', "[owners]\nbob = 1\n"]
)
def test_a_file_that_cannot_take_it_is_refused_with_a_remedy(before: str | bytes) -> None:
    with pytest.raises(WriteRefused) as caught:
        Root({"assay.toml": before}).project(DeclareOwner(ANA))
    assert caught.value.where == "assay.toml"
    assert caught.value.remedy


def test_a_new_root_is_laid_out_with_its_first_event() -> None:
    files = {"assay.toml": '[binding]\nid = "r"\n', "memory.md": "# 2026-06-12\n", "index.md": "# Memory Index\n"}

    written = Root({}).after(CreateRoot(files), event("bootstrap"))

    assert {path: written[path].decode() for path in files} == files
    assert set(written) - set(files) == {"log.md", "log/2026-06.jsonl"}


def test_a_root_is_never_laid_out_over_another() -> None:
    with pytest.raises(RootExists) as caught:
        Root({"memory.md": "theirs"}).project(CreateRoot({"memory.md": "# x\n"}))
    assert caught.value.where == "memory.md"
    with pytest.raises(RootExists):
        Root({"README.md": "not governed, but theirs"}).project(CreateRoot({"README.md": ""}))
