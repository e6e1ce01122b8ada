"""The matchers of a nuclei template that came inside a record."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import yaml

from engine.findings.limits import MAX_TEMPLATE_BYTES
from engine.findings.matchers import BadMatcher, Condition, condition_of, matcher_of
from engine.findings.model import Matcher

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class TemplateMatchers:
    """What a template compares: all of it, or why not."""

    matchers: tuple[Matcher, ...] = ()
    condition: Condition = "or"
    problem: str = ""


# A scan repeats a few templates over many hosts, and YAML is the slowest part of an import.
@lru_cache(maxsize=256)
def template_matchers(encoded: str, matcher_name: str) -> TemplateMatchers:
    """The HTTP matchers of a base64 YAML template, those of one name where the record tells which one hit.

    A template with a matcher that cannot be compared gives none at all: a part of an `and` would say "still
    there" too easily, a part of an `or` would say "fixed" too easily.
    """
    try:
        requests = _requests(encoded)
        # With several requests nobody can tell which of them the recorded one was.
        if len(requests) != 1:
            raise BadMatcher("the template does not make exactly one HTTP request")
        request = requests[0]
        condition = condition_of(request.get("matchers-condition", "or"))
        # Internal matchers only steer a flow inside nuclei; they prove nothing.
        raw = [matcher for matcher in _list(request.get("matchers")) if not _is_internal(matcher)]
        # Under `and` the name says nothing: all matchers hit, or there would be no record.
        if condition == "or" and matcher_name:
            raw = [matcher for matcher in raw if _name(matcher) == matcher_name] or raw
        matchers = tuple(matcher_of(matcher, "body") for matcher in raw)
    except BadMatcher as error:
        return TemplateMatchers(problem=str(error))
    return (
        TemplateMatchers(matchers, condition) if matchers else TemplateMatchers(problem="it has no matchers")
    )


def _requests(encoded: str) -> list[Mapping[str, object]]:
    if len(encoded) > MAX_TEMPLATE_BYTES * 4 // 3:
        raise BadMatcher(f"the template is larger than {MAX_TEMPLATE_BYTES // 1024} KiB")
    try:
        template = yaml.load(base64.b64decode(encoded), _Loader)  # noqa: S506 - a safe loader, the fast one
    except (binascii.Error, ValueError, yaml.YAMLError, RecursionError, AttributeError, TypeError) as error:
        raise BadMatcher("the template cannot be read") from error
    if not isinstance(template, Mapping):
        raise BadMatcher("the template cannot be read")
    requests = [*_list(template.get("http")), *_list(template.get("requests"))]
    return [request for request in requests if isinstance(request, Mapping)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _name(matcher: object) -> object:
    return matcher.get("name") if isinstance(matcher, Mapping) else None


def _is_internal(matcher: object) -> bool:
    return isinstance(matcher, Mapping) and matcher.get("internal") is True
