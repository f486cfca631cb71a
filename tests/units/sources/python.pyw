"""A module."""
import os

LIMIT = 10


# Adds.
def add(a, b):
    def inner(x):
        return x

    class Local:
        def method(self):
            return 1

    return inner(a) + b


@decorator
# Between.
@other(
    name="x",
)
async def run(*args):
    """Runs."""
    return [item for item in args]


class Shape(Base, metaclass=Meta):
    # Makes one.
    def __init__(self, size: int) -> None:
        self.size = size
        self.callback = lambda: size

    @property
    def width(self) -> int:
        return self.size

    @width.setter
    def width(self, value: int) -> None:
        self.size = value

    @staticmethod
    def parse(text): return Shape(int(text))

    class Meta:
        ordering = ["size"]


@dataclass
class Point:
    x: int = 0


if os.name == "nt":

    def windows() -> bool:
        return True

square = lambda x: x * x  # noqa: E731
