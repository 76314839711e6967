"""Whatever a file holds, a snapshot is made of it, and distrust never adds anything."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.check import load_catalog
from hames.settings.collect import (
    collect_directories,
    collect_env,
    collect_hooks,
    collect_rules,
)
from hames.settings.holds import TrustLevel, hold_back
from hames.settings.layers import Layer, make_layer
from hames.settings.merge import merge_layers
from hames.settings.parse import Document
from hames.settings.permissions.rule_text import SourceKind
from hames.settings.show import shown_values
from hames.settings.snapshot import Snapshot

CATALOG = load_catalog()
ROOT = Path("/w")
WORDS = st.sampled_from(["PATH", "FOO", "auto", "bypassPermissions", "plan", "disable", "Bash", ""])
SCALARS = st.none() | st.booleans() | st.integers(-1, 10**6) | WORDS | st.text(max_size=3)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)


def section(name: str) -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from([*CATALOG[name]["properties"]])
    return st.dictionaries(names, JSON, max_size=3).map(lambda value: {name: value})


FILES = st.one_of(
    st.dictionaries(st.sampled_from([*CATALOG]), JSON, max_size=4),
    section("permissions"),
    section("sandbox"),
    st.dictionaries(WORDS, SCALARS, max_size=4).map(lambda value: {"env": value}),
)
SCOPES: tuple[SourceKind, ...] = ("user", "project", "local", "flag", "managed")


def snapshot(values: list[dict[str, Any]], trust: TrustLevel) -> Snapshot:
    layers: list[Layer] = []
    for scope, given_values in zip(SCOPES, values, strict=True):
        loaded = make_layer(scope, ROOT / scope, ROOT, Document("", given_values), CATALOG)
        assert loaded.layer is not None
        layer = loaded.layer
        marked = Layer(scope, layer.path, ROOT, layer.values, repository=scope == "project")
        layers.append(hold_back(marked, trust).layer)
    merged = merge_layers(layers)
    return Snapshot(
        ROOT,
        merged,
        tuple(layers),
        CATALOG,
        collect_rules(layers, merged, ROOT, {}),
        collect_directories(layers, ROOT, ROOT, ()),
        collect_env(merged),
        collect_hooks(layers, merged),
    )


@pytest.mark.property
@given(st.lists(FILES, min_size=5, max_size=5))
def test_less_trust_never_gives_more(values: list[dict[str, Any]]) -> None:
    trusted, headless, held = (snapshot(values, level) for level in ("trusted", "headless", "held"))
    for less in (headless, held):
        assert set(less.directories) <= set(trusted.directories)
        allowed = {rule.text for rule in less.rules if rule.behavior == "allow"}
        assert allowed <= {rule.text for rule in trusted.rules if rule.behavior == "allow"}
        guards = [rule for rule in less.rules if rule.behavior != "allow"]
        assert guards == [rule for rule in trusted.rules if rule.behavior != "allow"]
    assert held.hooks == ()
    assert set(held.env) <= set(headless.env) | set(trusted.env)
    assert trusted.default_mode in (
        "default",
        "acceptEdits",
        "plan",
        "dontAsk",
        "bypassPermissions",
    )
    for one in (trusted, headless, held):
        assert all(value.key for value in shown_values(one))
