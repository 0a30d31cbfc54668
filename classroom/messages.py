"""The one way in which a command stops: a line that names what, where and the remedy."""


class Stop(Exception):
    """A condition the person at the keyboard can mend. Commands print it and exit with 2."""

    def _render_traceback_(self) -> list[str]:
        """In a notebook, show the sentence instead of our own stack (an IPython convention)."""
        return [str(self)]
