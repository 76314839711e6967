"""Bash runs a command, tells the truth about it, and leaves nothing behind."""

import asyncio
import resource
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hames.system.types import JsonObject
from hames.tools.base import ToolError, ToolResult
from hames.tools.bash import Bash, timeout_seconds
from hames.tools.bash_reads import mark_of
from hames.tools.context import ToolContext
from hames.tools.effects import ReadState, SetCwd
from hames.tools.read_mark import ReadMark
from support.processes import alive, left_after
from support.shell_context import shell_context


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "work"


async def call(
    ctx: ToolContext, command: str, tool: Bash | None = None, **given: Any
) -> ToolResult:
    tool = tool or Bash()
    args = tool.parse({"command": command, **given})
    return await asyncio.wait_for(tool.run(args, ctx), 60)


def bash(ctx: ToolContext, command: str, **given: Any) -> ToolResult:
    return asyncio.run(call(ctx, command, **given))


def output(stdout: str, stderr: str = "", **more: Any) -> JsonObject:
    return {
        "stdout": stdout,
        "stderr": stderr,
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
        **more,
    }


def test_a_success_shows_both_streams_in_order(root: Path) -> None:
    result = bash(shell_context(root), "echo a; echo b >&2; echo c")
    assert result == ToolResult("a\nb\nc", output("a\nb\nc"))
    assert list((root.parent / "spill").iterdir()) == []


def test_silence_is_said(root: Path) -> None:
    result = bash(shell_context(root), "mkdir new")
    assert result == ToolResult("(no output)", output("", noOutputExpected=True))


@pytest.mark.parametrize(
    ("command", "code", "text"),
    [
        ("echo out; exit 3", 3, "out"),
        ("false", 1, ""),
        ("nosuchprogram 2>/dev/null", 127, ""),
        ("kill -9 $$", 137, "The command was killed by SIGKILL."),
        ("cat /dev/null | sh -c 'exit 9'", 9, ""),
    ],
)
def test_a_failure_starts_with_its_exit_code(
    command: str, code: int, text: str, root: Path
) -> None:
    result = bash(shell_context(root), command)
    assert (result.content, result.failed) == (f"Exit code {code}\n{text}".rstrip("\n"), True)


@pytest.mark.parametrize(
    ("command", "meaning"),
    [
        ("grep x /dev/null", "No matches found"),
        ("cd / && grep x /dev/null", "No matches found"),
        ("cat /dev/null | grep x", "No matches found"),
        ("echo a; grep x /dev/null 2>&1", "No matches found"),
        ("[ 1 = 2 ]", "Condition is false"),
        ("LC_ALL=C diff <(echo a) <(echo b)", None),
        ("echo a > a; echo b > b; diff a b", "Files differ"),
        ("sh -c 'exit 1' && grep x /dev/null", None),
        ("sh -c 'exit 1'", None),
    ],
)
def test_exit_one_of_a_search_is_an_answer(command: str, meaning: str | None, root: Path) -> None:
    result = bash(shell_context(root), command)
    assert isinstance(result.structured, dict)
    assert result.structured.get("returnCodeInterpretation") == meaning
    assert result.failed is (meaning is None)


def test_a_large_success_is_kept_and_its_two_ends_are_shown(root: Path) -> None:
    result = bash(shell_context(root), "echo FIRST; seq 100000; echo LAST")
    assert isinstance(result.structured, dict)
    assert isinstance(result.content, str)
    path = Path(result.structured["persistedOutputPath"])
    whole = path.read_text()
    assert whole.startswith("FIRST\n1\n")
    assert whole.endswith("100000\nLAST\n")
    assert result.structured["persistedOutputSize"] == len(whole)
    assert result.content.startswith("FIRST\n1\n")
    assert result.content.endswith("100000\nLAST")
    assert f"the middle of {len(whole)} bytes is left out here" in result.content
    assert str(path) in result.content
    assert len(result.content) < 5_000
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_large_failure_shows_ten_thousand_characters(root: Path) -> None:
    result = bash(shell_context(root), "seq 10000; exit 2")
    assert isinstance(result.content, str)
    assert result.content.startswith("Exit code 2\n1\n2\n")
    assert result.content.endswith("\n10000")
    assert 10_000 < len(result.content) < 10_400


@pytest.mark.parametrize(("limit", "shown"), [("100", False), ("99999", True), ("x", True)])
def test_the_output_limit_only_lowers_the_cap(limit: str, shown: bool, root: Path) -> None:
    ctx = shell_context(root, env={"BASH_MAX_OUTPUT_LENGTH": limit})
    assert (bash(ctx, "seq 2000").content == "\n".join(map(str, range(1, 2001)))) is shown


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (r"printf '\033[31mred\033[0m'", "red"),
        (r"printf '10%%\r50%%\r100%%\n'", "100%"),
        (r"printf 'a\r\nb\r\n'", "a\nb"),
        (r"printf '\033]0;title\007x'", "\\x1b]0;title\\x07x"),
        (r"printf '\377\376ok'", "\ufffd\ufffdok"),
        (r"printf 'a\000b'", "a\\x00b"),
        ("printf 'ünï'", "ünï"),
    ],
)
def test_output_is_safe_to_show(command: str, shown: str, root: Path) -> None:
    assert bash(shell_context(root), command).content == shown


