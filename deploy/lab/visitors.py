"""Who is looking at the shop: the log-in page and the signed cookie it gives."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256

from .pages import message, page
from .shop import database, password_digest
from .web import Request, Response, redirect

COOKIE = "session"

# Known to everybody and the same after every restart: a recorded cookie must work for ever, and the
# shop has nothing to protect.
SIGNING_KEY = b"example orchard"


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """Somebody who has logged in."""

    email: str
    name: str
    role: str


def cookie_for(email: str) -> str:
    """The cookie's value for a customer: the address and its signature."""
    return f"{email}.{hmac.new(SIGNING_KEY, email.encode(), sha256).hexdigest()[:32]}"


def visitor(request: Request) -> Visitor | None:
    """Who sent the request; None for a stranger or a forged cookie."""
    value = request.cookies.get(COOKIE, "")
    # From the right, as an address has dots too and a signature has none.
    email = value.rpartition(".")[0]
    if not hmac.compare_digest(value.encode(), cookie_for(email).encode()):
        return None
    with database() as shop:
        row = shop.execute("SELECT email, name, role FROM customers WHERE email = ?", (email,)).fetchone()
    return Visitor(email=row[0], name=row[1], role=row[2]) if row else None


def log_in(request: Request) -> Response:
    """The log-in form, and what it does. The same in both twins."""
    if request.method != "POST":
        return page(
            "Log in",
            '<form action="/login" method="post">'
            '<p><label>E-mail <input name="email"></label></p>'
            '<p><label>Password <input name="password" type="password"></label></p>'
            "<button>Log in</button></form>",
        )
    email, password = request.form.get("email", ""), request.form.get("password", "")
    with database() as shop:
        known = shop.execute(
            "SELECT 1 FROM customers WHERE email = ? AND password_digest = ?",
            (email, password_digest(email, password)),
        ).fetchone()
    if known is None:
        return message("Log in", "That e-mail and password do not go together.", status=401)
    return redirect(303, "/invoice", ("Set-Cookie", f"{COOKIE}={cookie_for(email)}; Path=/; HttpOnly"))
