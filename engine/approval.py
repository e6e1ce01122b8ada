"""What an approval is bound to: the exact bytes, the time limit and the scope."""

from __future__ import annotations

import hashlib
import json

from engine.scope import Scope


def digest_of(text: str, timeout_seconds: int, scope: Scope) -> str:
    """SHA-256 over command, time limit and scope, as hexadecimal digits.

    Written when a command is proposed or edited, compared right before it runs.
    """
    targets = sorted((target.host, sorted(target.ports)) for target in scope.targets)
    body = json.dumps([text, timeout_seconds, targets], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
