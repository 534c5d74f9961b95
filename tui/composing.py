"""The picture of a screen, put together from the front, so that nothing is drawn to be thrown away.

Textual draws every widget whose container touches what changed, each in its whole height, the containers behind the
list once more with every row of it. At a key that was most of what the key cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

Chops = list[dict[int, Strip | None]]
"""By line, the strip that begins at each cut."""


class FrontFirst(Compositor):
    """Asks each widget only for lines of which something is still to be seen, and makes the same picture."""

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        cuts = self.cuts
        chops: Chops = [dict.fromkeys(line[:-1]) for line in cuts]
        left = {
            y: {start for start, end in zip(cuts[y], cuts[y][1:], strict=False) if start < crop.right and end > crop.x}
            for y in crop.line_range
            if is_rendered_line(y)
        }
        for widget, region, seen in self._front_first(crop):
            if not left:
                break
            wanted = [y for y in seen.line_range if y in left and any(seen.x <= x < seen.right for x in left[y])]
            if not wanted:
                continue
            first, rows = wanted[0], wanted[-1] + 1 - wanted[0]
            strips = widget.render_lines(Region(seen.x - region.x, first - region.y, seen.width, rows))
            before: list[int] = []
            for y in wanted:
                if cuts[y] != before:  # most lines are cut like the one above
                    before = cuts[y]
                    at = [cut for cut in before if seen.x <= cut <= seen.right]
                    ends = [cut - seen.x for cut in at[1:]]
                line, missing = chops[y], left[y]
                strip = strips[y - first]
                # Divided into itself, a strip would keep itself alive until garbage is looked for, which holds keys up.
                parts = [strip] if ends == [strip.cell_length] else strip.divide(ends)
                for cut, part in zip(at, parts, strict=False):
                    if line[cut] is None:
                        line[cut] = part
                        missing.discard(cut)
                if not missing:
                    del left[y]
        return cast("Sequence[Mapping[int, Strip]]", chops)

    def _front_first(self, crop: Region) -> Iterator[tuple[Widget, Region, Region]]:
        """The widgets of which something lies in `crop`: each with its place and the part of it that may be seen."""
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if seen and seen.overlaps(crop):
                yield widget, region, seen
