"""Rules of thinking blocks that come back: place, text, and what they are bound to."""

from collections.abc import Iterator, Mapping
from typing import Any

from support.fake_api.models import find_model
from support.fake_api.request import Judged, Problems, blocks_of
from support.fake_api.signing import Prefix, read_signature

_THINKING = ("thinking", "redacted_thinking")


def places(request: Judged) -> Problems:
    """Not last in an assistant message; complete."""
    for index, message in enumerate(request.messages):
        blocks = blocks_of(message)
        if message["role"] == "assistant" and blocks and blocks[-1]["type"] in _THINKING:
            yield (
                f"messages.{index}: The final block in an assistant message cannot be "
                f"`{blocks[-1]['type']}`."
            )
        for number, block in enumerate(blocks):
            path = f"messages.{index}.content.{number}"
            needed = {"thinking": ("thinking", "signature"), "redacted_thinking": ("data",)}
            for name in needed.get(block["type"], ()):
                if not isinstance(block.get(name), str):
                    yield f"{path}.{block['type']}.{name}: Field required"


def leading(request: Judged) -> Problems:
    """With manual thinking the last answer with calls starts with its thinking."""
    if request.thinking.get("type") != "enabled":
        return
    for index in range(len(request.messages) - 1, -1, -1):
        message = request.messages[index]
        if message["role"] == "assistant":
            blocks = blocks_of(message)
            calls = any(block["type"] == "tool_use" for block in blocks)
            if calls and blocks[0]["type"] not in _THINKING:
                yield (
                    f"messages.{index}.content.0.type: Expected `thinking` or "
                    f"`redacted_thinking`, but found `{blocks[0]['type']}`. When `thinking` is "
                    "enabled, a final `assistant` message must start with a thinking block."
                )
            return


def signatures(request: Judged) -> Problems:
    """Text and prefix of every signature; a failed prefix counts only where it is enforced."""
    yield from (message for _, message in _broken(request))
    if request.enforce_binding and not _drops(request):
        for path, _ in mismatches(request):
            yield (
                f"{path}: Invalid `signature` in `thinking` block: the block is bound to a "
                "different conversation"
            )


def _drops(request: Judged) -> bool:
    binding = request.thinking.get("block_binding") or {}
    return bool(binding.get("prefix_mismatch_behavior") == "drop_block")


def transformations(request: Judged) -> list[dict[str, str]]:
    """`input_transformations` of the answer: blocks dropped, or let through unenforced."""
    kind = "thinking_dropped" if _drops(request) else "thinking_mismatch_allowed"
    return [{"type": kind, "path": path, "reason": why} for path, why in mismatches(request)]


def _signed(request: Judged) -> Iterator[tuple[str, dict[str, Any], Prefix]]:
    for index, message in enumerate(request.messages):
        blocks = blocks_of(message)
        for number, block in enumerate(blocks):
            if block["type"] in _THINKING:
                prefix = Prefix(
                    request.raw.tools,
                    request.raw.system,
                    request.raw.messages[:index],
                    tuple(_bare(before) for before in blocks[:number]),
                )
                yield f"messages.{index}.content.{number}", block, prefix


def _bare(block: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "cache_control"}


def _seal(block: Mapping[str, Any]) -> tuple[str, str]:
    """Signature and signed text; redacted blocks carry the signature as their data."""
    if block["type"] == "redacted_thinking":
        return str(block.get("data")), ""
    return str(block.get("signature")), str(block.get("thinking"))


def _broken(request: Judged) -> Iterator[tuple[str, str]]:
    for path, block, _ in _signed(request):
        seal, text = _seal(block)
        signature = read_signature(seal)
        if signature is None:
            yield path, f"{path}: Invalid `signature` in `thinking` block"
        elif not signature.fits_text(text):
            yield (
                path,
                f"{path}: `thinking` or `redacted_thinking` blocks in the latest assistant "
                "message cannot be modified. These blocks must remain as they were in the "
                "original response.",
            )


def mismatches(request: Judged) -> list[tuple[str, str]]:
    """Path and reason of blocks that fail a binding check of this model."""
    if not request.facts.bound_prefix:
        return []
    found: list[tuple[str, str]] = []
    for path, block, prefix in _signed(request):
        signature = read_signature(_seal(block)[0])
        if signature is None or signature.model != request.facts.id:
            continue
        signer = find_model(signature.model)
        if signer and signer.bound_account and signature.account != request.account:
            found.append((path, "organization_binding_mismatch"))
        elif not signature.fits_prefix(prefix):
            found.append((path, "prefix_binding_mismatch"))
    return found


RULES = (places, leading, signatures)
