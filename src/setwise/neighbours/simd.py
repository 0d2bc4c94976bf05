"""The SIMD vocabulary: what Numba lacks, spelled in LLVM's IR through public extension points.

    Lanes      how many float32 lanes one register of the host has: 16 (AVX-512), 8 (AVX2), 4 (NEON, SSE)
    Vec        the Numba type of a register; a tuple of them is a short vector of registers
    Emitter    builds the IR of one operation: loads, arithmetic, masks, sorting networks
    @simd      turns a function of an Emitter into something jitted code can call

Loops over dimensions, list lengths and tile widths are unrolled while the IR is built, so their bounds must
be known then: they are read from the *types* of tuples (a tuple of length 3 says d = 3). Numba's cache on disk
keys on types and on the host's features, never on globals; every constant here is a function of the features.

Squared distances are never negative, and the bits of non-negative floats order as integers do: comparisons and
minima work on the bits, which is twice as fast and lets the low bits carry an index (`Emitter.tag`).
"""

from __future__ import annotations

import inspect
import platform
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic, models, register_model

I1, I32 = ir.IntType(1), ir.IntType(32)
F32, F64 = ir.FloatType(), ir.DoubleType()


def host_lanes() -> int:
    """Lanes of float32 in the widest register that Numba compiles for, which NUMBA_CPU_FEATURES may narrow."""
    features = cpu_target.target_context.codegen().magic_tuple()[2].split(",")
    if {"+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"} <= set(features):
        return 16
    return 8 if {"+avx2", "+fma"} <= set(features) else 4


LANES = host_lanes()
X86 = platform.machine().lower() in {"x86_64", "amd64"}


class Vec(types.Type):  # type: ignore[misc]
    """A register of `lanes` numbers of one element type."""

    def __init__(self, element: types.Type, lanes: int) -> None:
        self.element, self.lanes = element, lanes
        super().__init__(name=f"Vec({element}x{lanes})")

    @property
    def llvm(self) -> ir.VectorType:
        return ir.VectorType(F32 if self.element is types.float32 else F64, self.lanes)


@register_model(Vec)
class VecModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Vec) -> None:
        super().__init__(manager, kind, kind.llvm)


V = Vec(types.float32, LANES)
VF, VI, VM = V.llvm, ir.VectorType(I32, LANES), ir.VectorType(I1, LANES)
WIDE = Vec(types.float64, 8)


def vectors(count: int) -> types.UniTuple:
    """The type of `count` registers."""
    return types.UniTuple(V, count)


