"""Messages for the person at the editor, each said once."""

from __future__ import annotations


class Notices:
    """Collects messages until they are taken."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._said: set[str] = set()

    def say(self, message: str) -> None:
        """Adds a message that was not said before."""
        if message not in self._said:
            self._said.add(message)
            self._waiting.append(message)

    def say_too_large(self, name: str, size: int, limit: int) -> None:
        """Adds that a file is left out for its size."""
        self.say(f"{name} is not analysed: its size of {size:,} is above `max_file_size` ({limit:,}).")

    def say_unknown_dialect(self, name: str, dialect: str) -> None:
        """Adds that a document names a dialect that is none."""
        self.say(f"{name}: its first line names the dialect {dialect!r}, which is none.")

    def take(self) -> tuple[str, ...]:
        """The messages since the last time."""
        waiting, self._waiting = tuple(self._waiting), []
        return waiting
