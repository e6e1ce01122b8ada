"""One file a change. A released one is never edited."""
