"""The client door as a process: bad input, order, many messages, slow and vanished clients."""

import itertools
import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import (
    FakeApiThread,
    Gate,
    RecordedRequest,
    Turn,
    error,
    held,
    running_fake_api,
    tool_use,
    turn,
)
from support.patience import bound
from support.processes import left_after
from support.stream_client import StreamClient, stream_client, transcripts

ASKS = ("--permission-prompt-tool", "stdio")
UUID = "11111111-2222-4333-8444-55555555555{}"


def echo(api: FakeApiThread) -> None:
    """Every request is answered with its last prompt."""
    api.script(lambda request: turn(f"You said {request.last_text.splitlines()[-1]}"))


def notices(client: StreamClient) -> list[str]:
    return [message["content"] for message in client.of("system", "informational")]


def touch(path: str | Path, id: str = "toolu_1") -> dict[str, Any]:
    return tool_use("Bash", {"command": f"touch {path}"}, id=id)


def test_initialize_is_answered_before_any_prompt() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        value = client.response(client.request("initialize", hooks=None))
        assert value["subtype"] == "success"
        assert set(value["response"]) >= {
            "commands",
            "agents",
            "output_style",
            "available_output_styles",
            "models",
            "account",
            "hook_on_failure_supported",
        }
        assert (client.finish(), client.stderr, api.calls) == (0, "", [])


def test_a_prompt_and_the_end_of_input_at_once_give_a_result() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        api.reply(turn("Hello."))
        client.say("hi", session_id="")
        assert (client.finish(), client.stderr) == (0, "")
        assert [m["result"] for m in client.of("result")] == ["Hello."]


def test_the_end_of_input_waits_for_everything_queued() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        echo(api)
        for number in range(5):
            client.say(f"prompt {number}")
        assert client.finish() == 0
        assert [m["result"] for m in client.of("result")] == [
            f"You said prompt {number}" for number in range(5)
        ]


def test_the_last_result_decides_the_exit_code() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        api.reply(error(400, "invalid_request_error", "No."), turn("Better."))
        client.say("1")
        assert client.result()["is_error"] is True
        client.say("2")
        assert client.result()["is_error"] is False
        assert client.finish() == 0
    with running_fake_api() as api, stream_client(api.url) as client:
        api.reply(error(400, "invalid_request_error", "No."))
        client.say("1")
        assert client.finish() == 1


BAD_LINES = [
    b"not json",
    b"[]",
    b"{",
    b'{"type":"user"}',
    b'{"type":"surprise"}',
    b'{"type":"user","message":{"role":"user","content":"\xff\xfe"}}',
    b'{"a":' * 50_000,
    b'{"type":"control_response","response":null}',
]


def test_bad_lines_are_told_and_the_session_lives() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        echo(api)
        for line in BAD_LINES:
            client.write(line + b"\n")
        client.write(b"\r\n  \n")
        client.write(b'{"type":"control_request","request_id":"req_x","request":\xff}\n')
        answer = client.response("req_x")
        assert answer["subtype"] == "error"
        assert answer["error"] == f"stdin line {len(BAD_LINES) + 3} is not UTF-8 and was skipped"
        assert len(notices(client)) == len(BAD_LINES)
        assert notices(client)[0] == "stdin line 1 is not JSON and was skipped"
        unknown = client.response(client.request("do_a_dance"))
        assert unknown["error"] == "Unsupported control request subtype: do_a_dance"
        client.say("still here")
        assert client.result()["result"] == "You said still here"
        assert client.finish() == 0


