"""What a file is, told by its content: first the encoding, then the format."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.errors import FindingsError
from engine.findings.jsontext import JsonText
from engine.findings.text import is_given

Format = Literal["generic-json", "nuclei"]

_READ_HERE = "Revalid reads DefectDojo generic JSON and nuclei JSON or JSON lines."
_SHAPES = (
    'Expected is {"findings": [...]}, a list of findings with a title, '
    "or records with a template-id and an info."
)
# UTF-32 stands before UTF-16: its little-endian mark begins with the whole mark of UTF-16.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"PK\x03\x04", "a zip archive (or an Office file); unpack it first"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "packed with gzip; unpack it first"),
    (b"BZh", "packed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "packed with xz; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"\x89PNG\r\n\x1a\n", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"%PDF-", "a PDF"),
)
_XML_ROOTS = {
    "NessusClientData_v2": "a Nessus report",
    "NessusClientData": "a Nessus report of the old version 1",
    "issues": "a Burp report",
    "nmaprun": "an Nmap scan",
    "OWASPZAPReport": "a ZAP report",
    "report": "an OpenVAS report",
    "get_reports_response": "an OpenVAS report",
}
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|script|title|meta)\b", re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*)")
_HEAD = 4096
_NUCLEI_IDS = ("template-id", "templateID", "template")
# A record may lack every spelling of the id; two of these still tell it from an OpenAPI file.
_NUCLEI_FIELDS = ("matched-at", "matched", "matcher-status", "matcher-name", "template-path", "type", "host")
_GENERIC_FIELDS = frozenset({"title", "severity", "description"})


@dataclass(frozen=True)
class Decoded:
    """The text of a file and what had to be guessed to read it."""

    text: str
    notes: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """The file as text: by its byte order mark, else UTF-16 by its NULs, else UTF-8, else Windows-1252.

    Raises `FindingsError` that names a picture, a PDF or an archive.
    """
    for magic, what in _MAGIC:
        if data.startswith(magic):
            raise FindingsError(f"This file is {what}. {_READ_HERE}")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _by_mark(data[len(bom) :], encoding)
    # Windows tools write UTF-16 without a mark when their output is redirected.
    if data[1:2] == b"\x00" and data[:1] in b"[{":
        return _by_mark(data, "utf-16-le")
    if data[:1] == b"\x00" and data[1:2] in (b"[", b"{"):
        return _by_mark(data, "utf-16-be")
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        # An interrupted download ends in half a character; Windows-1252 would turn the whole file into noise.
        if error.reason == "unexpected end of data":
            return Decoded(
                data[: error.start].decode("utf-8"), ("The last character of the file is cut off.",)
            )
    # Windows-1252 leaves five bytes undefined; one of them must not cost the whole file.
    return Decoded(data.decode("cp1252", "replace"), ("The file is not UTF-8; it was read as Windows-1252.",))


def format_of(document: JsonText) -> Format:
    """Which format the values are in. Raises `FindingsError` that names other formats or what is expected."""
    values = document.values
    objects = [value for value in values if isinstance(value, dict)]
    # Any record decides, since the first line of a file may be the broken one.
    if any(is_nuclei(item) for item in objects):
        return "nuclei"
    if objects and not document.is_list and all("findings" in item for item in objects):
        return "generic-json"
    # An empty list of findings is a normal answer of a scanner, not an unknown file.
    if document.is_list and (not values or any(item.keys() & _GENERIC_FIELDS for item in objects)):
        return "generic-json"
    first = objects[0] if objects else {}
    if kind := _json_kind(first):
        raise FindingsError(f"This file is {kind}. {_READ_HERE}")
    raise FindingsError(f"This file is JSON of an unknown format. {_SHAPES}")


def is_nuclei(item: Mapping[str, object]) -> bool:
    """Whether an object is a record of nuclei."""
    if not isinstance(item.get("info"), Mapping):
        return False
    # `info` alone also opens an OpenAPI file.
    return any(name in item for name in _NUCLEI_IDS) or sum(name in item for name in _NUCLEI_FIELDS) > 1


def refuse_unless_json(text: str) -> None:
    """Raise `FindingsError` that says what a text is, unless it begins like a JSON object or list."""
    head = text[:_HEAD].lstrip()
    if not head and not text.strip():
        raise FindingsError("The file is empty.")
    if head.startswith("<"):
        raise FindingsError(f"This is {_markup_kind(head)}. {_READ_HERE}")
    if not head.startswith(("{", "[")):
        raise FindingsError(f"This file is of an unknown format. {_READ_HERE}")


def _by_mark(data: bytes, encoding: str) -> Decoded:
    # A cut-off file may end in half a character; what is missing is then told by its line.
    notes = () if encoding == "utf-8" else (f"The file was read as {encoding.upper()}.",)
    return Decoded(data.decode(encoding, "replace"), notes)


def _markup_kind(head: str) -> str:
    if _HTML.match(head):
        return "HTML, a web page rather than findings"
    root = _ROOT.search(head)
    return f"XML: {_XML_ROOTS.get(root[1], f'its first element is {root[1][:40]}')}" if root else "XML"


def _json_kind(item: Mapping[str, object]) -> str:
    if "runs" in item and ("version" in item or "$schema" in item):
        return "a SARIF report"
    if "site" in item and ("@version" in item or "@programName" in item):
        return "a ZAP report"
    # Its endpoints are bare numbers of another table, so a scope read from it would be wrong or empty.
    if "results" in item and is_given(item.get("count", 0)):
        return "an export of the DefectDojo API"
    return ""
