"""Strings shaped like credentials: found, masked, and nothing else (§3, §18). All of them are invented."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.secrets import _ASSIGNED, _SHAPES, MASK, find_secrets, mask, may_hold_secrets

B64 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789"


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("Deploy key is AKIAIOSFODNN7EXAMPLE. Subject: deploy:key.", "AKIAIOSFODNN7EXAMPLE", "aws-access-key"),
        ("password = hunter2-not-real. Subject: db:password.", "hunter2-not-real", "password"),
        ("uses ghp_" + B64[:36] + " for CI", "ghp_" + B64[:36], "github-token"),
        ("github_pat_11ABC_" + B64, "github_pat_11ABC_" + B64, "github-token"),
        ("glpat-" + B64[:20], "glpat-" + B64[:20], "gitlab-token"),
        ("xoxb-123456789012-" + B64[:24], "xoxb-123456789012-" + B64[:24], "slack-token"),
        ("OPENAI: sk-proj-" + B64, "sk-proj-" + B64, "openai-key"),
        ("sk-ant-api03-" + B64, "sk-ant-api03-" + B64, "anthropic-key"),
        ("AIza" + B64[:35], "AIza" + B64[:35], "google-key"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "jwt"),
        ("postgres://app:s3cr3t@db.internal/app", "s3cr3t", "connection-password"),
        ("redis://:s3cr3t@cache:6379", "s3cr3t", "connection-password"),
        ("Authorization: Bearer " + B64, B64, "bearer-token"),
        ('DB_PASSWORD="correct horse"', "correct horse", "password"),
        ("the password = swordfish for now", "swordfish", "password"),
        ("db_passwd: tr0ub4dor&3,", "tr0ub4dor&3", "password"),
        ("api_key=" + B64[-20:], B64[-20:], "key"),
        ("client_secret => 9f8e7d6c5b4a", "9f8e7d6c5b4a", "password"),
        ("token: 0123456789abcdef", "0123456789abcdef", "token"),
        ("数据库密码：hunter2不是真的", "hunter2不是真的", "password"),
    ],
)
def test_a_credential_is_found_whole(text: str, secret: str, kind: str) -> None:
    start = text.index(secret)
    assert find_secrets(text) == ((start, start + len(secret), kind),)
    masked = mask(text)
    assert secret not in masked
    assert masked.startswith(text[: start + 2])
    assert MASK in masked


PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----"


def test_a_private_key_is_one_secret_over_its_lines() -> None:
    assert find_secrets(f"key:\n{PEM}\nend") == ((5, 5 + len(PEM), "private-key"),)
    assert mask(f"key:\n{PEM}\nend") == f"key:\n----{MASK}\nend"


@pytest.mark.parametrize(
    "text",
    [
        "The password is rotated monthly.",
        "password: see the vault",
        "password: required",
        "password = <from the vault>",
        "password=${DB_PASSWORD}",
        "password = None",
        "password: ********",
        "token = os.environ['TOKEN']",
        "token = request.headers.get(name)",
        "password = load_password(user2)",
        "password = settings.database.password",
        "max_tokens = 4096",
        "token: 40960000",
        "tokens: 128000 per minute",
        "The secret: always write tests.",
        "Ask for the API key: ana has it.",
        "Subject: db:password. Source: chat.",
        "compass: north-2026",
        "https://example.com:8080/@ana",
        "see https://ana@example.com/x",
        "postgres://app:<password>@db/app",
        "AKIA is how access keys begin.",
        "sk-learn and sk-video are packages",
        "commit 3f2a9c1d5e7b8a6f4c2d1e0f9a8b7c6d5e4f3a2b",
        "mem-2026-05-20-001 rests on archive/2026-05-20.md#run-7",
        "令牌：见文档",
    ],
)
def test_prose_and_placeholders_are_no_credentials(text: str) -> None:
    assert find_secrets(text) == ()
    assert mask(text) == text


def test_two_secrets_keep_what_stands_between_them() -> None:
    assert mask("password=abcdefgh1, then AKIAIOSFODNN7EXAMPLE!") == f"password=ab{MASK}, then AKIA{MASK}!"


def test_overlapping_spans_are_masked_together() -> None:
    assert mask("0123456789abcdef", [(4, 12, "a"), (0, 8, "b"), (2, 4, "c")]) == f"012{MASK}cdef"


@given(st.text(alphabet=st.sampled_from("passwordtokensk-=: _eyJ.AKIA0z\n@/"), max_size=200))
def test_spans_are_in_order_disjoint_and_inside(text: str) -> None:
    at = 0
    for start, end, kind in find_secrets(text):
        assert at <= start < end <= len(text)
        assert kind
        at = end


@pytest.mark.parametrize(
    "unit", ["a_", "password", "eyJ", "sk-", "a://b:", "-----BEGIN PRIVATE KEY-----", "password= "]
)
def test_a_very_long_line_takes_no_longer_than_its_length_asks(unit: str) -> None:
    def seconds(length: int) -> float:
        begin = time.process_time()
        find_secrets(unit * (length // len(unit)))
        return time.process_time() - begin

    assert min(seconds(80_000) for _ in range(2)) < 12 * max(min(seconds(20_000) for _ in range(2)), 0.002)


@given(st.one_of(*(st.from_regex(pattern) for _, _, pattern in _SHAPES), st.from_regex(_ASSIGNED)))
def test_the_fast_look_overlooks_no_shape(text: str) -> None:
    assert may_hold_secrets(text)
    assert may_hold_secrets(f"before\n{text}\nafter")


@pytest.mark.parametrize("name", ["paſsword", "SECRET", "to\N{KELVIN SIGN}en", "密钥"])
def test_the_fast_look_knows_names_in_every_case(name: str) -> None:
    assert bool(_ASSIGNED.search(f"{name}=hunter2hunter2")) <= may_hold_secrets(f"{name}=hunter2hunter2")


def test_the_fast_look_passes_over_prose() -> None:
    assert not may_hold_secrets("The gateway drops long headers; archive/2026-05-20.md#run-7 says why.")
