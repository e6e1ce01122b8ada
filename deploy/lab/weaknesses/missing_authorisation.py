"""Missing authorisation (CWE-862): the list of all orders is for staff."""

from __future__ import annotations

from ..pages import message, page, table
from ..shop import database
from ..visitors import visitor
from ..web import Request, Response


def vulnerable(request: Request) -> Response:
    """Show the list to whoever knows the address, whoever `request` is from."""
    del request
    return _all_orders()


def fixed(request: Request) -> Response:
    """Show the list to staff who have logged in."""
    person = visitor(request)
    # The same answer to both, so that it tells nobody whose cookie is good.
    if person is None or person.role != "staff":
        return message("All orders", "This page is for staff.", status=403)
    return _all_orders()


def _all_orders() -> Response:
    with database() as shop:
        rows = shop.execute(
            "SELECT number, name, address, goods, total FROM invoices JOIN customers USING (email)"
            " ORDER BY number"
        ).fetchall()
    return page("All orders", table(("Number", "Customer", "Address", "Goods", "Total"), rows))
