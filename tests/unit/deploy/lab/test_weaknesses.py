"""Each weakness is there in the vulnerable twin, gone in the fixed one, and the page works in both."""

from __future__ import annotations

import re

import pytest

from .conftest import Shop

STEAL_DIGESTS = "' UNION SELECT email, password_digest, role FROM customers -- "
SCRIPT = '<script>alert("orchard")</script>'
DIGEST = re.compile(r"grace@example\.com</td><td>[0-9a-f]{64}<")


class TestSqlInjection:
    def test_a_union_reads_the_customers(self, vulnerable: Shop) -> None:
        assert DIGEST.search(vulnerable.get("/search", q=STEAL_DIGESTS).body)

    def test_is_gone(self, fixed: Shop) -> None:
        answer = fixed.get("/search", q=STEAL_DIGESTS)
        assert answer.status == 200
        assert "No fruit of that name" in answer.body

    def test_a_broken_statement_is_told(self, vulnerable: Shop) -> None:
        assert "Database error" in vulnerable.get("/search", q="'").body

    def test_a_second_statement_changes_nothing(self, vulnerable: Shop) -> None:
        assert vulnerable.get("/search", q="'; DROP TABLE products; -- ").status == 500
        assert "Egremont Russet" in vulnerable.get("/search").body

    def test_search_works(self, either: Shop) -> None:
        body = either.get("/search", q="russet").body
        assert "Egremont Russet" in body
        assert "Bramley" not in body

    def test_what_is_not_on_sale_is_not_shown(self, either: Shop) -> None:
        assert "Cellar reserve" not in either.get("/search").body


class TestCrossSiteScripting:
    def test_markup_comes_back_alive(self, vulnerable: Shop) -> None:
        answer = vulnerable.get("/track", order=SCRIPT)
        assert answer.headers["Content-Type"].startswith("text/html")
        assert SCRIPT in answer.body

    def test_is_gone(self, fixed: Shop) -> None:
        answer = fixed.get("/track", order=SCRIPT)
        assert answer.status == 200
        assert SCRIPT not in answer.body
        assert "We know of no parcel &lt;script&gt;" in answer.body

    def test_tracking_works(self, either: Shop) -> None:
        assert "Parcel EO-1002 is on its way." in either.get("/track", order="EO-1002").body


class TestPathTraversal:
    def test_leads_out_of_the_shelf(self, vulnerable: Shop) -> None:
        assert "Alarm code" in vulnerable.get("/guide", file="../private/press-house.txt").body

    def test_leads_to_any_file(self, vulnerable: Shop) -> None:
        assert vulnerable.get("/guide", file="/etc/passwd").body.startswith("root:")

    @pytest.mark.parametrize("name", ["../private/press-house.txt", "/etc/passwd", "./storing-pears.txt"])
    def test_is_gone(self, fixed: Shop, name: str) -> None:
        assert fixed.get("/guide", file=name).status == 404

    def test_a_guide_can_be_read(self, either: Shop) -> None:
        assert "storing-pears.txt" in either.get("/guide").body
        assert "ripe for one day" in either.get("/guide", file="storing-pears.txt").body

    @pytest.mark.parametrize("name", ["no-such.txt", "..", "\0"])
    def test_a_missing_guide_is_told(self, either: Shop, name: str) -> None:
        assert either.get("/guide", file=name).status == 404


class TestInsecureReference:
    def test_another_customers_invoice_is_shown(self, vulnerable: Shop) -> None:
        ada = vulnerable.log_in("ada@example.com", "golden-delicious")
        assert "Ben Quince, 7 Orchard Lane" in vulnerable.get("/invoice", cookie=ada, number="1002").body

    def test_is_gone(self, fixed: Shop) -> None:
        ada = fixed.log_in("ada@example.com", "golden-delicious")
        answer = fixed.get("/invoice", cookie=ada, number="1002")
        assert answer.status == 403
        assert "Ben Quince" not in answer.body

    def test_the_own_invoices_are_shown(self, either: Shop) -> None:
        ada = either.log_in("ada@example.com", "golden-delicious")
        assert "Invoices of Ada Russet" in either.get("/invoice", cookie=ada).body
        assert "16.40" in either.get("/invoice", cookie=ada, number="1001").body

    def test_a_stranger_is_sent_to_the_log_in(self, either: Shop) -> None:
        answer = either.get("/invoice", number="1001")
        assert (answer.status, answer.headers["Location"]) == (303, "/login")

    def test_a_forged_cookie_is_a_stranger(self, either: Shop) -> None:
        assert either.get("/invoice", cookie="session=ada@example.com.0", number="1001").status == 303

    def test_an_unknown_invoice_is_told(self, either: Shop) -> None:
        ada = either.log_in("ada@example.com", "golden-delicious")
        assert either.get("/invoice", cookie=ada, number="9999").status == 404


class TestMissingAuthorisation:
    def test_a_stranger_sees_all_orders(self, vulnerable: Shop) -> None:
        assert "Ben Quince" in vulnerable.get("/admin/orders").body

    def test_is_gone(self, fixed: Shop) -> None:
        ada = fixed.log_in("ada@example.com", "golden-delicious")
        assert fixed.get("/admin/orders").status == 403
        assert fixed.get("/admin/orders", cookie=ada).status == 403

    def test_staff_see_all_orders(self, either: Shop) -> None:
        grace = either.log_in("grace@example.com", "cider-press")
        assert "Ben Quince" in either.get("/admin/orders", cookie=grace).body


class TestOpenRedirect:
    def test_leads_to_another_host(self, vulnerable: Shop) -> None:
        answer = vulnerable.get("/go", to="https://elsewhere.example.net/")
        assert (answer.status, answer.headers["Location"]) == (302, "https://elsewhere.example.net/")

    @pytest.mark.parametrize(
        "target",
        ["https://elsewhere.example.net/", "//elsewhere.example.net", "/\\elsewhere.example.net", ""],
    )
    def test_is_gone(self, fixed: Shop, target: str) -> None:
        answer = fixed.get("/go", to=target)
        assert answer.status == 400
        assert "Location" not in answer.headers

    def test_leads_to_own_pages(self, either: Shop) -> None:
        answer = either.get("/go", to="/guide")
        assert (answer.status, answer.headers["Location"]) == (302, "/guide")

    def test_adds_no_header(self, vulnerable: Shop) -> None:
        answer = vulnerable.get("/go", to="/\r\nX-Added: yes")
        assert "X-Added" not in answer.headers
