"""Run the shop: `LAB_MODE=vulnerable python3 -m lab`."""

from __future__ import annotations

import os
import sys

from .app import Mode
from .server import serve

PORT = 8080


def main() -> None:
    """Serve until stopped. Exits with a sentence when `LAB_MODE` is neither of the two."""
    word = os.environ.get("LAB_MODE", "")
    if word not in list(Mode):
        sys.exit(f"LAB_MODE must be vulnerable or fixed, not {word!r}.")
    # All interfaces: the address inside the container is not known before it runs.
    with serve(Mode(word), "0.0.0.0", PORT) as server:  # noqa: S104 - see above
        print(f"Example Orchard ({word}) is open on port {PORT}.", flush=True)
        server.serve_forever()


main()
