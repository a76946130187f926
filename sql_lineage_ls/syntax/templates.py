"""Template tags in SQL text."""

from __future__ import annotations

import re

# A tag's end is looked for with its quotes in mind; farther away than this the first closing brace pair counts, so
# that a file of broken tags stays cheap.
_TAG_REACH = 4_000
_CLOSERS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_TAG_PARTS = {
    "{{": re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\}\}""", re.DOTALL),
    "{%": re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?%\}""", re.DOTALL),
}


def tag_end(text: str, start: int) -> int:
    """The offset behind the template tag that opens at `start`, -1 where it never closes.

    A closing mark inside of a quoted string of the tag does not end it: `{{ f('}}') }}` is one tag.
    """
    opener = text[start : start + 2]
    parts = _TAG_PARTS.get(opener)
    if parts is not None:
        for match in parts.finditer(text, start + 2, start + 2 + _TAG_REACH):
            if match[0][-1] == "}":
                return match.end()
    closer = _CLOSERS[opener]
    end = text.find(closer, start + 2)
    return end + len(closer) if end >= 0 else -1
