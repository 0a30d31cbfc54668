"""What stands between a learner and a task: `check` and `hint`; and the repository's commands.

In an exercise: `from classroom import check, hint`. On a command line: `python -m classroom`.
Names are looked up on first use, so that the commands run before TensorFlow is installed.
"""


def __getattr__(name):
    if name in ("check", "hint"):
        from classroom import checking

        return getattr(checking, name)
    raise AttributeError("module 'classroom' has no attribute {!r}".format(name))  # noqa: UP032
