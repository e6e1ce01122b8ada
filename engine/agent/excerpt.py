"""Head and tail of an output, which is all that a model is handed of a long one."""

from __future__ import annotations

# Headers stand at the head and results at the tail; together about 3,000 tokens of a context.
HEAD_BYTES = 6 << 10
TAIL_BYTES = 6 << 10
_CUT = "bytes left out here; read_output has them"


def excerpt(data: bytes) -> str:
    """The output as text: whole up to 12 KiB, else its head and tail with the gap named between them."""
    if len(data) <= HEAD_BYTES + TAIL_BYTES:
        return data.decode(errors="replace")
    # Cut before decoding, so that a large output is not decoded whole for its two ends.
    head = data[:HEAD_BYTES].decode(errors="replace")
    tail = data[-TAIL_BYTES:].decode(errors="replace")
    return f"{head}\n[... {len(data) - HEAD_BYTES - TAIL_BYTES} {_CUT} ...]\n{tail}"


def is_whole(text: str, total: int) -> bool:
    """Whether such a text is all of an output of so many bytes.

    Undecodable bytes grow when they are replaced, so a longer text proves nothing by itself.
    """
    return _CUT not in text and len(text.encode(errors="replace")) >= total
