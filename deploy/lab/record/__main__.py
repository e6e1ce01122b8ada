"""Write the findings files and the right verdicts anew from the catalogue."""

from __future__ import annotations

import json
from pathlib import Path

from .catalogue import RIGHT_VERDICTS, weaknesses
from .generic import generic_json
from .nuclei import nuclei_records, nuclei_title

FINDINGS = Path(__file__).resolve().parent.parent / "findings"


def files() -> dict[str, str]:
    """Every file of `findings/` by name, with its text."""
    known = [(weakness, host, right) for host, right in RIGHT_VERDICTS.items() for weakness in weaknesses()]
    verdicts = {
        "generic.json": {weakness.title(host): right for weakness, host, right in known},
        "nuclei.jsonl": {nuclei_title(weakness, host): right for weakness, host, right in known},
    }
    return {
        "generic.json": json.dumps(generic_json(), indent=2) + "\n",
        "nuclei.jsonl": "".join(json.dumps(record) + "\n" for record in nuclei_records()),
        "verdicts.json": json.dumps(verdicts, indent=2) + "\n",
    }


if __name__ == "__main__":
    for name, text in files().items():
        (FINDINGS / name).write_text(text)
