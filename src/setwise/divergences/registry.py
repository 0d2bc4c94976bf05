"""Every divergence by its name. The parser, the command line, the tests and the documentation's table read this."""

from __future__ import annotations

from setwise.divergences.density import L2, AlphaBeta, Linear
from setwise.divergences.jensen_shannon import JensenShannon
from setwise.divergences.kl import KL
from setwise.divergences.protocol import Divergence
from setwise.divergences.ratio import Bhattacharyya, Hellinger, Renyi, Tsallis
from setwise.divergences.spelling import read
from setwise.errors import InputError

REGISTRY: dict[str, type[Divergence]] = {
    "linear": Linear,
    "l2": L2,
    "bhattacharyya": Bhattacharyya,
    "hellinger": Hellinger,
    "renyi": Renyi,
    "tsallis": Tsallis,
    "kl": KL,
    "js": JensenShannon,
    "alphabeta": AlphaBeta,
}
ALIASES = {"jensenshannon": "js", "jensen-shannon": "js"}


def parse(text: str) -> Divergence:
    """A divergence from its spelling: renyi:0.9, renyi:0.9:matched, kl, l2:cross, alphabeta:-0.5:0.5, js, ..

    `str` of a divergence is its spelling, and upper or lower case makes no difference.
    """
    if not isinstance(text, str):
        raise InputError(f"a divergence is spelled as text, such as 'renyi:0.9'; got a {type(text).__name__}.")
    divergence: Divergence = read(text, REGISTRY, ALIASES)
    return divergence


def as_divergence(given: Divergence | str) -> Divergence:
    """A divergence that may be given by its spelling."""
    if isinstance(given, str):
        return parse(given)
    if isinstance(given, type) or not isinstance(given, Divergence):
        shown = f"the class {given.__name__}" if isinstance(given, type) else f"a {type(given).__name__}"
        raise InputError(f"divergence is {shown}; give an instance, such as Renyi(0.9) or KL(), or its spelling.")
    return given
