"""A rendered message, ready for `chat.postMessage` or `chat.update`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Message:
    """Blocks, and the text that notifications show in their place.

    Slack parses `text` as mrkdwn, so it is made of our own words and numbers only.
    """

    text: str
    blocks: list[Json]

    @property
    def fingerprint(self) -> str:
        """Equal for messages that look the same; saves edits that change nothing."""
        body = json.dumps([self.text, self.blocks], ensure_ascii=False, separators=(",", ":"))
        # A model can emit half of a surrogate pair, which is no reason to fail here.
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
