"""Fixtures of the tests of pages."""

from browser_fixtures import *  # noqa: F403
