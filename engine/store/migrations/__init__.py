"""How the database came to its present shape, oldest first; applied by `engine.store.database`."""
