"""Tables, migrations and queries. All truth is here; memory is a cache."""
