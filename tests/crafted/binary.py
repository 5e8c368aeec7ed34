"""Crafted inputs of binary formats: reports of Nsight Compute (protobuf messages), cubins (ELF), fat binaries, and what compresses them."""

import gzip
import struct
import zlib
from collections.abc import Iterator

from pieces import MEBIBYTE, Crafted, kernel, sparse, text

TIME = b"gpu__time_duration.sum"
ACT = "k\x1b[2J\u202e\u200b\r\n::error::x ##[group]y"

# ---- protobuf


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def integer(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def field(number: int, payload: bytes | str) -> bytes:
    data = payload.encode() if isinstance(payload, str) else payload
    return varint(number << 3 | 2) + varint(len(data)) + data


# ---- reports of Nsight Compute


def entry(message: bytes) -> bytes:
    return struct.pack("<I", len(message)) + message


def block(results: list[bytes], sources: list[bytes] = (), extra: bytes = b"", payload: int | None = None) -> bytes:
    """A block: its header with the numbers of sources and results, and these. `payload`: the size that it claims."""
    body = b"".join(map(entry, [*sources, *results]))
    header = integer(1, len(sources)) + integer(5, len(body) if payload is None else payload) + integer(7, len(results)) + extra
    return entry(header) + body


def report(*blocks: bytes) -> bytes:
    return b"NVR\0" + entry(integer(1, 7)) + b"".join(blocks)


def names(*of: bytes) -> bytes:
    return field(4, b"".join(field(1, one) for one in of))


def xyz(number: int, x: int) -> bytes:
    return field(number, integer(1, x) + integer(2, 1) + integer(3, 1))


def launch(more: bytes = b"", name: bytes | str = "k(int)") -> bytes:
    metric = field(13, integer(1, 0) + field(2, b"\x19" + struct.pack("<d", 5000.0)))
    return field(7, name) + xyz(10, 64) + xyz(11, 128) + metric + integer(22, 1) + integer(23, 7) + more


def one_launch(more: bytes = b"", name: bytes | str = "k(int)", sources: list[bytes] = (), extra: bytes = b"") -> bytes:
    return report(block([launch(more, name)], sources, names(TIME) + extra))


def source(cubin: bytes = b"", ptx: bytes = b"", more: bytes = b"") -> bytes:
    return integer(1, 1) + (field(3, ptx) if ptx else b"") + (field(4, cubin) if cubin else b"") + integer(6, 8 << 16) + more


def rule(messages: bytes, name: str = "R") -> bytes:
    return field(19, field(1, name) + field(2, name) + field(3, messages) + field(4, "SpeedOfLight"))


def message(words: str, more: bytes = b"") -> bytes:
    return field(1, field(1, field(1, words) + integer(2, 2) + field(4, words)) + more)


def zstd(plain: bytes, repeated: int, byte: int = 0) -> bytes:
    """A zstd stream of `plain`, then `byte` `repeated` times in blocks that name it once."""
    out = struct.pack("<I", 0xFD2FB528) + b"\x00\x58"
    for begin in range(0, len(plain), 1 << 16):
        piece = plain[begin:begin + (1 << 16)]
        out += struct.pack("<I", len(piece) << 3)[:3] + piece
    for begin in range(0, repeated, 1 << 17):
        out += struct.pack("<I", min(1 << 17, repeated - begin) << 3 | 2)[:3] + bytes([byte])
    return out + struct.pack("<I", 1)[:3]


def reports() -> Iterator[Crafted]:
    n = 300_000
    for trick, files in {
        "deep nesting": {
            "messages": lambda: one_launch(nested(19, 3000)),
            "rules": lambda: one_launch(nested(19, 3000) * 20),
            "groups": lambda: one_launch(b"\x0b" * n),
            "groups-of-header": lambda: report(entry(b"\x0b" * n)),
        },
        "very many": {
            "metrics": lambda: one_launch(field(13, b"") * n),
            "named-metrics": lambda: report(block([launch(b"".join(field(13, integer(1, i) + field(2, integer(5, 7))) for i in range(40_000)))], [], names(TIME, *(b"m%d" % i for i in range(40_000))))),
            "instances": lambda: one_launch(field(13, integer(1, 0) + field(3, b"") * n)),
            "addresses": lambda: with_lines(cubin([("k", b"\0" * 4096)]), 60_000),
            "rows-of-lines": lambda: with_lines(lines(b"\x01" * (MEBIBYTE // 2) + b"\0\x01\x01")),
            "inlined-lines": lambda: with_lines(lines(INLINED)),
            "files-of-lines": lambda: with_lines(lines(b"\x01\0\x01\x01", tables=b"/src\0\0" + b"a\0\1\0\0" * 150_000 + b"\0")),
            "units-of-lines": lambda: with_lines(cubin([("k", CODE)], [(".debug_line", 1, line_unit(b"") * 15_000, 0, 0)])),
            "functions-of-lines": lambda: with_lines(cubin([(f"k{i}", CODE) for i in range(5000)])),
            "sections": lambda: one_launch(field(17, b"") * n),
            "rules": lambda: one_launch(field(19, b"") * n),
            "named-rules": lambda: one_launch(b"".join(rule(message(f"do {i}"), f"R{i}") for i in range(15_000))),
            "messages": lambda: one_launch(rule(field(1, field(1, b"")) * n)),
            "focus": lambda: one_launch(rule(message("x", field(8, b"") * n))),
            "markers": lambda: one_launch(field(19, field(5, b"") * n)),
            "domains": lambda: one_launch(field(21, field(1, b"") * n)),
            "ranges": lambda: one_launch(field(21, field(2, field(2, field(3, b"") * n)))),
            "threads": lambda: one_launch(field(21, field(2, field(2, field(3, field(1, "a")))) * 100_000)),
            "frames": lambda: one_launch(field(28, field(1, b"") * n)),
            "strings": lambda: report(block([launch()], [], field(4, field(1, b"") * n))),
            "devices": lambda: report(block([launch()], [], names(TIME) + field(3, b"".join(field(6, integer(1, i) + field(2, "GPU")) for i in range(80_000))))),
            "versions": lambda: report(block([launch()], [], names(TIME) + field(3, b"".join(field(8, field(1, f"p{i}") + field(2, "1")) for i in range(60_000))))),
            "blocks": lambda: report(block([]) * 120_000),
            "empty-results": lambda: report(block([b""] * 250_000, [], names(TIME))),
            "small-results": lambda: report(block([field(7, "k")] * 120_000, [], names(TIME))),
            "results": lambda: report(block([launch(name=f"k{i}(int)") for i in range(18_000)], [], names(TIME))),
            "waiting-results": lambda: report(block([launch()] * 18_000), block([], [], names(TIME))),
            "blocks-while-waiting": lambda: report(block([launch()] * 9000), block([]) * 60_000),
            "sources": lambda: report(block([launch()], [b""] * 200_000, names(TIME))),
            "files": lambda: one_launch(sources=[source(more=field(8, field(1, b"") * n))]),
            "functions": lambda: one_launch(sources=[source(more=field(9, field(1, b"") * n))]),
            "same-sources": lambda: one_launch(field(15, integer(1, 1)), sources=[source(cubin([("k", b"\0" * 256)]), kernel("").encode())] * 800),
        },
        "one long thing": {
            "kernel": lambda: one_launch(name="a" * MEBIBYTE),
            "kernel-in-many": lambda: report(block([launch(name="a" * 30_000 + str(i)) for i in range(32)], [], names(TIME))),
            "templates": lambda: one_launch(name="A<" * 200_000),
            "mangled": lambda: report(block([field(5, "_Z" + "N1aIS_" * 100_000) + launch()], [], names(TIME))),
            "metric": lambda: report(block([launch()], [], names(b"m" * MEBIBYTE))),
            "value": lambda: one_launch(field(13, integer(1, 0) + field(2, field(1, "v" * MEBIBYTE)))),
            "rule": lambda: one_launch(rule(message("word " * 200_000))),
            "rule-marks": lambda: one_launch(rule(message("@url:" * 200_000))),
            "rule-homes": lambda: one_launch(rule(message("/home/" * 160_000))),
            "range": lambda: one_launch(field(21, field(2, field(2, field(3, field(1, "r" * MEBIBYTE)))))),
            "gpu": lambda: report(block([launch()], [], names(TIME) + field(3, field(6, integer(1, 0) + field(2, "G" * MEBIBYTE))))),
            "grid": lambda: report(block([field(7, "k") + field(10, integer(1, 2**64 - 1) * 3) + field(11, integer(1, 2**64 - 1) * 3)], [], names(TIME))),
            "varint": lambda: one_launch(b"\x68" + b"\xff" * MEBIBYTE),
        },
        "bomb": {
            "claims-payload": lambda: report(block([launch()], payload=1 << 62)),
            "claims-results": lambda: report(entry(integer(7, 1 << 62) + integer(5, 8))),
            "claims-entry": lambda: report(entry(integer(7, 1) + integer(5, 1 << 31)) + struct.pack("<I", (1 << 31) - 4)),
            "claims-header": lambda: report(struct.pack("<I", 0x7FFFFFFF)),
            "claims-field": lambda: one_launch(b"\x6a" + varint(1 << 40)),
        },
        "acting text": {
            "kernel": lambda: one_launch(name=ACT),
            "metric": lambda: report(block([launch()], [], names(ACT.encode()))),
            "rule": lambda: one_launch(rule(message(ACT), ACT)),
            "range": lambda: one_launch(field(21, field(2, field(2, field(3, field(1, ACT)))))),
            "gpu": lambda: report(block([launch()], [], names(TIME) + field(3, field(6, integer(1, 0) + field(2, ACT))))),
            "file": lambda: one_launch(field(15, integer(1, 1)), sources=[source(more=field(8, field(1, field(1, ACT) + field(2, ACT))))]),
        },
    }.items():
        for name, make in files.items():
            yield Crafted(trick, "ncu-rep", f"{name}.ncu-rep", lambda path, make=make: path.write_bytes(make()) and None)
            if trick in ("very many", "acting text"):
                yield Crafted(trick, "ncu-rep", f"{name}-explain.ncu-rep", lambda path, make=make: path.write_bytes(make()) and None, ("profile", "--explain", "--ncu"))
    start = report(block([launch()], [], names(TIME)))
    yield Crafted("bomb", "ncu-rep", "sparse.ncu-rep", sparse(1 << 34, start))
    big = 512 * MEBIBYTE
    claimed = start + entry(integer(7, 1) + integer(5, big + 4)) + struct.pack("<I", big)
    yield Crafted("bomb", "ncu-rep", "zeros.ncu-repz", text(zstd(claimed, big)))
    yield Crafted("bomb", "ncu-rep", "blocks.ncu-repz", text(zstd(start, big)))
    yield Crafted("bomb", "ncu-rep", "metrics.ncu-repz", text(zstd(start + entry(integer(7, 1) + integer(5, 100 * MEBIBYTE + 4)) + struct.pack("<I", 100 * MEBIBYTE), 100 * MEBIBYTE, 0x6A)))
    yield Crafted("bomb", "ncu-rep", "window.ncu-repz", text(struct.pack("<I", 0xFD2FB528) + b"\x00\xf8" + b"\0" * 64))
    yield Crafted("bomb", "ncu-rep", "frames.ncu-repz", text(zstd(b"", 0) * 80_000))
    yield Crafted("bomb", "ncu-rep", "skippable.ncu-repz", text(struct.pack("<II", 0x184D2A50, 0) * 100_000))
    yield Crafted("bomb", "ncu-rep", "metrics.ncu-rep.gz", text(gzip.compress(one_launch(field(13, b"") * 20_000_000), 9, mtime=0)))


def nested(number: int, depth: int) -> bytes:
    """A message in a message, `depth` times. Each level is written before its content, so that this takes linear time."""
    sizes = [0]
    for _ in range(depth):
        sizes.append(sizes[-1] + len(varint(number << 3 | 2)) + len(varint(sizes[-1])))
    return b"".join(varint(number << 3 | 2) + varint(size) for size in reversed(sizes[:-1]))


# ---- cubins


def elf(sections: list[tuple[str, int, bytes, int, int]], machine: int = 190, flags: int = 0x6005A04) -> bytes:
    """An ELF file of sections (name, type, content, flags, link)."""
    table, body, headers = b"\0", b"", b"\0" * 64
    for name, kind, content, section_flags, link in [*sections, (".shstrtab", 3, b"", 0, 0)]:
        data = table + name.encode() + b"\0" if name == ".shstrtab" else content
        headers += struct.pack("<IIQQQQIIQQ", len(table), kind, section_flags, 0, 64 + len(body), len(data), link, 0, 1, 0)
        table += name.encode() + b"\0"
        body += data
    count = len(sections) + 2
    return b"\x7fELF\x02\x01\x01\x33\x08" + b"\0" * 7 + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 0, 64 + len(body), flags, 64, 56, 0, 64, count, count - 1) + body + headers


def cubin(kernels: list[tuple[str, bytes]], more: list[tuple[str, int, bytes, int, int]] = (), info: bytes = b"") -> bytes:
    sections, strings, symbols = [], [b"\0"], [b"\0" * 24]
    at = 1
    for number, (name, code) in enumerate(kernels):
        sections.append((f".text.{name}", 1, code, 6, 0))
        symbols.append(struct.pack("<IBBHQQ", at, 0x12, 0x10, number + 1, 0, len(code)))
        strings.append(name.encode() + b"\0")
        at += len(strings[-1])
    sections += [*more, (".nv.info", 0x70000000, info, 0, 0), (".strtab", 3, b"".join(strings), 0, 0)]
    sections.append((".symtab", 2, b"".join(symbols), 0, len(sections)))
    return elf(sections)


def line_unit(program: bytes, tables: bytes = b"/src\0\0kernel.cu\0\1\0\0\0") -> bytes:
    """A line program of DWARF 2 and its header."""
    rules = b"\x01\x01\xfb\x0e\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01" + tables
    body = struct.pack("<HI", 2, len(rules)) + rules + program
    return struct.pack("<I", len(body)) + body


BEGIN = b"\0\x09\x02" + b"\0" * 8
CODE = struct.pack("<QQ", 0x7918, 0)


# Each row is called by the one before it.
INLINED = b"".join(b"\0" + bytes([len(varint(i)) + 2]) + b"\x90" + varint(i) + b"\0\x01" for i in range(1, 40_000)) + b"\0\x01\x01"


def with_lines(of: bytes, addresses: int = 2000) -> bytes:
    """A report whose launch has counters for each instruction of a cubin."""
    counters = b"".join(field(3, field(1, integer(5, i * 16)) + field(2, integer(5, 9))) for i in range(addresses))
    sampled = field(13, integer(1, 1) + field(2, integer(5, 9)) + counters)
    functions = field(9, field(1, field(1, "k") + integer(2, 0)))
    return one_launch(sampled + field(5, "k") + field(15, integer(1, 1)), "k", [source(of, more=functions)], field(4, field(1, b"smsp__pcsamp_sample_count")))


def lines(program: bytes, **tables: bytes) -> bytes:
    unit = line_unit(BEGIN + program, **tables)
    relocation = struct.pack("<QQ", unit.index(BEGIN) + 3, 1 << 32 | 2)
    of = cubin([("k", CODE * 64)])
    # The table of symbols comes last, and relocations name it by number.
    count = struct.unpack_from("<H", of, 60)[0]
    return cubin([("k", CODE * 64)], [(".debug_line", 1, unit, 0, 0), (".rel.debug_line", 9, relocation, 0, count)])


def cubins() -> Iterator[Crafted]:
    n = 60_000
    for trick, files in {
        "deep nesting": {
            "inlined": lambda: lines(INLINED),
        },
        "very many": {
            "kernels": lambda: cubin([(f"k{i}", CODE) for i in range(6000)]),
            "same-names": lambda: cubin([("k", CODE)] * 8000),
            "empty-sections": lambda: elf([("", 8, b"", 0, 0)] * 15_000),
            "symbols": lambda: cubin([("k", CODE)], [(".other", 2, struct.pack("<IBBHQQ", 1, 0x12, 0x10, 1, 0, 16) * 40_000, 0, 0)]),
            "attributes": lambda: cubin([("k", CODE)], [(".nv.info.k", 0x70000000, b"\x03\x19\x04\x00" * 250_000, 0, 0)]),
            "attributes-of-symbols": lambda: cubin([("k", CODE)], info=b"\x04\x2f\x08\x00\x01\x00\x00\x00\x28\x00\x00\x00" * 80_000),
            "instructions": lambda: cubin([("k", CODE * n)]),
            "spills": lambda: cubin([("k", (struct.pack("<QQ", 0x7387, 4 << 9) + struct.pack("<QQ", 0x7983, 4 << 9)) * (n // 2))]),
            "rows": lambda: lines(b"\x01" * MEBIBYTE + b"\0\x01\x01"),
            "files-of-lines": lambda: lines(b"\x01\0\x01\x01", tables=b"/src\0\0" + b"a\0\1\0\0" * 200_000 + b"\0"),
            "units": lambda: cubin([("k", CODE)], [(".debug_line", 1, line_unit(b"") * 20_000, 0, 0)]),
            "relocations": lambda: cubin([("k", CODE)], [(".debug_line", 1, line_unit(BEGIN), 0, 0), (".rel.debug_line", 9, struct.pack("<QQ", 40, 1 << 32 | 2) * 60_000, 0, 5)]),
        },
        "one long thing": {
            "name": lambda: cubin([("a" * MEBIBYTE, CODE)]),
            "mangled": lambda: cubin([("_Z" + "N1aIS_" * 60_000, CODE)]),
            "templates": lambda: cubin([("_Z1fI" + "1AI" * 100_000 + "E" * 100_000 + "Evv", CODE)]),
            "path-of-lines": lambda: lines(b"\x01\0\x01\x01", tables=b"/src\0\0" + b"a" * MEBIBYTE + b"\0\1\0\0\0"),
            "advance": lambda: lines(b"\x02" + b"\xff" * 9 + b"\x01\x03" + b"\xff" * 9 + b"\0\x01\0\x01\x01"),
            "names-that-share-an-end": lambda: shared_names(12_000, 500_000),
        },
        "bomb": {
            "claims-section": lambda: elf([(".text.k", 1, CODE, 6, 0)]).replace(struct.pack("<QQI", 64, 16, 0), struct.pack("<QQI", 64, 1 << 62, 0)),
            "claims-sections": lambda: elf([(".text.k", 1, CODE, 6, 0)])[:60] + b"\xff\xff" + elf([(".text.k", 1, CODE, 6, 0)])[62:],
            "claims-number-of-sections": lambda: many_sections(1 << 60),
            "compressed-section": lambda: elf([(".text.k", 1, struct.pack("<IIQQ", 1, 0, 1 << 40, 8) + zlib.compress(b"\0" * MEBIBYTE), 6 | 0x800, 0)]),
            "shared-memory": lambda: elf([(".text.k", 1, CODE, 6, 0), (".nv.shared.k", 8, b"", 3, 0)]).replace(b"\x08\0\0\0\x03", b"\x08\0\0\0\x03"),
        },
        "acting text": {
            "name": lambda: cubin([(ACT, CODE)]),
            "path-of-lines": lambda: lines(b"\x01\0\x01\x01", tables=b"/src\0\0" + ACT.encode() + b"\0\1\0\0\0"),
        },
        "disguise": {
            "no-sections": lambda: cubin([("k", CODE)])[:60] + b"\0\0" + cubin([("k", CODE)])[62:],
            "no-names": lambda: cubin([("k", CODE)])[:62] + b"\0\0" + cubin([("k", CODE)])[64:],
            "cut": lambda: cubin([("k", CODE * 64)])[:-200],
            "renamed": lambda: cubin([("k", CODE)]).replace(b".text.k", b".texd.k"),
        },
    }.items():
        for name, make in files.items():
            yield Crafted(trick, "cubin", f"{name}.cubin", lambda path, make=make: path.write_bytes(make()) and None)
    yield Crafted("bomb", "cubin", "sparse.cubin", sparse(1 << 34, cubin([("k", CODE)])))
    yield Crafted("bomb", "cubin", "zeros.cubin.gz", text(gzip.compress(cubin([("k", CODE)]) + b"\0" * (256 * MEBIBYTE), 9, mtime=0)))


def many_sections(count: int) -> bytes:
    """An ELF file whose first section tells the number of sections, since it does not fit its header."""
    data = bytearray(elf([(".text.k", 1, CODE, 6, 0)]))
    table = struct.unpack_from("<Q", data, 40)[0]
    struct.pack_into("<H", data, 60, 0)
    struct.pack_into("<Q", data, table + 32, count)
    return bytes(data)


def shared_names(count: int, length: int) -> bytes:
    """Sections that all have the same long name."""
    data = bytearray(elf([("a" * length, 1, b"", 0, 0), *[("", 1, b"", 0, 0)] * count]))
    table = struct.unpack_from("<Q", data, 40)[0]
    for number in range(2, count + 2):
        struct.pack_into("<I", data, table + 64 * number, 1)
    return bytes(data)


# ---- fat binaries


def fat_binary(entries: bytes) -> bytes:
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


def fat_entry(kind: int, image: bytes, flags: int = 0x11, unpacked: int = 0, packed: int = 0) -> bytes:
    """An image: kind 1 PTX, 2 cubin; flag 0x2000 lz4, 0x8000 zstd."""
    stored = image + b"\0" * (-len(image) % 8)
    return struct.pack("<HHIQIIIIQQQQ", kind, 0x101, 64, len(stored), packed, 0, 0, 80, 0, flags, 0, unpacked) + stored


def lz4_of(byte: bytes, count: int) -> bytes:
    """`count` times the same byte, as an lz4 block: the byte, and one copy of what was written before."""
    more = count - 1 - 19
    return b"\x1f" + byte + b"\x01\x00" + b"\xff" * (more // 255) + bytes([more % 255])


def archive(members: list[tuple[str, bytes]]) -> bytes:
    out = b"!<arch>\n"
    for name, content in members:
        out += f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return out


def fat_binaries() -> Iterator[Crafted]:
    ptx = kernel("").encode()
    one = fat_binary(fat_entry(1, ptx))

    def packed(kind: int, flags: int, data: bytes, unpacked: int) -> bytes:
        return fat_entry(kind, data, flags, unpacked, len(data))

    big = 512 * MEBIBYTE
    for trick, files in {
        "very many": {
            "ptx": lambda: fat_binary(fat_entry(1, ptx) * 5000),
            "cubins": lambda: fat_binary(fat_entry(2, cubin([("k", CODE)])) * 1200),
            "empty-images": lambda: fat_binary(fat_entry(2, b"") * 15_000),
            "containers": lambda: one + fat_binary(b"") * 60_000,
            "zstd-images": lambda: fat_binary(packed(1, 0x8011, zstd(ptx, 0), len(ptx)) * 4000),
            "members.a": lambda: archive([(f"m{i}.o", b"") for i in range(16_000)]),
            "magic": lambda: elf([(".nv_fatbin", 1, b"\x50\xed\x55\xba" * 250_000, 0, 0)], 62),
            "sections-of-program": lambda: elf([(".nv_fatbin", 1, one, 0, 0)] * 2500, 62),
        },
        "bomb": {
            "lz4": lambda: fat_binary(packed(2, 0x2011, lz4_of(b"\0", big), big)),
            "lz4-ptx": lambda: fat_binary(packed(1, 0x2011, lz4_of(b"\n", big), big)),
            "lz4-many": lambda: fat_binary(packed(2, 0x2011, lz4_of(b"\0", 190 * 5000), 190 * 5000) * 180),
            "lz4-claims": lambda: fat_binary(packed(2, 0x2011, b"\x1fa\x01\x00" + b"\xff" * 64 + b"\0", 1 << 40)),
            "zstd": lambda: fat_binary(packed(2, 0x8011, zstd(b"", big), big)),
            "zstd-lies": lambda: fat_binary(packed(2, 0x8011, zstd(b"", big), 4096)),
            "claims-image": lambda: fat_binary(struct.pack("<HHIQIIIIQQQQ", 2, 0x101, 64, 1 << 62, 0, 0, 0, 80, 0, 0x11, 0, 0)),
            "claims-container": lambda: struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 62) + fat_entry(1, ptx),
            "claims-member.a": lambda: b"!<arch>\n" + f"{'m/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{9999999999:<10}`\n".encode() + one,
            "zero-header": lambda: fat_binary(struct.pack("<HHIQIIIIQQQQ", 2, 0x101, 0, 0, 0, 0, 0, 80, 0, 0x11, 0, 0) * 10_000),
        },
        "acting text": {"ptx": lambda: fat_binary(fat_entry(1, kernel("", "k").encode() + f'.file 1 "{ACT}"\n// '.encode() + ACT.encode()))},
        "disguise": {
            "cut": lambda: fat_binary(fat_entry(2, cubin([("k", CODE * 64)])))[:-300],
            "cubin-without-names": lambda: fat_binary(fat_entry(2, cubin([("k", CODE)])[:62] + b"\0\0" + cubin([("k", CODE)])[64:])),
        },
    }.items():
        for name, make in files.items():
            file = name if name.endswith(".a") else f"{name}.fatbin"
            yield Crafted(trick, "fat binary", file, lambda path, make=make: path.write_bytes(make()) and None)
    yield Crafted("bomb", "fat binary", "sparse.fatbin", sparse(1 << 34, one[:16]))


def inputs() -> Iterator[Crafted]:
    yield from reports()
    yield from cubins()
    yield from fat_binaries()
