"""A local stand-in for a Slack workspace: the real protocol on loopback, a page, and a client for tests."""

from __future__ import annotations
