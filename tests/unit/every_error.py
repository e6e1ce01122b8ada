"""All error classes of the tree."""

from __future__ import annotations

import importlib
import pkgutil

import bot
import engine
from engine.errors import RevalidError


def every_error() -> list[type[RevalidError]]:
    """Every class of ours that a person can meet, from every module there is."""
    for package in (bot, engine):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" not in module.name and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    found, left = [], [RevalidError]
    while left:
        kind = left.pop()
        found.append(kind)
        left.extend(kind.__subclasses__())
    return [kind for kind in found if kind.__module__.startswith(("bot.", "engine."))]
