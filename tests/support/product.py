"""The few calls that the checks make of the product, so that a change of its API is a change of this file."""

from __future__ import annotations
