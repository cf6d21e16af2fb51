"""Replies of the service against its own description."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from query.service.openapi import openapi

SCHEMAS: Any = openapi()["components"]


def conforms(body: object, name: str) -> None:
    """The body is what the description says of this schema, with times as times."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": SCHEMAS}
    checker = Draft202012Validator.FORMAT_CHECKER
    assert "date-time" in checker.checkers
    Draft202012Validator(schema, format_checker=checker).validate(body)
