"""Every feature at the tokens of the example workspace: nothing raises, and every place is one.

A sample in a test run; `SWEEP=1` asks at every token, and `python -m tests.support.sweep FOLDER` in a folder of yours.
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.sweep import AT_TOKEN, OF_DOCUMENT, open_folder, sweep

_EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
_EVERY = int(os.environ.get("SWEEP", "9"))


def test_every_feature_at_the_tokens_of_the_examples() -> None:
    found = sweep(open_folder(_EXAMPLES), _EVERY)
    assert not found.failures, found.failures[0]
    # Every feature was asked, and answered in time for somebody who waits.
    assert found.slowest.keys() >= {*AT_TOKEN, *OF_DOCUMENT, "workspace symbols"}
    assert found.asked > 1_000