def test_lines_of_ten_megabytes_are_taken() -> None:
    with running_fake_api(window=20_000_000) as api, stream_client(api.url) as client:
        echo(api)
        padding = "x" * 10_000_000
        request_id = client.request("initialize", agents={"big": {"prompt": padding}})
        assert client.response(request_id)["subtype"] == "success"
        client.say("a long one\n" * 900_000)
        assert client.result()["result"] == "You said a long one"
        client.write(b'{"type":"control_request","request_id":"req_huge","request":"')
        for _ in range(34):
            client.write(b"y" * 1_000_000)
        client.write(b'"}\n')
        assert "longer than 32 MB" in client.response("req_huge")["error"]
        client.say("and on")
        assert client.result()["result"] == "You said and on"
        assert client.finish() == 0


def test_bytes_may_come_in_any_pieces() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        echo(api)
        message = {"type": "user", "message": {"role": "user", "content": "Grüße 🦊"}}
        line = json.dumps(message, ensure_ascii=False).encode() + b"\r\n"
        for at in range(len(line)):
            client.write(line[at : at + 1])
        assert client.result()["result"] == "You said Grüße 🦊"
        assert client.finish() == 0


def test_two_hundred_prompts_keep_their_order() -> None:
    with running_fake_api() as api, stream_client(api.url, "--replay-user-messages") as client:
        echo(api)
        for number in range(200):
            client.say(f"prompt {number}", uuid=f"00000000-0000-4000-8000-{number:012d}")
        results = [client.result()["result"] for _ in range(200)]
        assert results == [f"You said prompt {number}" for number in range(200)]
        replayed = [m["message"]["content"] for m in client.of("user") if m.get("isReplay")]
        assert replayed == [f"prompt {number}" for number in range(200)]
        assert (client.finish(), client.stderr, api.refusals) == (0, "", [])
        assert len(client.of("system", "init")) == 200


def test_fifty_requests_in_mid_turn_are_answered_within_a_second() -> None:
    gate = Gate()
    with running_fake_api() as api, stream_client(api.url) as client:
        api.reply(held(turn("A long text."), gate=gate))
        client.say("go")
        api.wait_for_requests(1)
        kinds = ("mcp_status", "get_context_usage", "set_model", "set_permission_mode", "dance")
        waits: list[float] = []
        for number in range(50):
            started = time.monotonic()
            kind = kinds[number % 5]
            body = {"set_model": {"model": "opus"}, "set_permission_mode": {"mode": "plan"}}
            answer = client.response(client.request(kind, **body.get(kind, {})))
            waits.append(time.monotonic() - started)
            assert answer["subtype"] == ("error" if kind == "dance" else "success")
        assert max(waits) < bound(1.0)
        gate.release()
        assert client.result()["result"] == "A long text."
        assert client.finish() == 0


def test_an_interrupt_has_its_receipt_before_the_result() -> None:
    gate = Gate()
    with running_fake_api() as api, stream_client(api.url) as client:
        api.reply(held(turn("A long text."), gate=gate), turn("Next."))
        client.say("go")
        api.wait_for_requests(1)
        client.say("later", uuid=UUID.format(1))
        receipt = client.response(client.request("interrupt"))
        assert receipt["response"] == {"still_queued": [UUID.format(1)]}
        assert client.of("result") == []
        assert client.result()["terminal_reason"] == "aborted_streaming"
        assert client.result()["result"] == "Next."
        assert client.response(client.request("interrupt"))["response"] == {"still_queued": []}
        gate.release()
        assert client.finish() == 0


def test_an_interrupt_may_cancel_what_is_queued() -> None:
    gate = Gate()
    with running_fake_api() as api, stream_client(api.url) as client:
        api.reply(held(turn("A long text."), gate=gate))
        client.say("go")
        api.wait_for_requests(1)
        client.say("later", uuid=UUID.format(1))
        receipt = client.response(client.request("interrupt", cancel_queued=True))
        assert receipt["response"] == {"still_queued": [], "cancelled": [UUID.format(1)]}
        assert client.result()["terminal_reason"] == "aborted_streaming"
        gate.release()
        assert client.finish() == 1
        assert len(client.of("result")) == 1


