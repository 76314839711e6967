"""Open questions: each ends once, whoever ends it."""

import asyncio
from collections.abc import Callable

import pytest

from hames.harness.events import AskCancelled, Asked, Event, Scope
from hames.harness.inbox import Inbox, Prompt
from hames.harness.ops import JsonAnswer, PermissionAnswer
from hames.harness.questions import Answered, Cancelled, Outcome, Questions, Redecide

ALLOW = PermissionAnswer("allow")
KINDS = frozenset({"permission", "hook_callback"})


def ended(end: Callable[[Questions, str], object], kind: str = "permission") -> list[object]:
    """The outcome (or its error), the types of the events, and whether people were waited for."""

    async def scenario() -> list[object]:
        events: list[Event] = []
        questions = Questions(events.append, KINDS)
        task = asyncio.create_task(questions.ask(kind, Scope("s"), {}, {}))  # type: ignore[arg-type]  # kinds of the table
        await asyncio.sleep(0)
        waiting = questions.waiting is not None
        asked = next(e for e in events if isinstance(e, Asked))
        end(questions, asked.request_id)
        if end is CANCEL:
            task.cancel()
        done: list[Outcome | BaseException] = await asyncio.gather(task, return_exceptions=True)
        assert questions.waiting is None
        assert not questions.reply(asked.request_id, ALLOW)
        outcome = type(done[0]) if isinstance(done[0], BaseException) else done[0]
        return [outcome, [type(event) for event in events], waiting]

    return asyncio.run(scenario())


def cancel(questions: Questions, request_id: str) -> None:
    """The task that asks is cancelled."""


CANCEL = cancel
WITHDRAWN = [Asked, AskCancelled]


@pytest.mark.parametrize(
    ("end", "outcome", "events"),
    [
        (lambda q, i: q.reply(i, ALLOW), Answered(ALLOW), [Asked]),
        (lambda q, i: (q.reply(i, ALLOW), q.close(), q.redecide()), Answered(ALLOW), [Asked]),
        (lambda q, i: q.redecide(), Redecide(), WITHDRAWN),
        (lambda q, i: (q.redecide(), q.reply(i, ALLOW)), Redecide(), WITHDRAWN),
        (lambda q, i: q.close(), Cancelled(), WITHDRAWN),
        (lambda q, i: (q.close(), q.reply(i, ALLOW)), Cancelled(), WITHDRAWN),
        (cancel, asyncio.CancelledError, WITHDRAWN),
    ],
    ids=["answered", "answered first", "redecided", "redecided first", "closed", "late", "gone"],
)
def test_a_question_ends_once(
    end: Callable[[Questions, str], object], outcome: object, events: list[type]
) -> None:
    assert ended(end) == [outcome, events, True]


def test_programs_are_no_people_and_are_not_asked_again() -> None:
    answer = JsonAnswer({})
    assert ended(lambda q, i: (q.redecide(), q.reply(i, answer)), "hook_callback") == [
        Answered(answer),
        [Asked],
        False,
    ]


def test_nobody_is_asked_who_cannot_answer() -> None:
    async def scenario() -> None:
        events: list[Event] = []
        questions = Questions(events.append, KINDS)
        assert await questions.ask("plan", Scope("s"), {}, {}) == Cancelled()
        questions.close()
        assert not questions.can_ask("permission")
        assert await questions.ask("permission", Scope("s"), {}, {}) == Cancelled()
        assert events == []

    asyncio.run(scenario())


def prompts(*texts: str) -> list[Prompt]:
    return [Prompt(text, text) for text in texts]


def test_the_queue_keeps_its_order_and_takes_nothing_twice() -> None:
    inbox = Inbox()
    for prompt in prompts("a", "b", "/c", "d"):
        assert inbox.put(prompt)
    assert not inbox.put(Prompt("a", "again"))
    assert [p.uuid for p in inbox.take_joining()] == ["a", "b"]
    inbox.put_back(prompts("a", "b"))
    assert inbox.queued == ["a", "b", "/c", "d"]
    assert [p.uuid for p in inbox.take_all()] == ["a", "b", "/c", "d"]
    assert inbox.queued == []


def test_a_closed_queue_is_emptied_and_then_ends() -> None:
    async def scenario() -> list[str | None]:
        inbox = Inbox()
        waiting = asyncio.create_task(inbox.take())
        await asyncio.sleep(0)
        inbox.put(prompts("a")[0])
        taken = [await waiting]
        inbox.put(prompts("b")[0])
        inbox.close()
        taken += [await inbox.take(), await inbox.take(), await inbox.take()]
        assert inbox.closed
        return [p.uuid if p is not None else None for p in taken]

    assert asyncio.run(scenario()) == ["a", "b", None, None]


@pytest.mark.parametrize(
    ("content", "blank", "command"),
    [
        ("", True, False),
        (" \n\t", True, False),
        ("x", False, False),
        ("/x", False, True),
        ([{"type": "text", "text": " "}], True, False),
        ([{"type": "text", "text": "/x"}], False, False),
        ([{"type": "image", "source": {}}], False, False),
        ([], True, False),
    ],
)
def test_what_a_message_is(content: str, blank: bool, command: bool) -> None:
    prompt = Prompt("u", content)
    assert (prompt.is_blank, prompt.is_command) == (blank, command)
    assert not Prompt("u", content, literal=True).is_command
