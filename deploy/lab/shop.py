"""What the orchard sells and to whom. Every request gets a fresh copy, so nothing a visitor does can stay."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

PRODUCTS = (
    ("Bramley", "Cooking apple, sharp, keeps its shape in a pie", "3.20 a kilo", 1),
    ("Conference Pear", "Long, sweet and juicy, picked in October", "3.80 a kilo", 1),
    ("Egremont Russet", "Nutty dessert apple with a rough golden skin", "4.10 a kilo", 1),
    ("Medlar", "Eaten when it looks too late", "5.00 a kilo", 1),
    ("Quince", "Hard, fragrant, for jelly and cheese", "4.60 a kilo", 1),
    ("Cellar reserve 2019", "Not for sale: the family's own cider", "0.00", 0),
)

CUSTOMERS = (
    ("ada@example.com", "Ada Russet", "3 Hedge Row, Appleton", "customer", "golden-delicious"),
    ("ben@example.com", "Ben Quince", "7 Orchard Lane, Perry Green", "customer", "comice"),
    ("grace@example.com", "Grace Costard", "The Press House, Example Orchard", "staff", "cider-press"),
)

INVOICES = (
    (1001, "ada@example.com", "4 kg Egremont Russet", "16.40"),
    (1002, "ben@example.com", "10 kg Bramley, 2 kg Quince", "41.20"),
    (1003, "ada@example.com", "1 kg Medlar", "5.00"),
)

PARCELS = {"EO-1001": "delivered", "EO-1002": "on its way", "EO-1003": "being packed"}


def password_digest(email: str, password: str) -> str:
    """The digest kept in place of a password, as 64 hexadecimal characters."""
    return sha256(f"{email}:{password}".encode()).hexdigest()


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """The shop's database, newly filled and thrown away afterwards."""
    # In memory, since the container's disk is read-only.
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(
            "CREATE TABLE products (name TEXT, note TEXT, price TEXT, on_sale INTEGER);"
            "CREATE TABLE customers (email TEXT, name TEXT, address TEXT, role TEXT, password_digest TEXT);"
            "CREATE TABLE invoices (number INTEGER, email TEXT, goods TEXT, total TEXT);"
        )
        connection.executemany("INSERT INTO products VALUES (?, ?, ?, ?)", PRODUCTS)
        connection.executemany(
            "INSERT INTO customers VALUES (?, ?, ?, ?, ?)",
            [(*person, password_digest(person[0], password)) for *person, password in CUSTOMERS],
        )
        connection.executemany("INSERT INTO invoices VALUES (?, ?, ?, ?)", INVOICES)
        yield connection
    finally:
        connection.close()
