"""Runs a learner's function with a time limit, and turns whatever it does into an observation."""

import ctypes
import threading
from collections.abc import Callable

from classroom.observation import Observation
from classroom.observe import observe, observe_exception

TIMED_OUT = "TimedOut"


class TimedOut(BaseException):
    """Raised inside the learner's function; no `except Exception` there swallows it."""


def observe_call(function: Callable, arguments: tuple, seconds: float) -> Observation:
    """Call `function(*arguments)` for at most `seconds` and describe what came back.

    An exception becomes an observation of kind "exception"; so does running out of time, with
    the type "TimedOut". The call runs on a thread of its own: a loop in Python is then ended by
    an exception from outside; a single very long operation is left behind and cannot be ended.
    """
    box: list[Observation] = []

    def run() -> None:
        try:
            box.append(observe(function(*arguments)))
        except BaseException as error:
            box.append(observe_exception(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not thread.is_alive():
        return box[0]
    for _ in range(20):  # a bare `except:` in the loop may swallow the first few
        raise_in(thread, TimedOut)
        thread.join(0.1)
        if not thread.is_alive():
            break
    return {"kind": "exception", "type": TIMED_OUT, "message": f"no result after {seconds:g} s"}


def raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise an exception in another thread at its next Python instruction."""
    ident = ctypes.c_ulong(thread.ident)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(error))