def test_messages_without_a_query_wait_for_the_next_turn() -> None:
    with running_fake_api() as api, stream_client(api.url, "--replay-user-messages") as client:
        echo(api)
        client.say("know this", shouldQuery=False, uuid=UUID.format(1))
        client.say("and answer", uuid=UUID.format(1).replace("1", "2"))
        assert client.result()["result"] == "You said and answer"
        assert client.finish() == 0
        assert len(client.of("result")) == 1
        assert "know this" in api.calls[0].last_text
        assert [m["uuid"] for m in client.of("user")] == [
            UUID.format(1),
            UUID.format(1).replace("1", "2"),
        ]


def test_text_composed_by_a_program_is_no_command() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        echo(api)
        client.say("/cost", client_composed=True)
        assert client.result()["result"] == "You said /cost"
        client.say("/cost")
        assert client.result()["result"].startswith("Total cost")
        assert client.finish() == 0


def test_a_repeated_uuid_is_taken_once() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        echo(api)
        client.say("once", uuid=UUID.format(1))
        client.say("once", uuid=UUID.format(1))
        assert client.finish() == 0
        assert len(client.of("result")) == 1


def test_states_are_told_to_a_host_that_asks() -> None:
    host = {"CLAUDE_CODE_SDK_READS_SESSION_STATE": "1"}
    with running_fake_api() as api, stream_client(api.url, *ASKS, env=host) as client:
        api.reply(turn(touch("a.txt")), turn("Done."))
        client.say("go")
        client.answer(client.question(), {"behavior": "allow"})
        client.result()
        client.next(lambda m: m.get("state") == "idle")
        states = client.of("system", "session_state_changed")
        assert [m["state"] for m in states] == ["running", "requires_action", "running", "idle"]
        assert all(m["sdk_host_only"] for m in states)
        assert client.finish() == 0


def test_the_end_of_input_denies_an_open_question_and_the_turn_goes_on() -> None:
    with running_fake_api() as api, stream_client(api.url, *ASKS) as client:
        api.reply(turn(touch("a.txt")), turn("Without it then."))
        client.say("go")
        question = client.question()
        assert client.finish() == 0
        assert client.of("control_cancel_request") == [
            {"type": "control_cancel_request", "request_id": question["request_id"]}
        ]
        assert client.of("result")[0]["result"] == "Without it then."
        assert not Path("a.txt").exists()


def test_an_interrupt_withdraws_an_open_question() -> None:
    with running_fake_api() as api, stream_client(api.url, *ASKS) as client:
        api.reply(turn(touch("a.txt")))
        client.say("go")
        question = client.question()
        client.request("interrupt")
        assert client.result()["terminal_reason"] == "aborted_tools"
        assert len(client.of("control_cancel_request")) == 1
        client.answer(question, {"behavior": "allow"})
        assert client.finish() == 1
        assert not Path("a.txt").exists()


def test_a_client_that_dies_while_it_is_asked_leaves_nothing_behind(tmp_path: Path) -> None:
    mark = str(tmp_path / "mark")
    with running_fake_api() as api, stream_client(api.url, *ASKS, reading=False) as client:
        api.reply(turn(tool_use("Bash", {"command": f"sleep 60 # {mark}"})))
        client.say("go")
        assert client.process.stdout is not None
        while b"can_use_tool" not in client.process.stdout.readline():
            pass
        assert client.process.stdin is not None
        client.process.stdin.close()
        client.process.stdout.close()
        assert client.process.wait(5) in (0, 1)
        assert left_after(mark) == []
        assert len(api.calls) <= 2


def test_a_client_that_dies_while_a_command_runs_ends_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    allow = ("--allowedTools", "Bash")
    with running_fake_api() as api, stream_client(api.url, *allow, reading=False) as client:
        api.reply(turn(tool_use("Bash", {"command": f"touch {mark}; sleep 61 # {mark}"})))
        client.say("go")
        deadline = time.monotonic() + 20
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert client.process.stdin is not None
        assert client.process.stdout is not None
        client.process.stdin.close()
        client.process.stdout.close()
        client.process.wait(10)
        assert left_after(str(mark)) == []


