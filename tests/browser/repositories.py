"""Repositories that the page is tried on: one that is good to search, and one that wishes the page ill."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Repo
from tests.surfaces.conftest import build_shop

_MAIL = '''"""Letters to customers."""

from web.session import Session


class Letter:
    """A letter that is not sent yet."""

    def __init__(self, to: str, text: str) -> None:
        self.to = to
        self.text = text

    def send(self) -> bool:
        """Send the letter, and try again when the server is busy."""
        return deliver(self.to, self.text)


class Receipt(Letter):
    """A letter that says what was bought."""

    def total_line(self, prices: list[int]) -> str:
        """The line with the sum of all prices."""
        return f"Total: {sum(prices)}"


def deliver(to: str, text: str) -> bool:
    """Hand a letter to the mail server; waits and retries three times."""
    for attempt in range(3):
        if knock(to, attempt):
            return True
    return False


def knock(to: str, attempt: int) -> bool:
    """Whether the mail server takes it."""
    return attempt > 1 or to.endswith("@example.org")


def greet(session: Session) -> str:
    """Greet a customer by the session's cookie."""
    return session.sign_cookie("hello")
'''
_STOCK = '''"""What is in the warehouse."""


def reserve(item: str, count: int) -> None:
    """Reserve items until the cart is paid."""
    if count < 0:
        raise ValueError("a count cannot be negative")


def release(item: str) -> None:
    """Give reserved items back when a session ends."""


def expired_sessions(now: float) -> list[str]:
    """Sessions whose cookie is too old."""
    return []


def parse_price(text: str) -> int:
    """Read a price in cents out of a text like 12.50."""
    whole, _, cents = text.partition(".")
    return int(whole) * 100 + int(cents or 0)
'''


def build_market(root: Path) -> Repo:
    """The shop of the other surfaces' tests, grown: more code, calls across files, a class that inherits."""
    market = build_shop(root)
    market.commit("Write letters to customers", {"mail/letters.py": _MAIL})
    market.commit("Keep stock of what is reserved", {"warehouse/stock.py": _STOCK})
    patient = _MAIL.replace("retries three times", "retries it three times")
    market.commit("Retry when the mail server is busy", {"mail/letters.py": patient})
    return market


ATTACK = "<img src=x onerror=attacked()>"
_NAMES = (
    f"{ATTACK}.py",
    "'\"><svg onload=attacked()>/<script>attacked()<\\script>.py",
    "javascript:attacked()//cookie.py",
    "${attacked()}`{{attacked()}}.py",
    "a&lt;b&gt;c&amp;#x27;cookie.py",
    "tail\u202eyp.eikooc.py",
    "data:text/html,<script>attacked()<-script>.py",
    "#q=cookie&pick=other:1-2.py",
)
_BODY = '''# </script></code></pre><script>attacked()</script> cookie
def cookie_{number}(value="</textarea><img src=x onerror=attacked()>"):
    """<style>*{{display:none}}</style> the session cookie ]]> --> <iframe srcdoc='<script>attacked()</script>'>"""
    return cookie_{next}(value)  # \u202e \x1b[31m {{{{constructor.constructor('attacked()')()}}}}


class Cookie_{number}(Cookie_{next}):
    """&lt;b&gt; javascript:attacked()"""
'''


def build_hostile(root: Path) -> Repo:
    """A repository whose names, contents, messages and authors are full of markup and script."""
    hostile = Repo(root / f"{ATTACK.replace('/', '')}")
    for number, name in enumerate(_NAMES):
        text = _BODY.format(number=number, next=(number + 1) % len(_NAMES))
        hostile.write(name, text)
        hostile.git("config", "user.name", f"{ATTACK} & <b>Eve</b>")
        hostile.commit(f"{ATTACK} <script>attacked()</script> sign the cookie {number} \u202e ](javascript:attacked())")
    hostile.commit(b"bytes", {})
    raw = root / hostile.root.name
    with open(bytes(raw) + b"/caf\xe9 <b>cookie.py", "wb") as stream:
        stream.write(b'def raw_cookie():\n    """Sign the cookie."""\n    return "<b>"\n')
    hostile.commit(f"Sign the cookie raw {ATTACK}")
    return hostile
