"""The project's exceptions. Each is a `ValueError`: the input was wrong, nothing was changed."""


class RulesError(ValueError):
    """The game cannot be played with these settings."""


class IllegalAction(ValueError):
    """The action is unknown, or not allowed in this position."""


class RecordError(ValueError):
    """A game record cannot be read or does not replay."""
