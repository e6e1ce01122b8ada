"""Example Orchard: a small invented shop to practise retests on, in a vulnerable and in a fixed twin."""