class Emitter:
    """Emits the IR of one operation. Arrays come as (type, value) pairs and are addressed by element."""

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        self.context, self.b = context, builder

    # memory
    def address(self, array: tuple[Any, Any], index: ir.Value, kind: ir.Type) -> ir.Value:
        kind_, value = array
        data = self.context.make_array(kind_)(self.context, self.b, value).data
        return self.b.bitcast(self.b.gep(data, [index]), kind.as_pointer())

    def load(self, array: tuple[Any, Any], index: ir.Value, kind: ir.Type = VF) -> ir.Value:
        loaded = self.b.load(self.address(array, index, kind))
        loaded.align = 4
        return loaded

    def store(self, value: ir.Value, array: tuple[Any, Any], index: ir.Value) -> None:
        self.b.store(value, self.address(array, index, value.type)).align = 4

    def spread(self, array: tuple[Any, Any], index: ir.Value) -> ir.Value:
        """One element of an array in all lanes."""
        return self.splat(self.b.load(self.address(array, index, F32)))

    def at(self, index: ir.Value, step: int) -> ir.Value:
        return self.b.add(index, index.type(step))

    def gather(self, base: ir.Value, index: ir.Value, kind: ir.VectorType) -> ir.Value:
        """base[index], lane by lane."""
        value = ir.Constant(kind, ir.Undefined)
        for lane in range(kind.count):
            place = self.b.gep(base, [self.b.extract_element(index, I32(lane))])
            value = self.b.insert_element(value, self.b.load(place), I32(lane))
        return value

    # lanes
    def splat(self, scalar: ir.Value) -> ir.Value:
        kind = ir.VectorType(scalar.type, LANES)
        one = self.b.insert_element(ir.Constant(kind, ir.Undefined), scalar, I32(0))
        return self.b.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(VI, [0] * LANES))

    def count_up(self, start: ir.Value) -> ir.Value:
        """start, start + 1, ... over the lanes."""
        return self.b.add(self.splat(start), ir.Constant(VI, list(range(LANES))))

    def bits(self, value: ir.Value) -> ir.Value:
        return self.b.bitcast(value, VI)

    def floats(self, value: ir.Value) -> ir.Value:
        return self.b.bitcast(value, VF)

    def call(self, name: str, result: ir.Type, arguments: Sequence[ir.Value]) -> ir.Value:
        kind = ir.FunctionType(result, [a.type for a in arguments])
        function = self.b.module.globals.get(name) or ir.Function(self.b.module, kind, name)
        return self.b.call(function, arguments)

    # arithmetic
    def fma(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        return self.call(f"llvm.fmuladd.v{LANES}f32", VF, [x, y, z])

    def minimum(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.floats(self.call(f"llvm.smin.v{LANES}i32", VI, [self.bits(x), self.bits(y)]))

    def maximum(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.floats(self.call(f"llvm.smax.v{LANES}i32", VI, [self.bits(x), self.bits(y)]))

    def maximum_float(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """Of numbers of any sign."""
        return self.b.select(self.b.fcmp_ordered(">", x, y), x, y)

    def positive_part(self, value: ir.Value) -> ir.Value:
        """max(value, 0): a negative float has negative bits."""
        return self.maximum(value, ir.Constant(VF, [0.0] * LANES))

    def least(self, value: ir.Value) -> ir.Value:
        return self.call(f"llvm.vector.reduce.smin.v{LANES}i32", I32, [self.bits(value)])

    def greatest(self, value: ir.Value) -> ir.Value:
        return self.call(f"llvm.vector.reduce.smax.v{LANES}i32", I32, [self.bits(value)])

    def at_most(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.icmp_signed("<=", self.bits(x), self.bits(y))

    def tag(self, value: ir.Value, keep: ir.Value, index: ir.Value) -> ir.Value:
        """A sortable key: the value's leading bits, and an index in the others."""
        return self.floats(self.b.or_(self.b.and_(self.bits(value), keep), index))

    def mask_bits(self, mask: ir.Value) -> ir.Value:
        return self.b.bitcast(mask, ir.IntType(LANES))

    def population(self, mask: ir.Value) -> ir.Value:
        kind = ir.IntType(LANES)
        return self.b.zext(self.call(f"llvm.ctpop.i{LANES}", kind, [self.mask_bits(mask)]), I32)

    def compress(self, value: ir.Value, mask: ir.Value, array: tuple[Any, Any], index: ir.Value) -> None:
        """Store the lanes that the mask names, side by side; up to LANES elements past them are overwritten."""
        if LANES == 16:
            name = f"llvm.experimental.vector.compress.v16{'f' if value.type == VF else 'i'}32"
            packed = self.call(name, value.type, [value, mask, ir.Constant(value.type, ir.Undefined)])
            self.store(packed, array, index)
        elif LANES == 8 and X86:
            order = self.b.load(self.b.gep(self._orders(), [I32(0), self.b.zext(self.mask_bits(mask), I32)]))
            packed = self.call("llvm.x86.avx2.permd", VI, [self.bits(value), order])
            self.store(self.b.bitcast(packed, value.type), array, index)
        else:
            for lane in range(LANES):
                self.store(self.b.extract_element(value, I32(lane)), array, index)
                index = self.b.add(index, self.b.zext(self.b.extract_element(mask, I32(lane)), index.type))

    def _orders(self) -> ir.GlobalVariable:
        """For each of 256 masks, the lanes that it names, first."""
        name = "setwise_compress_orders"
        known = self.b.module.globals.get(name)
        if known is not None:
            return known
        rows = [[i for i in range(8) if mask >> i & 1] for mask in range(256)]
        table = [ir.Constant(VI, row + [0] * (8 - len(row))) for row in rows]
        kind = ir.ArrayType(VI, 256)
        variable = ir.GlobalVariable(self.b.module, kind, name)
        variable.linkage, variable.global_constant = "internal", True
        variable.initializer = ir.Constant(kind, table)
        return variable

    # doubles, of any number of lanes
    def constant(self, like: ir.Value, number: float) -> ir.Value:
        return ir.Constant(like.type, [number] * like.type.count)

    def spread_wide(self, number: ir.Value) -> ir.Value:
        kind = ir.VectorType(number.type, 8)
        one = self.b.insert_element(ir.Constant(kind, ir.Undefined), number, I32(0))
        return self.b.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(I32, 8), [0] * 8))

    def fma_wide(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        return self.call(f"llvm.fmuladd.v{x.type.count}f64", x.type, [x, y, z])

    # networks
    def exchange(self, v: list[ir.Value], i: int, j: int) -> None:
        v[i], v[j] = self.minimum(v[i], v[j]), self.maximum(v[i], v[j])

    def sort(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        """Up to four registers in ascending order, lane by lane."""
        v = list(values)
        pairs = {1: [], 2: [(0, 1)], 3: [(0, 1), (1, 2), (0, 1)], 4: [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]}
        for i, j in pairs[len(v)]:
            self.exchange(v, i, j)
        return v

    def merge(self, kept: Sequence[ir.Value], others: Sequence[ir.Value]) -> list[ir.Value]:
        """The smallest len(kept) of both, ascending; `kept` descends as stored, `others` ascend (Batcher, bitonic).

        Lists are kept in descending order so that the elementwise minimum with an ascending list holds the
        smallest of both, and forms a bitonic sequence.
        """
        kept = list(kept)
        for i in range(min(len(kept), len(others))):
            kept[i] = self.minimum(kept[i], others[i])
        self._bitonic(kept, 0, len(kept))
        return kept

    def _bitonic(self, v: list[ir.Value], low: int, count: int) -> None:
        if count > 1:
            half = 1 << ((count - 1).bit_length() - 1)
            for i in range(low, low + count - half):
                self.exchange(v, i + half, i)
            self._bitonic(v, low, half)
            self._bitonic(v, low + half, count - half)


def simd(result: types.Type | Callable[..., types.Type]) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of jitted code from a function (emitter, *arguments) that emits it.

    Arrays reach it as (type, value) pairs, tuples as lists, everything else as plain IR values. `result` is the
    Numba type of what it returns, or a function from the argument types to that.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, values: Sequence[ir.Value]) -> Any:
            def unpack(kind: Any, value: ir.Value) -> Any:
                if isinstance(kind, types.Array):
                    return kind, value
                if isinstance(kind, types.BaseTuple):
                    return [builder.extract_value(value, i) for i in range(len(kind))]
                return value

            arguments = [unpack(kind, value) for kind, value in zip(signature.args, values, strict=True)]
            answer = emit(Emitter(context, builder), *arguments)
            if isinstance(signature.return_type, types.UniTuple):
                return context.make_tuple(builder, signature.return_type, answer)
            return context.get_dummy_value() if answer is None else answer

        def typed(context: Any, *arguments: types.Type) -> Any:
            kind = result(*arguments) if callable(result) and not isinstance(result, types.Type) else result
            return kind(*arguments), generate

        typed.__name__ = typed.__qualname__ = emit.__name__
        typed.__signature__ = inspect.signature(emit).replace(return_annotation=inspect.Signature.empty)  # type: ignore[attr-defined]
        return intrinsic(typed)

    return decorate


@simd(V)
def splat(e: Emitter, scalar: ir.Value) -> ir.Value:
    return e.splat(scalar)


@simd(V)
def load(e: Emitter, array: Any, index: ir.Value) -> ir.Value:
    return e.load(array, index)


@simd(types.void)
def store(e: Emitter, value: ir.Value, array: Any, index: ir.Value) -> None:
    e.store(value, array, index)


@simd(lambda array, index, like: vectors(len(like)))
def load_many(e: Emitter, array: Any, index: ir.Value, like: list[ir.Value]) -> list[ir.Value]:
    return [e.load(array, e.at(index, LANES * i)) for i in range(len(like))]


@simd(types.void)
def store_many(e: Emitter, values: list[ir.Value], array: Any, index: ir.Value) -> None:
    for i, value in enumerate(values):
        e.store(value, array, e.at(index, LANES * i))


@simd(lambda value, like: vectors(len(like)))
def repeat(e: Emitter, value: ir.Value, like: list[ir.Value]) -> list[ir.Value]:
    return [value] * len(like)


@simd(V)
def minimum(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    return e.minimum(x, y)


@simd(types.int32)
def least_bits(e: Emitter, value: ir.Value) -> ir.Value:
    return e.least(value)


@simd(types.int32)
def greatest_bits(e: Emitter, value: ir.Value) -> ir.Value:
    return e.greatest(value)


@simd(types.float32)
def from_bits(e: Emitter, value: ir.Value) -> ir.Value:
    """A float from its bits; jitted code widens integers as it computes with them."""
    return e.b.bitcast(e.b.trunc(value, I32) if value.type != I32 else value, F32)


@simd(types.uint32)
def lowest(e: Emitter, mask: ir.Value) -> ir.Value:
    """The index of the lowest bit that is set."""
    return e.call("llvm.cttz.i32", I32, [_narrowed(e, mask), I1(0)])


@simd(types.uint32)
def bits_set(e: Emitter, mask: ir.Value) -> ir.Value:
    return e.call("llvm.ctpop.i32", I32, [_narrowed(e, mask)])


def _narrowed(e: Emitter, mask: ir.Value) -> ir.Value:
    """Jitted code widens integers as it computes with them."""
    return e.b.trunc(mask, I32) if mask.type != I32 else mask


@simd(types.uint32)
def at_most(e: Emitter, values: Any, i: ir.Value, limit: ir.Value) -> ir.Value:
    """Which of LANES values are no greater than a limit."""
    return e.b.zext(e.mask_bits(e.at_most(e.load(values, i), e.splat(limit))), I32)
