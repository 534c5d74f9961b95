"""Pinned owners: who counts as an owner is what the user confirmed on this machine."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from core.authority import Actor, Role
from core.binding import Binding, Owner
from core.errors import WriteRefused
from stores.configuration import config_folder
from stores.identity import actor_for, os_user
from stores.pins import Pins, owners_digest

ANA = Owner("ana", "ana")
BOB = Owner("bob", "robert", ("topic:deploy",))


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    (tmp_path / "memory").mkdir()
    return Pins(str(tmp_path / "memory"), folder=str(tmp_path / "config"))


def test_no_owners_declared_and_none_pinned_is_none(pins: Pins) -> None:
    assert pins.resolve(Binding(id="r")).owners_state == "none"


def test_declared_owners_are_unconfirmed_until_a_human_confirms_them(pins: Pins) -> None:
    binding = Binding(id="r", owners=(ANA,), declared=True)

    assert pins.resolve(binding).owners_state == "unconfirmed"
    assert pins.resolve(binding).owners == (ANA,)
    assert actor_for(pins.resolve(binding), "ana") == Actor(Role.HUMAN, "ana")

    pins.confirm("r", (ANA,))

    assert pins.resolve(binding).owners_state == "confirmed"
    assert actor_for(pins.resolve(binding), "ana") == Actor(Role.OWNER, "ana")
    assert actor_for(pins.resolve(binding), "mallory") == Actor(Role.HUMAN, "mallory")


def test_the_order_of_owners_and_scopes_does_not_matter(pins: Pins) -> None:
    wide = Owner("cy", None, ("topic:a", "topic:b"))
    pins.confirm("r", (ANA, wide))

    turned = (Owner("cy", None, ("topic:b", "topic:a")), ANA)
    assert pins.resolve(Binding(id="r", owners=turned, declared=True)).owners_state == "confirmed"


@pytest.mark.parametrize(
    "changed",
    [
        Binding(id="r", owners=(ANA, Owner("mallory", "agent")), declared=True),
        Binding(id="r", owners=(Owner("ana", "agent"),), declared=True),
        Binding(id="r", owners=(), declared=True),
        Binding(id="other", owners=(Owner("mallory", "agent"),), declared=True),
        Binding(id="other", owners=(ANA,), declared=True),
        Binding(),
    ],
    ids=["one more", "another user", "none left", "a new id", "a new id, same owners", "no assay.toml"],
)
def test_a_changed_file_grants_nothing_and_the_confirmed_owners_count(pins: Pins, changed: Binding) -> None:
    pins.confirm("r", (ANA,))

    resolved = pins.resolve(changed)

    assert resolved.owners_state == "changed"
    assert resolved.owners == (ANA,)
    assert actor_for(resolved, "agent") == Actor(Role.HUMAN, "agent")
    assert actor_for(resolved, "ana") == Actor(Role.OWNER, "ana")


def test_a_copy_of_the_root_elsewhere_is_unconfirmed(pins: Pins, tmp_path: Path) -> None:
    pins.confirm("r", (ANA,))
    (tmp_path / "copy").mkdir()

    copy = Pins(str(tmp_path / "copy"), folder=str(tmp_path / "config"))

    assert copy.resolve(Binding(id="r", owners=(ANA,), declared=True)).owners_state == "unconfirmed"


def test_a_link_to_the_root_is_the_same_root(pins: Pins, tmp_path: Path) -> None:
    pins.confirm("r", (ANA,))
    (tmp_path / "link").symlink_to(tmp_path / "memory")

    linked = Pins(str(tmp_path / "link"), folder=str(tmp_path / "config"))

    assert linked.resolve(Binding(id="r", owners=(ANA,), declared=True)).owners_state == "confirmed"


def test_an_owner_just_declared_is_pinned_beside_the_confirmed_ones(pins: Pins) -> None:
    assert pins.declare(Binding(), "r", ANA)
    before = pins.resolve(Binding(id="r", owners=(ANA,), declared=True))

    assert pins.declare(before, "r", BOB)
    assert pins.resolve(Binding(id="r", owners=(ANA, BOB), declared=True)).owners_state == "confirmed"


def test_declaring_an_owner_confirms_nobody_else(pins: Pins) -> None:
    mallory = Owner("mallory", "agent")
    unconfirmed = pins.resolve(Binding(id="r", owners=(mallory,), declared=True))
    assert not pins.declare(unconfirmed, "r", ANA)
    assert pins.resolve(Binding(id="r", owners=(mallory, ANA), declared=True)).owners_state == "unconfirmed"

    pins.confirm("r", (ANA,))
    changed = pins.resolve(Binding(id="r", owners=(ANA, mallory), declared=True))
    assert pins.declare(changed, "r", BOB)
    resolved = pins.resolve(Binding(id="r", owners=(ANA, mallory, BOB), declared=True))
    assert (resolved.owners_state, resolved.owners) == ("changed", (ANA, BOB))


def test_the_file_is_for_the_user_alone_and_keeps_other_roots(pins: Pins, tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    second = Pins(str(tmp_path / "second"), folder=str(tmp_path / "config"))
    second.confirm("s", (BOB,))
    pins.confirm("r", (ANA,))

    assert stat.S_IMODE(os.stat(pins.path).st_mode) == 0o600
    assert second.resolve(Binding(id="s", owners=(BOB,), declared=True)).owners_state == "confirmed"
    assert sorted(json.loads(Path(pins.path).read_text())["roots"]) == sorted(
        [os.path.realpath(tmp_path / "memory"), os.path.realpath(tmp_path / "second")]
    )
    assert [name for name in os.listdir(tmp_path / "config") if name.startswith(".owners-")] == []


def test_taking_all_pins_back_leaves_the_declared_ones_unconfirmed(pins: Pins) -> None:
    pins.confirm("r", (ANA,))
    pins.confirm("r", ())

    assert pins.resolve(Binding(id="r", owners=(BOB,), declared=True)).owners_state == "unconfirmed"


def test_a_damaged_pin_file_confirms_nobody_and_is_not_written_over(pins: Pins) -> None:
    pins.confirm("r", (ANA,))
    Path(pins.path).write_text('{"roots": ')

    assert pins.resolve(Binding(id="r", owners=(ANA,), declared=True)).owners_state == "unconfirmed"
    with pytest.raises(WriteRefused, match="cannot be read") as caught:
        pins.confirm("r", (ANA,))
    assert caught.value.where == pins.path
    assert Path(pins.path).read_text() == '{"roots": '


def test_an_entry_that_does_not_fit_its_digest_is_no_pin(pins: Pins) -> None:
    pins.confirm("r", (ANA,))
    text = Path(pins.path).read_text()
    Path(pins.path).write_text(text.replace('"user": "ana"', '"user": "agent"'))

    assert pins.resolve(Binding(id="r", owners=(ANA,), declared=True)).owners_state == "unconfirmed"


def test_a_folder_that_cannot_be_made_is_a_refusal_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked = Pins(str(tmp_path), folder=str(tmp_path / "file" / "config"))

    with pytest.raises(WriteRefused, match="ASSAY_CONFIG_DIR"):
        blocked.confirm("r", (ANA,))


def test_where_the_configuration_is_kept() -> None:
    assert config_folder({"ASSAY_CONFIG_DIR": "/a", "XDG_CONFIG_HOME": "/x"}) == "/a"
    assert config_folder({"XDG_CONFIG_HOME": "/x"}) == os.path.join("/x", "assay")
    assert config_folder({}).endswith("assay")


def test_digests_tell_owners_apart() -> None:
    assert owners_digest((ANA,)) != owners_digest((Owner("ana", None),))
    assert owners_digest((ANA, BOB)) == owners_digest((BOB, ANA))


def test_the_user_is_the_systems_and_not_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os_user()
    monkeypatch.setenv("USER", "mallory")
    monkeypatch.setenv("LOGNAME", "mallory")

    assert os_user() == before != "mallory"
