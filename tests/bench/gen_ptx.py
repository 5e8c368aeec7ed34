#!/usr/bin/env python3
"""Writes PTX of any size in the style of nvcc: gen_ptx.py SIZE OUT.ptx   (SIZE takes k, M, G)

Kernels of a few hundred instructions each: indices, a guarded loop with loads, arithmetic of several kinds,
shared memory, branches in and out of loops. The same SIZE gives the same bytes.
"""
import random
import sys

from gen_ncu_csv import byte_count

HEAD = """//
// Generated for benchmarks
//
.version 8.4
.target sm_80
.address_size 64

"""
BINARY = ["add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.s32"]
FLOAT = ["add.f32", "mul.f32", "sub.f32", "max.f32"]


def block(rng, lines, ints, floats, longs):
    """A straight run of instructions over registers that exist."""
    def r(n):
        return rng.randrange(1, n)
    for _ in range(rng.randrange(8, 30)):
        kind = rng.random()
        if kind < 0.30:
            lines.append(f"\t{rng.choice(BINARY)} \t%r{r(ints)}, %r{r(ints)}, %r{r(ints)};")
        elif kind < 0.55:
            lines.append(f"\tfma.rn.f32 \t%f{r(floats)}, %f{r(floats)}, %f{r(floats)}, %f{r(floats)};")
        elif kind < 0.70:
            lines.append(f"\t{rng.choice(FLOAT)} \t%f{r(floats)}, %f{r(floats)}, %f{r(floats)};")
        elif kind < 0.80:
            lines.append(f"\tld.global.f32 \t%f{r(floats)}, [%rd{r(longs)}+{4 * rng.randrange(64)}];")
        elif kind < 0.86:
            lines.append(f"\tst.global.f32 \t[%rd{r(longs)}+{4 * rng.randrange(64)}], %f{r(floats)};")
        elif kind < 0.92:
            lines.append(f"\tmul.wide.s32 \t%rd{r(longs)}, %r{r(ints)}, 4;")
            lines.append(f"\tadd.s64 \t%rd{r(longs)}, %rd{r(longs)}, %rd{r(longs)};")
        elif kind < 0.96:
            lines.append(f"\tld.shared.f32 \t%f{r(floats)}, [tile+{4 * rng.randrange(256)}];")
        else:
            lines.append(f"\tcvt.rn.f32.s32 \t%f{r(floats)}, %r{r(ints)};")


def kernel(rng, number):
    ints, floats, longs = rng.randrange(24, 90), rng.randrange(24, 120), rng.randrange(12, 40)
    name = f"_Z{len(f'bench{number}') }bench{number}PKfPfi"
    lines = [f"\t// .globl\t{name}", f".visible .entry {name}(", f"\t.param .u64 {name}_param_0,", f"\t.param .u64 {name}_param_1,",
             f"\t.param .u32 {name}_param_2", ")", "{", "\t.reg .pred \t%p<16>;", f"\t.reg .f32 \t%f<{floats}>;", f"\t.reg .b32 \t%r<{ints}>;",
             f"\t.reg .b64 \t%rd<{longs}>;", "\t.shared .align 4 .b8 tile[1024];", "",
             f"\tld.param.u64 \t%rd1, [{name}_param_0];", f"\tld.param.u64 \t%rd2, [{name}_param_1];", f"\tld.param.u32 \t%r1, [{name}_param_2];",
             "\tcvta.to.global.u64 \t%rd3, %rd1;", "\tmov.u32 \t%r2, %ctaid.x;", "\tmov.u32 \t%r3, %ntid.x;", "\tmov.u32 \t%r4, %tid.x;",
             "\tmad.lo.s32 \t%r5, %r2, %r3, %r4;", "\tsetp.ge.s32 \t%p1, %r5, %r1;", f"\t@%p1 bra \t$L__BB{number}_end;"]
    for loop in range(rng.randrange(2, 8)):
        lines.append(f"$L__BB{number}_{2 * loop}:")
        block(rng, lines, ints, floats, longs)
        lines.append(f"\tsetp.lt.s32 \t%p2, %r{rng.randrange(1, ints)}, %r1;")
        lines.append(f"\t@!%p2 bra \t$L__BB{number}_{2 * loop + 1};")
        block(rng, lines, ints, floats, longs)
        lines.append(f"$L__BB{number}_{2 * loop + 1}:")
        block(rng, lines, ints, floats, longs)
        lines.append(f"\tadd.s32 \t%r{6 + loop}, %r{6 + loop}, 1;")
        lines.append(f"\tsetp.lt.s32 \t%p3, %r{6 + loop}, %r1;")
        lines.append(f"\t@%p3 bra \t$L__BB{number}_{2 * loop};")
        lines.append("\tbar.sync \t0;")
    lines += [f"$L__BB{number}_end:", "\tret;", "", "}", ""]
    return "\n".join(lines) + "\n"


def write(path, size):
    rng = random.Random(1)
    with open(path, "w") as out:
        written, number = out.write(HEAD), 0
        while written < size:
            written += out.write(kernel(rng, number))
            number += 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(sys.argv[2], byte_count(sys.argv[1]))
