"""`python -m classroom VERB`: every command of the repository.

This file must parse on any Python, so that one that is too old gets a sentence, not a SyntaxError.
"""

import sys

OLDEST, NEWEST = (3, 10), (3, 13)


def main():
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        sys.stderr.write(
            "This is Python {}.{}; the pinned TensorFlow has wheels for Python {}.{} to {}.{}. "
            "Install one of those and name it: make lessons PYTHON=python{}.{}\n".format(
                *(sys.version_info[:2] + OLDEST + NEWEST + NEWEST)
            )
        )
        return 2
    from classroom.commands import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
