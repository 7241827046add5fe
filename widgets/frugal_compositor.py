"""A compositor that paints what changed, and nothing beside it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class FrugalCompositor(Compositor):
    """Textual's renders every widget that shares a container with what changed, whole: for a cursor that blinks, all
    lists beside it. This one renders the lines of what changed, of the widgets that are there."""

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
        if self._changed is None:
            return super()._get_renders(crop)
        return chain.from_iterable(
            self._changes_in(widget, region, clip, self._changed)
            for widget, (region, clip) in self.visible_widgets.items()
        )

    def _changes_in(
        self, widget: Widget, region: Region, clip: Region, changed: frozenset[Region]
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        shown = region.intersection(clip)
        lines = [part for each in changed if (part := shown.intersection(each))]
        if lines:
            top, bottom = min(part.y for part in lines), max(part.bottom for part in lines)
            band = Region(shown.x, top, shown.width, bottom - top)
            yield region, band, widget.render_lines(band.translate(-region.offset))
