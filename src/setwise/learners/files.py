"""Model files: a fitted estimator in one file, written and read through skops, which runs nothing it does not know.

A file is a zip archive: what skops writes (`schema.json`, and an .npy for each array), and `setwise.json`, which says
what wrote it. Version 1 of the latter: `format`, `version`, `setwise` (the version that wrote it) and `model`.
"""

from __future__ import annotations

import json
import os
import zipfile
from importlib import import_module
from typing import IO, Any

from sklearn import model_selection
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from setwise import __version__
from setwise.divergences import REGISTRY
from setwise.errors import InputError
from setwise.io import check_destination, write_whole
from setwise.refusals import listed
from setwise.sets import SampleSets

FORMAT = "setwise model"
VERSION = 1
_HEADER, _SCHEMA = "setwise.json", "schema.json"
_PACKAGES = ("setwise.features", "setwise.divergences", "setwise.kernels", "setwise.learners")


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, or a Pipeline, to a file that `load` reads; the file is either whole or absent.

    It holds the estimators of setwise and scikit-learn, the divergences, sets, arrays and plain values: what a model
    needs to predict. Anything else, such as a function in a step of a Pipeline, is refused: to load it is to run it.
    """
    if isinstance(model, type) or not isinstance(model, BaseEstimator):
        shown = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise InputError(f"model is {shown}; give a fitted estimator, such as SetSVC().fit(sets, labels).")
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise InputError(f"this {type(model).__name__} is not fitted; call fit before save.") from error
    check_destination(path)  # before skops, whose import takes a second
    from skops.io import dump, get_untrusted_types

    name = type(model).__name__
    header = {"format": FORMAT, "version": VERSION, "setwise": __version__, "model": name}
    with write_whole(path) as temporary:
        try:
            dump(model, temporary, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
            foreign = sorted(set(get_untrusted_types(file=temporary)) - set(trusted_types()))
        except (TypeError, ValueError, AttributeError) as error:
            raise InputError(f"cannot save this {name}: {_reason(error)}.") from error
        if foreign:
            remedy = "use what setwise and scikit-learn have"
            if hasattr(model, "best_estimator_"):
                remedy = "save its best_estimator_"
            raise InputError(f"cannot save this {name}: it holds {listed(foreign, 3)}, which load refuses; {remedy}.")
        with zipfile.ZipFile(temporary, "a") as archive:
            archive.writestr(_HEADER, json.dumps(header))


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator that `save` wrote. Types of other packages than setwise, scikit-learn and NumPy are refused.

    Nothing of a file that is refused is run. What is not checked is sense: of a file from a stranger, the answers may
    be anything.
    """
    shown = f"'{os.fspath(path)}'"
    try:
        with open(path, "rb") as stream:
            if not zipfile.is_zipfile(stream):
                raise InputError(f"{shown} is no model file: {_guess(stream)}")
            return _read(stream, shown)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"cannot read {shown}: {error.strerror or error}.") from error
    except Exception as error:  # a damaged or malicious file makes skops raise whatever its content leads to
        raise InputError(f"{shown} is damaged, or no model file; save the model again. ({_reason(error)})") from error


def trusted_types() -> list[str]:
    """What a file may hold beside what skops trusts (scikit-learn's estimators, arrays), by name.

    Our own types, and the splitters of scikit-learn that a tuner's `cv` may be.
    """
    public = [getattr(home, name) for home in map(import_module, _PACKAGES) for name in home.__all__]
    kept = [one for one in public if isinstance(one, type) and issubclass(one, BaseEstimator)]
    splitters = [
        one for one in vars(model_selection).values() if isinstance(one, type) and hasattr(one, "get_n_splits")
    ]
    return [f"{one.__module__}.{one.__qualname__}" for one in (*kept, SampleSets, *REGISTRY.values(), *splitters)]


def _read(stream: IO[bytes], shown: str) -> Any:
    from skops.io import get_untrusted_types
    from skops.io import load as construct

    with zipfile.ZipFile(stream) as archive:
        names = archive.namelist()
        header = json.loads(archive.read(_HEADER)) if _HEADER in names else None
    if _SCHEMA not in names:
        raise InputError(f"{shown} is no model file: it is an archive of something else.")
    written_by = "another program" if header is None else f"setwise {_plain(header['setwise'])}"
    if header is not None and (header["format"] != FORMAT or header["version"] > VERSION):
        raise InputError(
            f"{shown} has layout {header['version']} of a {_plain(header['format'])}, written by {written_by}; this is "
            f"setwise {__version__}, which reads a {FORMAT} up to {VERSION}. Upgrade setwise."
        )
    ours = trusted_types()
    foreign = sorted(set(get_untrusted_types(file=stream)) - set(ours))
    if foreign:
        newer = all(name.startswith("setwise.") for name in foreign)
        raise InputError(
            f"{shown}, written by {written_by}, holds {_plain(listed(foreign, 3))}: not of the types that setwise "
            f"{__version__} loads. "
            + ("Upgrade setwise." if newer else "Nothing of it was run; save a model of setwise and sklearn alone.")
        )
    if header is None:
        raise InputError(f"{shown} was not written by setwise.save; load it by skops.io.load, and save it.")
    try:
        model = construct(stream, trusted=ours)
    except InputError as error:  # of sets that cannot be
        raise InputError(f"{shown} is damaged: {error}") from error
    if not isinstance(model, BaseEstimator):
        raise InputError(f"{shown} holds a {type(model).__name__}, not a model; save an estimator.")
    check_is_fitted(model)
    return model


def _guess(stream: IO[bytes]) -> str:
    stream.seek(0)
    start = stream.read(2)
    if not start:
        return "it is empty."
    if start == b"PK":
        return "it is damaged or cut short; save the model again."
    if start[:1] == b"\x80":
        return "it is a pickle, which runs whatever its author wants; save the model by setwise.save."
    return "it is something else; give what setwise.save or `setwise fit` wrote."


def _reason(error: Exception) -> str:
    return _plain((str(error).splitlines() or [type(error).__name__])[0].rstrip("."))


def _plain(text: str) -> str:
    """A text out of a file, as a terminal can be given it."""
    return text.encode("unicode_escape").decode()