@pytest.mark.fault
def test_a_hundred_megabytes_cost_little(root: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = bash(shell_context(root), "yes 0123456789 | head -c 100000000")
    assert isinstance(result.structured, dict)
    assert result.structured["persistedOutputSize"] == 100_000_000
    assert Path(result.structured["persistedOutputPath"]).stat().st_size <= 65 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


@pytest.mark.parametrize(
    ("given", "env", "seconds"),
    [
        (None, {}, 120),
        (500, {}, 0.5),
        (10**9, {}, 600),
        (0, {}, 120),
        (-5, {}, 120),
        (None, {"BASH_DEFAULT_TIMEOUT_MS": "3000"}, 3),
        (None, {"BASH_DEFAULT_TIMEOUT_MS": "soon"}, 120),
        (10**9, {"BASH_MAX_TIMEOUT_MS": "5000"}, 120),
        (10**9, {"BASH_MAX_TIMEOUT_MS": "900000"}, 900),
    ],
)
def test_timeouts_are_clamped(given: float | None, env: Mapping[str, str], seconds: float) -> None:
    assert timeout_seconds(given, env) == seconds


def test_at_its_timeout_a_command_ends_with_all_it_started(root: Path) -> None:
    mark = f"1{uuid.uuid4().int % 10**9:09}"
    result = bash(shell_context(root), f"echo up; setsid sleep {mark} & sleep {mark}", timeout=300)
    assert isinstance(result.structured, dict)
    assert result.content == (
        "Exit code 143\nThe command did not end within its timeout of 0.3 s: stopped.\nup"
    )
    assert (result.failed, result.structured["interrupted"]) == (True, True)
    assert left_after(mark) == []


def test_a_cancelled_call_ends_its_command_and_its_files(root: Path) -> None:
    mark = f"1{uuid.uuid4().int % 10**9:09}"

    async def work() -> None:
        task = asyncio.create_task(call(shell_context(root), f"sleep {mark}; sleep {mark}"))
        while not alive(mark):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    assert left_after(mark) == []
    assert list((root.parent / "spill").iterdir()) == []


def test_progress_tells_the_newest_output(root: Path) -> None:
    seen: list[str] = []
    bash(shell_context(root, progress=seen.append), "echo early; sleep 1.1")
    assert seen == ["early"]


@pytest.mark.parametrize(
    ("command", "place", "notice"),
    [
        ("cd sub", "sub", False),
        ("cd sub; exit 4", "sub", False),
        ("(cd sub)", None, False),
        ("cd sub && false", "sub", False),
        ("cd sub; pwd() { echo /tmp; }; alias pwd=ls", "sub", False),
        ("cd 'odd\nname '", "odd\nname ", False),
        ("set -C; cd sub", "sub", False),
        ("cd link", "sub", False),
        ("cd /", None, True),
        ("mkdir gone; cd gone; rmdir ../gone", None, False),
    ],
)
def test_the_directory_carries_over_inside_the_project(
    command: str, place: str | None, notice: bool, root: Path
) -> None:
    (root / "sub").mkdir()
    (root / "odd\nname ").mkdir()
    (root / "link").symlink_to("sub")
    result = bash(shell_context(root), command)
    expected = () if place is None else (SetCwd(root / place),)
    assert isinstance(result.structured, dict)
    assert result.effects == expected
    reset = f"Shell cwd was reset to {root}"
    assert (result.structured["stderr"] == reset, reset in str(result.content)) == (notice, notice)


def test_a_command_that_leaves_the_project_from_below_goes_back_to_its_root(root: Path) -> None:
    (root / "sub").mkdir()
    result = bash(shell_context(root, cwd=root / "sub"), "cd /tmp")
    assert result.effects == (SetCwd(root),)


def test_the_directory_stays_when_the_user_wants_that(root: Path) -> None:
    (root / "sub").mkdir()
    env = {"CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1"}
    assert bash(shell_context(root, env=env), "cd sub").effects == ()


def test_nothing_runs_in_another_place_when_the_directory_is_gone(root: Path) -> None:
    result = bash(shell_context(root, cwd=root / "gone"), "touch made")
    assert (result.failed, result.effects) == (True, (SetCwd(root),))
    assert not (root / "made").exists()


def test_children_know_where_they_run_and_cannot_ask(root: Path) -> None:
    env = {"OTEL_EXPORTER": "x", "CLAUDE_CODE_SESSION_ID": "s1", "MY_API_KEY": "k"}
    names = "$CLAUDECODE $CLAUDE_CODE_CHILD_SESSION $GIT_TERMINAL_PROMPT $GIT_EDITOR"
    command = f'echo {names} $CLAUDE_CODE_SESSION_ID "[$OTEL_EXPORTER]" "[$MY_API_KEY]"'
    assert bash(shell_context(root, env=env), command).content == "1 1 0 true s1 [] [k]"
    env["CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"] = "1"
    assert bash(shell_context(root, env=env), command).content == "1 1 0 true s1 [] []"


def test_exports_do_not_persist_but_the_env_file_counts(root: Path) -> None:
    (root / "env file").write_text("export STAGE=dev\n")
    ctx = shell_context(root, env={"CLAUDE_ENV_FILE": str(root / "env file")})
    assert bash(ctx, "echo $STAGE; export STAGE=x").content == "dev"
    assert bash(ctx, "echo $STAGE").content == "dev"


def test_aliases_functions_and_options_of_the_user_apply(root: Path) -> None:
    home = root.parent / "home"
    (home / ".bashrc").write_text(
        "alias greet='echo hello'\nwave() { echo wave \"$1\"; }\nshopt -s extglob\necho noise\n"
    )
    ctx = shell_context(root, env={"SHELL": shutil.which("bash") or ""})
    result = bash(ctx, "greet you; wave me; case aab in +(a)b) echo ext;; esac")
    assert result.content == "hello you\nwave me\next"


@pytest.mark.parametrize("rc", ["exit 3", "((", "set -e; false", "exec sleep 60"])
def test_a_broken_start_up_file_costs_at_most_its_time(rc: str, root: Path) -> None:
    (root.parent / "home" / ".bashrc").write_text(rc + "\n")
    ctx = shell_context(root, env={"SHELL": shutil.which("bash") or ""})

    async def work() -> list[ToolResult]:
        tool = Bash()
        return await asyncio.gather(*(call(ctx, "echo fine", tool) for _ in range(3)))

    assert [result.content for result in asyncio.run(work())] == ["fine"] * 3


def test_a_prefix_gets_the_command_as_one_argument(root: Path) -> None:
    wrapper = root / "wrap"
    wrapper.write_text('#!/bin/sh\necho "wrapped $#"\nexec sh -c "$1"\n')
    wrapper.chmod(0o755)
    ctx = shell_context(root, env={"CLAUDE_CODE_SHELL_PREFIX": str(wrapper)})
    assert bash(ctx, "echo 'a  b'").content == "wrapped 1\na  b"


def test_a_very_long_command_runs(root: Path) -> None:
    text = "x" * 300_000
    result = bash(shell_context(root), f"cat > made <<'EOF'\n{text}\nEOF\ncd /tmp/../{root}")
    assert result.content == "(no output)"
    assert (root / "made").read_text() == text + "\n"
    assert list((root.parent / "spill").iterdir()) == []


@pytest.mark.parametrize(
    ("command", "whole"),
    [
        ("cat a.txt", True),
        ("nl a.txt", True),
        ("head -n 2 a.txt", False),
        ("sed -n '1,2p' a.txt", False),
        ("grep -n 'o|n' a.txt; true", None),
        ("grep -n 'on*' a.txt", False),
        ("cat a.txt | head", None),
        ("cat a.txt b.txt", None),
        ("cat < a.txt", None),
        ("cat missing.txt", None),
        ("sed -i 's/a/b/' a.txt", None),
    ],
)
def test_a_plain_look_at_one_file_counts_as_a_read(
    command: str, whole: bool | None, root: Path
) -> None:
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("one\ntwo\n")
    found = (root / "a.txt").stat()
    mark = ReadMark(root / "a.txt", found.st_mtime_ns, found.st_size, bool(whole))
    result = bash(shell_context(root), command)
    assert result.effects == (() if whole is None else (ReadState(mark),))


def test_files_changed_by_a_command_are_named(root: Path) -> None:
    (root / "a.py").write_text("a=1")
    mark = mark_of(root / "a.py", whole=True)
    assert mark is not None
    ctx = shell_context(root, reads={mark.path: mark})
    result = bash(ctx, "echo 'a = 1' > a.py")
    hint = f"Changed since you read them: {root / 'a.py'}. Read again before you edit."
    assert result.structured == output("", hint, staleReadFileStateHint=hint)
    assert hint in str(result.content)


@pytest.mark.parametrize("command", ["echo a\0b", ""])
def test_input_that_no_shell_takes_is_refused(command: str, root: Path) -> None:
    with pytest.raises(ToolError):
        bash(shell_context(root), command)


def test_ten_sleeps_share_their_time(root: Path) -> None:
    async def work() -> float:
        loop = asyncio.get_running_loop()
        tool, begun = Bash(), loop.time()
        await asyncio.gather(*(call(shell_context(root), "sleep 0.5", tool) for _ in range(10)))
        return loop.time() - begun

    assert asyncio.run(work()) < 1.5
