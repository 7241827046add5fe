"""What every test shares."""

from pytest_textual_snapshot import SVGImageExtension

# syrupy 5 and later read the public name; the plugin still sets the private one, and writes .raw files without this
SVGImageExtension.file_extension = "svg"