def test_a_reader_that_is_slow_gets_everything_in_order() -> None:
    with running_fake_api() as api, stream_client(api.url, reading=False) as client:
        api.script(lambda request: turn("y" * 50_000))
        for number in range(20):
            client.say(f"prompt {number}")
        api.wait_for_requests(20, timeout=30)
        client.start_reading()
        assert [client.result()["result"] for _ in range(20)] == ["y" * 50_000] * 20
        assert client.finish() == 0


def test_input_that_trickles_does_not_stop_the_turn() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        echo(api)
        client.write(b'{"type":"user","message":{"role":"user","content":"first"}}\n{"type":"us')
        assert client.result()["result"] == "You said first"
        client.write(b'er","message":{"role":"user","content":"second"}}')
        assert client.finish() == 0
        assert [m["result"] for m in client.of("result")] == ["You said first", "You said second"]


@pytest.mark.parametrize(
    ("number", "code", "results"), [(signal.SIGINT, 130, 1), (signal.SIGTERM, 143, 0)]
)
def test_signals_end_the_session(number: int, code: int, results: int) -> None:
    gate = Gate()
    with running_fake_api() as api, stream_client(api.url) as client:
        api.reply(held(turn("A long text."), gate=gate))
        client.say("go")
        api.wait_for_requests(1)
        os.kill(client.process.pid, number)
        assert client.wait() == code
        assert len(client.of("result")) == results
        gate.release()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--resume=00000000-0000-4000-8000-000000000000",), "No conversation found"),
        (("--session-id=mine",), "--session-id must be a UUID"),
        (("--max-turns", "0"), "--max-turns must be greater than 0"),
        (("--resume-session-at=x",), "--resume-session-at requires --resume"),
        (("--resume=a", "--continue"), "exclude each other"),
        (("a prompt",), "send the prompt as a message"),
    ],
)
def test_a_refused_start_is_a_result_with_its_reason(arguments: tuple[str, ...], text: str) -> None:
    with running_fake_api() as api, stream_client(api.url, *arguments) as client:
        assert client.wait() == 1
        (result,) = client.seen
        assert (result["type"], result["is_error"]) == ("result", True)
        assert text in result["errors"][0]
        assert text in client.stderr


def test_a_call_too_large_for_a_line_is_denied_and_hames_goes_on() -> None:
    with running_fake_api() as api, stream_client(api.url, *ASKS) as client:
        content = "z" * 1_100_000
        call = tool_use("Write", {"file_path": str(Path("big.txt").absolute()), "content": content})
        api.reply(turn(call), turn("Smaller then."))
        client.say("go")
        assert client.result()["result"] == "Smaller then."
        assert client.finish() == 0
        assert client.of("control_request") == []
        assert not Path("big.txt").exists()


def test_every_write_of_the_transcript_is_mirrored() -> None:
    with running_fake_api() as api, stream_client(api.url, "--session-mirror") as client:
        api.reply(turn(tool_use("Bash", {"command": "pwd"})), turn("Done."))
        client.say("go " + "é" * 1_200_000)
        client.result()
        assert client.finish() == 0
        (path,) = transcripts()
        frames = client.of("transcript_mirror")
        assert {frame["filePath"] for frame in frames} == {str(path)}
        mirrored = [entry["uuid"] for f in frames for entry in f["entries"] if "uuid" in entry]
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert mirrored == [line["uuid"] for line in lines if "uuid" in line]
        kinds = [m["type"] for m in client.seen]
        assert "transcript_mirror" not in kinds[kinds.index("result") :]


