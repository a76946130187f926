"""The semantic tokens that a client has, to tell it what has changed."""

from __future__ import annotations

from itertools import count

# Answers that are kept to tell what has changed. An editor asks for the documents that it shows.
_MOST_KEPT = 32


class TokenMemory:
    """The last answer for each document that one client was given."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[str, list[int]]] = {}
        self._numbers = count(1)
        # Whether the client shows tokens at all, so that it may want to ask again.
        self.asked = False

    def remember(self, uri: str, data: list[int]) -> str:
        """Keeps an answer; gives its id."""
        self.asked = True
        number = str(next(self._numbers))
        self._answers.pop(uri, None)
        self._answers[uri] = number, data
        while len(self._answers) > _MOST_KEPT:
            del self._answers[next(iter(self._answers))]
        return number

    def recall(self, uri: str, number: str) -> list[int] | None:
        """The data of the answer with that id, None where it is not the last one."""
        known = self._answers.get(uri)
        return known[1] if known is not None and known[0] == number else None
