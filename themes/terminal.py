"""Theme without colours of its own: the terminal's sixteen, on its own background.

Grounds are the terminal's, so what must stand out from them is told by reverse, bold and underline too.
"""

from textual.theme import Theme

TERMINAL = Theme(
    name="codecortex-terminal",
    ansi=True,
    primary="ansi_blue",
    secondary="ansi_magenta",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "text-muted": "ansi_default",
        "text-disabled": "ansi_default",
        "primary-muted": "ansi_default",
        "warning-muted": "ansi_default",
        "border": "ansi_blue",
        "border-blurred": "ansi_default",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-text-style": "reverse",
        "block-cursor-blurred-foreground": "ansi_default",
        "block-cursor-blurred-background": "ansi_default",
        "block-cursor-blurred-text-style": "underline",
        "block-hover-background": "ansi_default",
        "footer-key-foreground": "ansi_blue",
        "scrollbar": "ansi_default",
        "scrollbar-hover": "ansi_blue",
        "scrollbar-background": "ansi_default",
        "input-selection-background": "ansi_blue",
        "input-selection-foreground": "ansi_bright_white",
        "screen-selection-background": "ansi_blue",
        "screen-selection-foreground": "ansi_bright_white",
    },
)
"""The terminal's own colours."""
