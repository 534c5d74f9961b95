"""When a topic is to be read (§6, §11): the `triggers` of its frontmatter, in the form that they have there."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import WriteRefused
from stores.markdown.blocks import NEWLINE
from stores.markdown.frontmatter import Frontmatter, find_frontmatter
from stores.markdown.project_files import Files
from stores.markdown.project_page import Page, Rank
from stores.markdown.yaml_read import read_yaml
from stores.markdown.yaml_text import flow_list, scalar


def put_triggers(files: Files, file: str, triggers: Sequence[str]) -> None:
    """Set the triggers of the topic `file`, where it has frontmatter; entries that stay keep their bytes.

    Raises `WriteRefused` where the frontmatter would not read back as meant.
    """
    page = files.page(file)
    if page.document is None or page.document.frontmatter is None:
        return
    frontmatter = page.document.frontmatter
    page.check(frontmatter.inner_end)
    start, end, text = _edit(page, frontmatter, list(triggers))
    page.replace(start, end, text, rank=Rank.OVER if start < end else Rank.WITHIN)
    after = page.data[:start] + text + page.data[end:]
    written = find_frontmatter(after, frontmatter.start)
    expected = {**frontmatter.values, "triggers": tuple(triggers)}
    if written is None or written.error or {**written.values, "triggers": _texts(written)} != expected:
        raise WriteRefused(
            "The triggers cannot be set there so that the frontmatter reads back as meant.",
            where=f"{page.path}:1",
            remedy="Set them in an editor.",
        )


def _edit(page: Page, frontmatter: Frontmatter, triggers: list[str]) -> tuple[int, int, bytes]:
    """What to put in the place of which bytes."""
    data, eol = page.data, page.eol
    raw = data[frontmatter.inner_start : frontmatter.inner_end].decode()
    node = read_yaml(raw).get("triggers") if raw.strip() else None

    def offset(index: int) -> int:
        return frontmatter.inner_start + len(raw[:index].encode())

    if node is None:
        lines = b"".join(b"  - " + scalar(trigger).encode() + eol for trigger in triggers)
        return frontmatter.inner_end, frontmatter.inner_end, b"triggers:" + eol + lines
    start, end = offset(node.start), offset(node.end)
    if isinstance(node.value, list) and not node.flow and node.value:
        return _block(data, [(entry.text(), offset(entry.start), offset(entry.end)) for entry in node.value], triggers)
    if isinstance(node.value, list):
        written = {entry.text(): raw[entry.start : entry.end] for entry in node.value}
        entries = (written.get(trigger) or scalar(trigger, flow=True) for trigger in triggers)
        return start, end, f"[{', '.join(entries)}]".encode()
    if start == end:
        colon = data.rindex(b":", frontmatter.inner_start, start + 1) + 1
        return colon, colon, b"".join(eol + b"  - " + scalar(trigger).encode() for trigger in triggers)
    return start, end, (scalar(triggers[0]) if len(triggers) == 1 else flow_list(triggers)).encode()


def _block(data: bytes, entries: list[tuple[str, int, int]], triggers: list[str]) -> tuple[int, int, bytes]:
    """A list of one entry a line: the lines of entries that stay are taken over."""
    lines: dict[str, bytes] = {}
    first = _line_start(data, entries[0][1])
    stop = first
    for text, start, end in entries:
        line_end = NEWLINE.search(data, end)
        stop = line_end.end() if line_end else len(data)
        lines.setdefault(text, data[_line_start(data, start) : stop])
    lead = data[first : data.index(b"-", first)] + b"- "
    like = NEWLINE.search(data, first)
    eol = like[0] if like else b"\n"
    new = (lines.get(trigger) or lead + scalar(trigger).encode() + eol for trigger in triggers)
    return first, stop, b"".join(new)


def _texts(frontmatter: Frontmatter) -> tuple[str, ...]:
    value = frontmatter.values.get("triggers", ())
    return (value,) if isinstance(value, str) else tuple(value)


def _line_start(data: bytes, offset: int) -> int:
    return max(data.rfind(b"\n", 0, offset), data.rfind(b"\r", 0, offset)) + 1