def test_a_new_mode_settles_an_open_question() -> None:
    with running_fake_api() as api, stream_client(api.url, *ASKS) as client:
        call = tool_use("Write", {"file_path": str(Path("a.txt").absolute()), "content": "a"})
        api.reply(turn(call), turn("Done."))
        client.say("go")
        question = client.question()
        client.request("set_permission_mode", mode="acceptEdits")
        assert client.result()["result"] == "Done."
        cancelled = [m["request_id"] for m in client.of("control_cancel_request")]
        assert cancelled == [question["request_id"]]
        assert client.finish() == 0
        assert Path("a.txt").read_text(encoding="utf-8") == "a"


def test_the_origin_of_a_message_comes_back_in_the_result() -> None:
    with running_fake_api() as api, stream_client(api.url) as client:
        echo(api)
        client.say("1", origin={"kind": "human"})
        assert client.result()["origin"] == {"kind": "human"}
        client.say("2", origin={"kind": "coordinator"})
        assert "origin" not in client.result()
        assert client.finish() == 0


def test_commands_and_blank_messages_are_replayed_too() -> None:
    with running_fake_api() as api, stream_client(api.url, "--replay-user-messages") as client:
        client.say("/cost")
        client.result()
        client.say("  ")
        assert "blank" in client.result()["result"]
        assert client.finish() == 0
        assert [m["message"]["content"] for m in client.of("user")] == ["/cost", "  "]
        assert api.calls == []


def test_a_second_initialize_tells_what_is_open() -> None:
    with running_fake_api() as api, stream_client(api.url, *ASKS) as client:
        api.reply(turn(touch("a.txt")), turn("Done."))
        client.response(client.request("initialize"))
        client.say("go")
        question = client.question()
        again = client.response(client.request("initialize"))
        assert again["pending_permission_requests"] == [question]
        client.answer(question, {"behavior": "allow"})
        assert client.result()["result"] == "Done."
        assert client.finish() == 0


def act(client: StreamClient, chance: random.Random) -> str | None:
    """One random thing that a client may do; the id of its request."""
    kinds: dict[str, dict[str, Any]] = {
        "interrupt": {},
        "mcp_status": {},
        "get_context_usage": {},
        "set_model": {"model": chance.choice(["opus", "haiku", None, 7])},
        "set_permission_mode": {"mode": chance.choice(["default", "acceptEdits", "plan", "no"])},
        "initialize": {"hooks": None},
        "surprise": {},
    }
    match chance.randrange(6):
        case 0 | 1:
            client.say(f"prompt {chance.random()}")
        case 2:
            client.write(chance.choice(BAD_LINES) + b"\n")
        case 3 | 4:
            kind = chance.choice(list(kinds))
            return client.request(kind, **kinds[kind])
        case _:
            for message in [m for m in client.seen if m["type"] == "control_request"][-2:]:
                client.answer(message, {"behavior": chance.choice(["allow", "deny", "perhaps"])})
    return None


@pytest.mark.fault
@pytest.mark.parametrize("seed", range(4))
def test_a_client_without_manners_gets_every_answer(seed: int) -> None:
    chance = random.Random(seed)
    with running_fake_api() as api, stream_client(api.url, *ASKS) as client:
        calls = itertools.count()

        def reply(request: RecordedRequest) -> Turn:
            if chance.random() < 0.5 and request.blocks("text"):
                return turn(touch("a.txt", f"toolu_{next(calls)}"))
            return turn("Done.")

        api.script(reply)
        asked: list[str] = []
        for _ in range(150):
            request_id = act(client, chance)
            if request_id is not None:
                asked.append(request_id)
                client.response(request_id, timeout=10)
        assert client.finish() in (0, 1)
        answers = [m["response"]["request_id"] for m in client.of("control_response")]
        assert answers == asked
        assert client.seen[-1]["type"] in ("result", "control_cancel_request", "system")
        assert len(client.of("result")) == len(client.of("system", "init"))
        assert (client.stderr, api.refusals) == ("", [])
