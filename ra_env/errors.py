"""The project's exceptions. Each is a `ValueError`: the input was wrong, nothing was changed."""


class RulesError(ValueError):
    """The game cannot be played with these settings."""


class IllegalAction(ValueError):
    """The action is unknown, or not allowed in this position."""


class RecordError(ValueError):
    """A game record cannot be read or does not replay."""


def shown(value: object) -> str:
    """A value as a message can show it: short, and whatever it is."""
    try:
        text = repr(value)
    except Exception:  # numbers of more than 4300 digits, nesting without end, objects' own faults
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."
