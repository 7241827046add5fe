"""A compositor that paints what changed, and nothing beside or behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip


class FrugalCompositor(Compositor):
    """Textual's renders every widget that shares a container with what changed, whole: for a cursor that blinks, all
    lists beside it. This one renders the lines of what changed, of the widgets that can be seen there."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: frozenset[Region] | None = None
        """Of the screen, while some of it is painted; None while all of it is."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """What changed since the last time, to be written to the terminal; None where nothing did."""
        self._changed = frozenset(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = None

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Region, clip region and lines of each widget, the front ones first. Where parts of the screen are painted,
        the clip region is as high as what changed in the widget."""
        return super()._get_renders(crop) if self._changed is None else self._changes(self._changed)

    def _changes(self, changed: Iterable[Region]) -> Iterator[tuple[Region, Region, list[Strip]]]:
        """From front to back, until nothing that changed is left to be seen: a widget paints all of its region."""
        bare = list(changed)
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            parts = [part for each in bare if (part := shown.intersection(each))]
            if parts:
                top, bottom = min(part.y for part in parts), max(part.bottom for part in parts)
                band = Region(shown.x, top, shown.width, bottom - top)
                yield region, band, widget.render_lines(band.translate(-region.offset))
                bare = [rest for each in bare for rest in _without(each, shown)]
                if not bare:
                    return


def _without(region: Region, cover: Region) -> Iterator[Region]:
    """What of a region a cover leaves bare: above it, below it, and on its sides."""
    hidden = region.intersection(cover)
    if not hidden:
        yield region
        return
    sides = (
        (region.x, region.y, region.right, hidden.y),
        (region.x, hidden.bottom, region.right, region.bottom),
        (region.x, hidden.y, hidden.x, hidden.bottom),
        (hidden.right, hidden.y, region.right, hidden.bottom),
    )
    for left, top, right, bottom in sides:
        if left < right and top < bottom:
            yield Region.from_corners(left, top, right, bottom)
