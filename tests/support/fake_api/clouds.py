"""The same API as two clouds offer it: other paths, other framing, credentials of their own."""

import base64
import json
import re
import struct
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from support.fake_api.record import RecordedRequest
from support.fake_api.request import Refusal
from support.fake_api.server import FakeApi

_BEDROCK = re.compile(r"/model/(?P<model>[^/]+)/invoke(?P<stream>-with-response-stream)?\Z")
_VERTEX = re.compile(
    r"/projects/(?P<project>[^/]+)/locations/(?P<region>[^/]+)/publishers/anthropic/models/"
    r"(?P<model>[^/:]+):(?P<stream>streamRawPredict|rawPredict)\Z"
)


class FakeBedrock(FakeApi):
    """Amazon Bedrock: the model stands in the path, answers are binary frames."""

    content_type = "application/vnd.amazon.eventstream"

    def is_message_path(self, path: str) -> bool:
        """`/model/ID/invoke...`."""
        return _BEDROCK.match(path) is not None

    def message_body(self, request: RecordedRequest) -> bytes:
        """The body with the model that the path names; refused if it names one itself."""
        match = _BEDROCK.match(request.path)
        assert match is not None
        body = dict(request.body)
        body.pop("anthropic_beta", None)
        body.pop("anthropic_version", None)
        if {"model", "stream"} & body.keys():
            return json.dumps({**body, "model_in_body": True}).encode()
        body["stream"] = match["stream"] is not None
        return json.dumps({"model": unquote(match["model"]), **body}).encode()

    def version_of(self, request: RecordedRequest) -> str | None:
        """It stands in the body."""
        return request.body.get("anthropic_version")

    def unauthorised(self, request: RecordedRequest) -> Refusal | None:
        """A bearer token or a signature of version 4."""
        given = request.headers.get("authorization", "")
        if given.startswith(("Bearer ", "AWS4-HMAC-SHA256 Credential=")):
            return None
        return Refusal(403, "permission_error", "Missing Authentication Token")

    def frame(self, event: Mapping[str, Any]) -> bytes:
        """A chunk frame; an error event becomes an exception frame."""
        if event["type"] == "error":
            error = event["error"]
            name = {"overloaded_error": "serviceUnavailableException"}.get(
                error["type"], "internalServerException"
            )
            headers = {":message-type": "exception", ":exception-type": name}
            return aws_frame(headers, json.dumps({"message": error["message"]}).encode())
        data = base64.b64encode(json.dumps(event).encode()).decode()
        headers = {":message-type": "event", ":event-type": "chunk"}
        return aws_frame(headers, json.dumps({"bytes": data, "p": "abc"}).encode())


class FakeVertex(FakeApi):
    """Google Vertex AI: model and project stand in the path."""

    def is_message_path(self, path: str) -> bool:
        """`/projects/.../models/ID:streamRawPredict`."""
        return _VERTEX.match(path) is not None

    def message_body(self, request: RecordedRequest) -> bytes:
        """The body with the model that the path names."""
        match = _VERTEX.match(request.path)
        assert match is not None
        body = dict(request.body)
        body.pop("anthropic_version", None)
        return json.dumps({**body, "model": unquote(match["model"])}).encode()

    def version_of(self, request: RecordedRequest) -> str | None:
        """It stands in the body."""
        return request.body.get("anthropic_version")


def aws_frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """One message of the AWS event stream encoding."""
    head = b"".join(
        bytes([len(name)])
        + name.encode()
        + b"\x07"
        + struct.pack(">H", len(value))
        + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    prelude += struct.pack(">I", zlib.crc32(prelude))
    message = prelude + head + payload
    return message + struct.pack(">I", zlib.crc32(message))
