from __future__ import annotations

import pytest

from engine.errors import FindingsError
from engine.findings.detect import decode, format_of, refuse_unless_json
from engine.findings.jsontext import read_json

TEXT = '{"findings": [{"title": "Größe"}]}'


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
    ],
)
def test_every_encoding_gives_the_same_text(data: bytes) -> None:
    assert decode(data).text == TEXT


def test_a_guess_is_told() -> None:
    decoded = decode(TEXT.encode("cp1252"))
    assert decoded.text == TEXT
    assert "Windows-1252" in decoded.notes[0]


def test_a_cut_character_at_the_end_is_no_reason_to_guess() -> None:
    decoded = decode('{"title": "Grö'.encode()[:-1])
    assert decoded.text == '{"title": "Gr'
    assert "cut off" in decoded.notes[0]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"PK\x03\x04rest", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"\xff\xd8\xff\xe0", "picture"),
        (b"%PDF-1.7", "PDF"),
    ],
)
def test_a_file_that_is_no_text_is_named(data: bytes, what: str) -> None:
    with pytest.raises(FindingsError, match=what):
        decode(data)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (" \n\t", "empty"),
        ("<!DOCTYPE html><html>", "HTML"),
        ("<html><body>", "HTML"),
        ('<?xml version="1.0"?>\n<OWASPZAPReport version="2">', "ZAP report"),
        ("<!DOCTYPE issues [<!ELEMENT issues (issue*)>]>\n<issues>", "Burp report"),
        ("<odd:thing/>", "odd"),
        ("<>", "XML"),
        ("title,severity\na,b", "unknown format"),
        ('"just a text"', "unknown format"),
        ("null", "unknown format"),
    ],
)
def test_a_text_that_is_no_findings_is_named(text: str, what: str) -> None:
    with pytest.raises(FindingsError, match=what):
        refuse_unless_json(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TEXT, "generic-json"),
        ('{"findings": null}', "generic-json"),
        ("[]", "generic-json"),
        ('[{}, {"title": "x", "severity": "Low"}]', "generic-json"),
        ('{"template-id": "x", "info": {}}', "nuclei"),
        ('[{"templateID": "x", "info": {}}]', "nuclei"),
        ('{"info": {}, "host": "x", "matched-at": "x"}', "nuclei"),
    ],
)
def test_the_format_is_told_by_content(text: str, found: str) -> None:
    assert format_of(read_json(text)) == found


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"version": "2.1.0", "runs": []}', "SARIF"),
        ('{"@version": "2.16", "site": []}', "ZAP"),
        ('{"count": 0, "results": []}', "DefectDojo API"),
        ('{"title": "one finding alone"}', "Expected is"),
        ("[1, 2]", "Expected is"),
        ('{"info": {"title": "an OpenAPI file"}, "paths": {}}', "Expected is"),
    ],
)
def test_other_json_is_named_or_told_what_is_expected(text: str, what: str) -> None:
    with pytest.raises(FindingsError, match=what):
        format_of(read_json(text))
