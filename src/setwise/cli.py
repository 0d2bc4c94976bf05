"""The command line: which commands there are, and how each way of ending is told.

exit 0    done
exit 1    a fault of ours: one line, and SETWISE_TRACEBACK=1 shows the traceback
exit 2    a mistake in what was typed or in the data: one line that says how to put it right
exit 130  Ctrl-C

A command is one file in `setwise.commands`, imported when it is called, so that `--help` and `--version` are quick.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from setwise.commands.interrupt import INTERRUPTED, say_interrupted
from setwise.commands.output import drop_output
from setwise.errors import SetwiseError

if TYPE_CHECKING:
    from cyclopts import App

OK, FAULT, MISTAKE, CLOSED_PIPE = 0, 1, 2, 141

COMMANDS = {
    "demo": "See it work on handwritten digits, in a minute.",
    "divergences": """The divergence of every set from every other, to a file or the screen.

Row i, column j is the divergence of set i from set j, estimated from the distances to k-th nearest neighbours.
Estimates keep their sign: values a little below zero are what an honest estimate gives for sets that are alike.

`setwise divergences cells.csv --by patient --divergence renyi:0.9 --divergence kl -k 5 -o out.npz`
""",
    "fit": """Learn to tell the label of a set, and keep the model in a file.

A support vector machine on a kernel of divergences. What is not given, such as the width of the kernel and C, is
chosen by cross-validation among the sets, and the choice is printed. `setwise cv` tells how well that does on sets that
had no part in the choice.

`setwise fit cells.csv --by patient --label disease -o model.skops`
""",
    "predict": """The labels of new sets, by a model that `setwise fit` wrote.

Columns, that of the set ids among them, are found by the names they had when the model was fitted, in whatever order
they come now. --by is for data whose ids are in a column of another name, --columns for a model whose columns had none.

`setwise predict model.skops new.csv --by patient -o predicted.csv`
""",
    "cv": """How well labels of unseen sets are told, by nested cross-validation.

Everything is learned anew for each fold, from the other folds alone: scaling, kernel, parameters, machine. The same is
done with nothing but the mean of each set, on the same folds: what the comparison of whole sets adds to that.

`setwise cv cells.csv --by patient --label disease --repeats 3`
""",
    "anomalies": """Which sets are unlike the others, by two scores that can disagree.

A one-class support vector machine asks how close a set is to the bulk of all others; the distance to the k-th nearest
set asks whether it has close neighbours at all. A set that is close to everything and like nothing is found by the
second alone.

`setwise anomalies cells.csv --by patient -o ranked.csv`
""",
    "embed": """A map of the sets: a place in the plane for each, like ones near each other.

`setwise embed cells.csv --by patient --method mds --label disease -o map.csv --plot map.png`
""",
    "paper": """The experiments of the paper, with its figures beside ours.

Each leaves a table, pictures and a page in a folder. One that was interrupted goes on after the last finished run.

`setwise paper usps --data DIR`
""",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No traceback leaves here unless SETWISE_TRACEBACK asks for it."""
    _prepare_streams()
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C ends the process while threads wind down
        say_interrupted()
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        drop_output()
        return CLOSED_PIPE
    except SetwiseError as error:
        return _tell(str(error), MISTAKE)
    except MemoryError:
        return _tell("the memory ran out. Give --memory a smaller budget, or fewer sets", FAULT)
    except Exception as error:
        cause = error.__cause__ if isinstance(error, ImportError) and error.__cause__ else error
        hint = "This is a fault in setwise; SETWISE_TRACEBACK=1 shows where"
        return _tell(f"{type(cause).__name__}: {str(cause).rstrip('.')}. {hint}", FAULT)


def _run(arguments: list[str]) -> int:
    from cyclopts import CycloptsError, MissingArgumentError

    try:
        _app()(arguments, exit_on_error=False, print_error=False, verbose=False, result_action="return_value")
    except CycloptsError as error:
        command = " ".join(["setwise", *(error.command_chain or ())])
        said = str(error)
        misspelled = "Did you mean" in said
        if isinstance(error, MissingArgumentError) and error.argument is not None and not misspelled:
            name = error.keyword or error.argument.name
            said = f"{name} needs a value." if error.keyword else f"`{command}` needs {name}."
        return _tell(f"{said} See `{command} --help`", MISTAKE)
    sys.stdout.flush()
    return OK


def _prepare_streams() -> None:
    """Print to nobody where a stream is closed, and what the terminal cannot show as its code, such as \\xfc."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _app() -> App:
    from cyclopts import App

    app = App(
        name="setwise",
        help="Machine learning where one example is a set of points.",
        version=_version,
        help_format="markdown",
        suppress_keyboard_interrupt=False,
    )
    for place, (name, text) in enumerate(COMMANDS.items()):
        app.command(f"setwise.commands.{name}:{name}", name=name, help=text, sort_key=place)
    return app


def _version() -> str:
    from setwise import __version__

    return f"setwise {__version__}"


def _tell(message: str, code: int) -> int:
    """Say in one line what went wrong, and return the exit code."""
    if os.environ.get("SETWISE_TRACEBACK"):
        traceback.print_exc()
    print("error: " + " ".join(message.split()), file=sys.stderr)
    return code
