"""Same-length rewrites of syntax that the grammar refuses, over text without strings and comments.

Names are never read from the rewritten words: each rewrite leaves names and types where they were.
"""

from __future__ import annotations

import re

EXTENSION_NAME = b"ext"
"""The class name that an `extension` block is given: `extension(` becomes `class ext(`."""

_EXTENSION = re.compile(rb"(?<=[;{}\]\s])extension(?=\s*(?:<[^(){}]*>\s*)?\()")
_REF_PARTIAL = re.compile(rb"\bref(\s+)partial(?=\s+struct\b)")
_ALLOWS_REF = re.compile(rb"\ballows\s+ref\s+struct\b")
_COMPOUND_OPERATOR = re.compile(rb"\boperator(\s+(?:checked\s+)?)(\+|-|\*|/|%|&|\||\^|<<|>>>|>>)=(?=\s*\()")
_INCREMENT = re.compile(rb"\bvoid(\s+operator\s+(?:checked\s+)?(?:\+\+|--)\s*\(\s*\))")
_TARGETED_COLLECTION = re.compile(rb"([=>(,]\s*)\[(?=[^\[\]{};]*\]\s*[;,)])[^\[\]{};]*\]")
_CONTEXTUAL_NAME = re.compile(
    rb"(?<=[\w>\]?] )(async|await|partial|required|scoped|file|field|record)(?=\s*[;,)=])"
)
_EMPTY_RECORD_LIST = re.compile(rb"\brecord(\s+)(?=class\b)")
_BARE_SWITCH = re.compile(rb"\bswitch\s*\{\s*\}")
_CONDITIONAL_ASSIGNMENT = re.compile(rb"\?\.(?=\s*\w+\s*=[^=>])")


def rewritten(text: bytes) -> bytes:
    """`text` with every known refused construct replaced at equal length."""
    text = _EXTENSION.sub(b"class " + EXTENSION_NAME, text)
    text = _REF_PARTIAL.sub(rb"partial\1ref", text)
    text = _ALLOWS_REF.sub(lambda m: b"class".ljust(len(m[0])), text)
    text = _COMPOUND_OPERATOR.sub(lambda m: b"operator" + m[1] + m[2] + b" ", text)
    text = _TARGETED_COLLECTION.sub(lambda m: m[1] + b"0".ljust(len(m[0]) - len(m[1])), text)
    text = _CONTEXTUAL_NAME.sub(lambda m: b"x" * len(m[0]), text)
    text = _EMPTY_RECORD_LIST.sub(rb"record\1", text)
    text = _BARE_SWITCH.sub(lambda m: b"switch{_=>0}".ljust(len(m[0])) if len(m[0]) > 11 else m[0], text)
    return _CONDITIONAL_ASSIGNMENT.sub(b" .", text)
