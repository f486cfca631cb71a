"""Make the small git repository that the tour searches: python docs/tour/make_shop.py shop.

Authors and dates are fixed, so its commits have the same ids everywhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SESSIONS = '''"""Sessions of the shop: who is logged in, and what is in the cart."""

import hashlib
import hmac


class SessionError(Exception):
    """A session that cannot be trusted."""


class Session:
    """What a customer did so far."""

    def __init__(self, app, secret=None):
        self.app = app
        self.secret = secret

    def sign_cookie(self, value):
        """Add a signature to the session cookie."""
        return value

    def load(self, cookie):
        """Read the session out of a cookie."""
        return dict(part.split("=") for part in cookie.split(";"))
'''
UNSIGNED = "        return value\n"
SIGNED = """        if not self.secret:
            raise SessionError(f"no secret key was set for app {self.app}")
        digest = hmac.new(self.secret, value.encode(), hashlib.sha256)
        return f"{value}.{digest.hexdigest()}"
"""
PRICES = '''"""Prices in cents, as people write them."""


def parse_price(text):
    """Read a price such as 12.50 as cents."""
    whole, _, cents = text.partition(".")
    return int(whole) * 100 + int(cents or 0)


def format_price(cents):
    """Write cents as a price such as 12.50."""
    return f"{cents // 100}.{cents % 100:02}"
'''
ROUNDING = '''

def round_cents(amount):
    """Round half a cent up."""
    return int(amount + 0.5)
'''
CHECKOUT = '''"""From a full cart to a paid order."""

from shop.mail import Receipt
from shop.prices import parse_price


class Checkout:
    """One customer who pays."""

    def __init__(self, session, prices):
        self.session = session
        self.prices = prices

    def total(self, tax=0.19):
        """The sum of all prices, with tax, in cents."""
        net = sum(parse_price(price) for price in self.prices)
        return net * (1 + tax)

    def pay(self, card):
        """Charge the card and send a receipt."""
        card.charge(self.total())
        Receipt(card.owner, self.total()).send()
'''
MAIL = '''"""Letters to customers."""

import smtplib


class Letter:
    """A letter that is not sent yet."""

    def __init__(self, to, text):
        self.to = to
        self.text = text

    def send(self):
        """Hand the letter to the mail server."""
        smtplib.SMTP("localhost").sendmail("shop@example.org", self.to, str(self.text))


class Receipt(Letter):
    """A letter that says what was paid."""
'''
ONCE = """        smtplib.SMTP("localhost").sendmail("shop@example.org", self.to, str(self.text))
"""
AGAIN = """        for attempt in range(3):
            try:
                smtplib.SMTP("localhost").sendmail("shop@example.org", self.to, str(self.text))
                return
            except smtplib.SMTPServerDisconnected:
                continue
"""
CART = """export class Cart {
  constructor() {
    this.items = [];
  }

  addItem(item) {
    this.items.push(item);
  }

  total() {
    return this.items.reduce((sum, item) => sum + item.price, 0);
  }
}
"""
COOKIES = '''"""A parser of cookies, copied from elsewhere."""


def parse_cookie(header):
    """Split a Cookie header into names and values."""
    return dict(pair.strip().split("=", 1) for pair in header.split(";"))
'''
TEST_PRICES = """from shop.prices import format_price, parse_price


def test_a_price_survives_the_round_trip():
    assert format_price(parse_price("12.50")) == "12.50"
"""
TEST_SESSIONS = """from shop.sessions import Session


def test_the_cookie_is_signed():
    assert Session("shop", b"key").sign_cookie("cart=3").startswith("cart=3.")
"""
ADA, GRACE, ALAN = "Ada <ada@example.org>", "Grace <grace@example.org>", "Alan <alan@example.org>"


def main(folder: Path) -> None:
    """Make it, in a folder that does not exist yet."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main", "--object-format=sha1", "--template=")
    git(folder, "config", "maintenance.auto", "false")
    commit(folder, ADA, "2024-01-08", "Begin the shop", {"README.md": "# Shop\n\nSells books.\n"})
    commit(folder, ADA, "2024-01-15", "Keep sessions in a cookie", {"shop/sessions.py": SESSIONS})
    commit(
        folder,
        GRACE,
        "2024-01-22",
        "Parse and format prices",
        {"shop/prices.py": PRICES, "tests/test_prices.py": TEST_PRICES},
    )
    commit(
        folder,
        ADA,
        "2024-02-05",
        "Check out: charge the card, send a receipt",
        {"shop/checkout.py": CHECKOUT, "shop/mail.py": MAIL},
    )
    git(folder, "tag", "v1.0")
    signed = SESSIONS.replace(UNSIGNED, SIGNED)
    message = "Sign the session cookie (#12)\n\nAnybody could change the cart that is in it."
    commit(folder, GRACE, "2024-03-04", message, {"shop/sessions.py": signed, "tests/test_sessions.py": TEST_SESSIONS})
    rounded = CHECKOUT.replace("parse_price\n", "parse_price, round_cents\n")
    rounded = rounded.replace("net * (1 + tax)", "round_cents(net * (1 + tax))")
    files = {"shop/prices.py": PRICES + ROUNDING, "shop/checkout.py": rounded}
    commit(folder, ALAN, "2024-03-18", "Round the total to whole cents (#17)", files)
    commit(folder, ADA, "2024-04-02", "Show the cart's total in the browser", {"web/cart.js": CART})
    again = MAIL.replace(ONCE, AGAIN)
    commit(folder, ALAN, "2024-05-06", "Send a letter again if the mail server hangs up", {"shop/mail.py": again})
    commit(folder, GRACE, "2024-06-10", "Copy a parser of cookies", {"vendor/cookies.py": COOKIES})


def commit(folder: Path, author: str, day: str, message: str, files: Mapping[str, str]) -> None:
    """Write files and commit them as somebody, at noon of a day."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, "utf-8", newline="\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--no-gpg-sign", "--message", message, author=author, day=day)


def git(folder: Path, *arguments: str, author: str = ADA, day: str = "2024-01-01") -> None:
    """Run git there, without the user's own settings."""
    name, _, address = author.removesuffix(">").partition(" <")
    environment = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("AUTHOR", "COMMITTER"):
        values = {"NAME": name, "EMAIL": address, "DATE": f"{day}T12:00:00+00:00"}
        environment |= {f"GIT_{role}_{field}": value for field, value in values.items()}
    subprocess.run(["git", *arguments], cwd=folder, env=os.environ | environment, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
