"""The permission cases: attacks that must not run, and everyday work that must not ask."""

from pathlib import Path
from typing import Any

import pytest

from hames.settings.permissions.cases import read_cases, run_cases

DATA = Path(__file__).parents[2] / "data"
FILES = ("permissions.jsonl", "permissions_more.jsonl")
CASES = [case for file in FILES for case in read_cases(DATA / file)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_is_decided_as_expected(case: dict[str, Any]) -> None:
    (result,) = run_cases([case])
    assert result.verdict in ("ok", "advisory"), result.decision
