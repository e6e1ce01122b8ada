"""Insecure direct object reference (CWE-639): an invoice is shown by its number."""

from __future__ import annotations

from html import escape

from ..pages import message, page, table
from ..shop import database
from ..visitors import Visitor, visitor
from ..web import Request, Response, redirect


def vulnerable(request: Request) -> Response:
    """Show any invoice to anybody who is logged in."""
    person = visitor(request)
    if person is None:
        return redirect(303, "/login")
    return _invoice(request, person, owners_only=False)


def fixed(request: Request) -> Response:
    """Show an invoice to the customer whose it is."""
    person = visitor(request)
    if person is None:
        return redirect(303, "/login")
    return _invoice(request, person, owners_only=True)


def _invoice(request: Request, person: Visitor, *, owners_only: bool) -> Response:
    number = request.query.get("number", "")
    if not number:
        return _own_invoices(person)
    with database() as shop:
        row = shop.execute(
            "SELECT number, email, name, address, goods, total FROM invoices JOIN customers USING (email)"
            # As text, so that only the number itself is found and not whatever SQLite takes for it.
            " WHERE CAST(number AS TEXT) = ?",
            (number,),
        ).fetchone()
    if row is None:
        return message("Invoice", "There is no such invoice.", status=404)
    _, email, name, address, goods, total = row
    # After the look-up, so that both twins differ in this line only.
    if owners_only and email != person.email:
        return message("Invoice", "This invoice is another customer's.", status=403)
    return page(
        f"Invoice {number}",
        f"<p>For {escape(name)}, {escape(address)}</p>\n" + table(("Goods", "Total"), [(goods, total)]),
    )


def _own_invoices(person: Visitor) -> Response:
    with database() as shop:
        rows = shop.execute(
            "SELECT number, goods, total FROM invoices WHERE email = ? ORDER BY number", (person.email,)
        ).fetchall()
    return page(f"Invoices of {person.name}", table(("Number", "Goods", "Total"), rows))
