"""Crafted inputs: small files that name something huge, nest without end or hide what they are, one function for each trick.

`inputs()` yields them; run.py runs frx on each and judges how it ends. Those of binary formats are in binary.py.
"""

import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import binary
from pieces import (DRAM, MEBIBYTE, METADATA, NCU_TEXT, NSYS_HEAD, NVPROF_HEAD, PTX_HEAD, RUN_EVENT, TALL_HEAD, Crafted, bundle, cuda, event, kernel, sparse,
                    text, trace, zipped)



def nesting() -> Iterator[Crafted]:
    """Every production that may contain itself, a hundred thousand levels deep."""
    n = 100_000
    trick = "deep nesting"
    yield Crafted(trick, "trace", "nested-arrays.json", text(trace(event()[:-2] + ', "a": ' + "[" * n + "]" * n + "}}")))
    yield Crafted(trick, "trace", "nested-objects.json", text(trace(event(), '"x": ' + '{"a":' * n + "1" + "}" * n + ", ")))
    yield Crafted(trick, "trace", "unclosed-arrays.json", text('{"traceEvents": ' + "[" * (8 * n)))
    yield Crafted(trick, "run bundle", "nested-metadata", bundle(metadata='{"a":' * n + "1" + "}" * n, events=RUN_EVENT))
    yield Crafted(trick, "run bundle", "nested-event", bundle(metadata=METADATA, events='{"a":' * n + "1" + "}" * n + "\n"))
    yield Crafted(trick, "yaml", "nested-data", bundle(**{"bottlenecks/a.yaml": "[" * n + "]" * n}), ("profile", "--ncu", "{six}", "--data"))
    yield Crafted(trick, "yaml", "nested-blocks", bundle(**{"bottlenecks/a.yaml": "\n".join(" " * i + "a:" for i in range(1400))}),
                  ("profile", "--ncu", "{six}", "--data"))
    yield Crafted(trick, "yaml", "nested-expression", bundle(**{"bottlenecks/a.yaml": "id: a\ndisplay: A\nkind: cause\nwhen: " + "(" * n + "1 < 2" + ")" * n + "\n"}),
                  ("profile", "--ncu", "{six}", "--data"))
    yield Crafted(trick, "yaml", "nots", bundle(**{"bottlenecks/a.yaml": "id: a\ndisplay: A\nkind: cause\nwhen: " + "not " * n + "(1 < 2)\n"}),
                  ("profile", "--ncu", "{six}", "--data"))
    for name, opened, closed in (("parentheses", "(", ")"), ("minus", "-", ""), ("not", "!", ""), ("tilde", "~", ""), ("casts", "(.s64)", ""),
                                 ("conditionals", "1?", ":1"), ("conditionals-behind", "1?1:", "")):
        yield Crafted(trick, "ptx", f"constant-{name}.ptx", text(PTX_HEAD + ".global .u32 g = " + opened * n + "1" + closed * n + ";\n" + kernel("")[len(PTX_HEAD):]))
    yield Crafted(trick, "ptx", "scopes.ptx", text(kernel("{" * n + "}" * n)))
    yield Crafted(trick, "ptx", "vectors.ptx", text(kernel("mov.b64 " + "{" * n + "%r1" + "}" * n + ", %rd1;")))
    yield Crafted(trick, "ptx", "arrays.ptx", text(PTX_HEAD + ".global .u32 g" + "[1]" * n + " = " + "{" * n + "1" + "}" * n + ";\n" + kernel("")[len(PTX_HEAD):]))
    bodies = {"parentheses": "a[i] = " + "(" * n + "1" + ")" * n + ";", "braces": "{" * n + "}" * n, "unary": "a[i] = " + "-" * n + "1;",
              "casts": "a[i] = " + "(int)" * n + "1;", "conditionals": "a[i] = " + "i ? 1 : " * n + "0;", "conditionals-between": "a[i] = " + "i ? " * n + "1" + " : 0" * n + ";",
              "ifs": "if (i) " * n + ";", "else-ifs": "if (i) ; else " * n + ";", "fors": "for (;;) " * n + ";", "dos": "do " * n + ";" + " while (i);" * n,
              "indices": "a[" * n + "0" + "]" * n + " = 1;", "calls": "f(" * n + ")" * n + ";", "lambdas": "auto f = " + "[]{ return " * n + "1" + "; }" * n + ";",
              "initialisers": "int x[] = " + "{" * n + "1" + "}" * n + ";", "news": "new " * n + "int;", "stars": "int " + "*" * n + "p;", "declarators": "int " + "(" * n + "p" + ")" * n + ";",
              "arrows": "a[i] = p" + "->p" * n + ";", "assignments": "a = " * n + "1;", "sums": "a[i] = 1" + " + 1" * n + ";", "commas": "a" + ", a" * n + ";",
              "shifts": "a[i] = " + "1 << " * n + "1;", "labels": "x:" * n + ";", "blocks-of-switch": "switch (i) { case 0: " * n + "}" * n, "asm": 'asm("" : ' + "(" * n + ");",
              "sizeofs": "a[i] = " + "sizeof " * n + "a;", "compound-literals": "a[i] = " + "(int){" * n + "1" + "}" * n + ";", "logical-not": "a[i] = " + "!" * n + "1;",
              "ands": "if (" + "i && (" * n + "i" + ")" * n + ") ;", "lts": "a[i] = " + "a < (" * n + "b" + ")" * n + ";"}
    for name, body in bodies.items():
        yield Crafted(trick, "cuda", f"{name}.cu", text(cuda(body)))
    files = {"templates": "template<" * n + "class T" + ">" * n + " __global__ void k(T* a) {}\n", "template-heads": "template<class T> " * n + "__global__ void k(T* a) {}\n",
             "template-arguments": "A<" * n + "int" + ">" * n + " x;\n" + cuda(""), "namespaces": "namespace a {" * n + "}" * n + cuda(""),
             "structs": "struct a {" * n + "};" * n + cuda(""), "ifs-of-preprocessor": "#if 1\n" * n + cuda("") + "#endif\n" * n,
             "condition": "#if " + "(" * n + "1" + ")" * n + "\n#endif\n" + cuda(""), "condition-nots": "#if " + "!" * n + "1\n#endif\n" + cuda(""),
             "condition-minus": "#if " + "- " * n + "1\n#endif\n" + cuda(""), "condition-conditionals": "#if " + "1 ? " * n + "1" + " : 0" * n + "\n#endif\n" + cuda(""),
             "parameters": "__global__ void k(" + "int (*f)(" * n + ")" * n + ") {}\n", "extern-blocks": 'extern "C" {' * n + "}" * n + cuda(""),
             "decltypes": "decltype(" * n + "1" + ")" * n + " x;\n" + cuda(""), "attributes": "__attribute__((" * n + "))" * n + " int x;\n" + cuda("")}
    for name, content in files.items():
        yield Crafted(trick, "cuda", f"{name}.cu", text(content))


def unclosed() -> Iterator[Crafted]:
    """What begins and never ends, often."""
    n = 60_000
    trick = "never closed"
    for name, content in {"comments": "/* " * n, "comment-lines": "/*\n" * n, "strings": '"a\n' * n, "raw-strings": 'R"x(a\n' * n, "raw-delimiters": 'R"abc' * n, "characters": "'a\n" * n,
                          "braces": "{\n" * n, "brackets": "[" * n, "templates": "a<" * n, "template-ints": "a<1," * n, "lts": "a < b " * n, "scopes": "a::" * n, "kernels": "__global__ void k(" * n,
                          "kernel-bodies": "__global__ void k(int a) {\n" * n, "launches": "k<<<" * n, "ifs": "#if X\n" * n, "backslashes": "\\\n" * n, "defines": "#define a \\\n" * n,
                          "asm": 'asm("' * n, "operators": "operator" * n, "usings": "using a = b<" * n, "attributes": "[[" * n, "tildes": "~" * n}.items():
        yield Crafted(trick, "cuda", f"unclosed-{name}.cu", text(cuda("a[i] = 1;") + content))
    for name, content in {"comments": "/* " * n, "braces": "{ " * n, "strings": '.file 1 "a\n' * n, "parentheses": "( " * n, "directives": ".loc 1 " * n, "entries": ".entry k(" * n}.items():
        yield Crafted(trick, "ptx", f"unclosed-{name}.ptx", text(kernel("") + content))
    yield Crafted(trick, "ncu csv", "unclosed-quotes.csv", text(TALL_HEAD + '"0","k' + ' ""' * 300_000))
    yield Crafted(trick, "ncu csv", "quoted-newlines.csv", text(TALL_HEAD + ('"0","k\n' * 100_000)))
    yield Crafted(trick, "trace", "unclosed-string.json", text('{"traceEvents": [{"name": "' + "a" * MEBIBYTE))
    yield Crafted(trick, "trace", "many-unclosed.json", text('{"traceEvents": [' + '{"ph":"X","name":"' * n))
    yield Crafted(trick, "trace", "backslashes.json", text('{"traceEvents": [{"name": "' + "\\" * MEBIBYTE))
    yield Crafted(trick, "ncu text", "unclosed-rule.txt", text(NCU_TEXT.format(name="k(int)", section="S") + "    OPT   Begin\n" + "          more\n" * 70_000))
    yield Crafted(trick, "ptxas log", "unclosed-log.txt", text(kernel("")), ("analyze", "--ptxas-log", "{ptxas}"))


def very_many() -> Iterator[Crafted]:
    """Very many of something that is empty or tiny."""
    trick = "very many"
    yield Crafted(trick, "ptx", "entries.ptx", text(PTX_HEAD + "".join(f".entry k{i}(){{ret;}}\n" for i in range(30_000))))
    yield Crafted(trick, "ptx", "same-entries.ptx", text(PTX_HEAD + ".entry k(){ret;}\n" * 40_000))
    yield Crafted(trick, "ptx", "braces-and-comments.ptx", text(PTX_HEAD + "\n}\n/*" * 250_000))
    yield Crafted(trick, "ptx", "registers.ptx", text(kernel(".reg .b32 %r<2000000000>;\nadd.u32 %r1, %r2, %r1999999999;")))
    yield Crafted(trick, "ptx", "many-register-banks.ptx", text(kernel("".join(f".reg .b32 %a{i}_<1000000>;\n" for i in range(20_000)))))
    yield Crafted(trick, "ptx", "labels.ptx", text(kernel("".join(f"L{i}:\n" for i in range(100_000)))))
    yield Crafted(trick, "ptx", "branches.ptx", text(kernel(".reg .pred %p<2>;\n" + "".join(f"L{i}: @%p1 bra L{(i * 7919) % 25000};\n" for i in range(25_000)))))
    yield Crafted(trick, "ptx", "back-branches.ptx", text(kernel(".reg .pred %p<2>;\n" + "".join(f"L{i}: @%p1 bra L0;\n" for i in range(25_000)))))
    yield Crafted(trick, "ptx", "nested-loops.ptx", text(kernel(".reg .pred %p<2>;\n" + "".join(f"L{i}:\n" for i in range(20_000)) + "".join(f"@%p1 bra L{i};\n" for i in reversed(range(20_000))))))
    yield Crafted(trick, "ptx", "ladder.ptx", text(kernel(".reg .b32 %r<30001>;\n" + "".join(f"add.u32 %r{i + 1}, %r{i}, %r{i};\n" for i in range(30_000)))))
    yield Crafted(trick, "ptx", "files.ptx", text(PTX_HEAD + "".join(f'.file {i} "a"\n' for i in range(60_000)) + kernel(".loc 1 1 1\n" * 30_000)[len(PTX_HEAD):]))
    yield Crafted(trick, "ptx", "live.ptx", text(kernel(".reg .b32 %r<20001>;\n" + "".join(f"mov.u32 %r{i}, {i};\n" for i in range(20_000)) + "".join(f"st.global.u32 [%r{i}], %r{19_999 - i};\n" for i in range(20_000)))))
    yield Crafted(trick, "trace", "streams.json", text(trace(",".join(event(begin=i, thread=i, device=i % 50, stream=i, correlation=i) for i in range(7000)))))
    yield Crafted(trick, "trace", "devices.json", text(trace(",".join(event(begin=i, device=i, stream=7) for i in range(7000)))))
    yield Crafted(trick, "trace", "device-properties.json", text(trace(event(device=0, stream=7), '"deviceProperties": [' + ",".join(f'{{"id": {i}, "name": "x"}}' for i in range(30_000)) + "], ")))
    yield Crafted(trick, "trace", "processes.json", text(trace(",".join(f'{{"ph":"M","name":"process_name","pid":{i},"args":{{"name":"python"}}}}' for i in range(14_000)) + "," + event(device=0, stream=7))))
    yield Crafted(trick, "trace", "step-names.json", text(trace(",".join(event(f"ProfilerStep#{i}", "user_annotation", i * 10.0, 9.0, 1) for i in range(9000)) + "," + event(begin=5, device=0, stream=7))))
    yield Crafted(trick, "trace", "nested-ranges.json", text(trace(",".join(event("r", "user_annotation", i, 20_000.0 - 2 * i, 1) for i in range(9000)) + "," + event(begin=9999, device=0, stream=7))))
    yield Crafted(trick, "trace", "nested-operators.json", text(trace(",".join(event("aten::a", "cpu_op", i, 20_000.0 - 2 * i, 1) for i in range(9000)) + "," + event(begin=9999, device=0, stream=7))))
    yield Crafted(trick, "trace", "overlapping-ranges.json", text(trace(",".join(event("r", "user_annotation", i, 20_000.0, 1) for i in range(9000)) + "," + event(begin=9999, device=0, stream=7))))
    yield Crafted(trick, "trace", "one-time.json", text(trace(",".join(event(f"k{i}", begin=5, duration=0, device=0, stream=7, correlation=1) for i in range(8000)))))
    yield Crafted(trick, "trace", "one-correlation.json", text(trace(",".join([event("cudaLaunchKernel", "cuda_runtime", i, 1, 1, correlation=1) for i in range(4000)] + [event(begin=i + 2, device=0, stream=7, correlation=1) for i in range(4000)]))))
    yield Crafted(trick, "trace", "keys.json", text(trace('{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{' + ",".join(f'"k{i}":{i}' for i in range(60_000)) + "}}")))
    yield Crafted(trick, "trace", "key-orders.json", text(trace(",".join('{"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":%d,"dur":1,"name":"k","k%d":1}' % (i, i) for i in range(10_000)))))
    yield Crafted(trick, "trace", "far-apart.json", text(trace(",".join(event(begin=i * 1e12, device=0, stream=7) for i in range(5000)))))
    yield Crafted(trick, "trace", "collectives.json", text(trace(",".join(event(f"ncclDevKernel_AllReduce_{i}", begin=i, device=0, stream=i) for i in range(6000)))))
    yield Crafted(trick, "trace", "cpu-operators.json", text(trace(",".join(event(f"aten::a{i}", "cpu_op", i, 1, 1) for i in range(8000)))))
    yield Crafted(trick, "ncu csv", "kernels.csv", text(TALL_HEAD + "".join(f'"{i}","k{i}","{DRAM}","%","50"\n' for i in range(14_000))), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "metrics.csv", text(TALL_HEAD + "".join(f'"0","k","m{i}__x.sum","%","50"\n' for i in range(25_000))), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "columns.csv", text('"ID","Kernel Name",' + ",".join(f'"m{i}__x.sum"' for i in range(40_000)) + "\n" + '"0","k"' + ',"1"' * 40_000 + "\n"), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "narrow-rows.csv", text('"ID","Kernel Name",' + ",".join(f'"m{i}__x.sum"' for i in range(20_000)) + "\n" + '"0","k"\n' * 60_000), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "shapes.csv", text('"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"\n' + "".join(f'"{i}","k","({i}, 1, 1)","({i}, 1, 1)","{DRAM}","%","50"\n' for i in range(9000))), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "rules.csv", text('"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"\n' + "".join(f'"{i}","k","S{i}","","","","R{i}","OPT","text {i}"\n' for i in range(20_000)) + f'"0","k","S","{DRAM}","%","50","","",""\n'), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "newlines.csv", text(TALL_HEAD + "\n" * MEBIBYTE), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "commas.csv", text(TALL_HEAD + "," * MEBIBYTE), ("profile", "--ncu"))
    yield Crafted(trick, "ncu text", "sections.txt", text("".join(NCU_TEXT.format(name=f"k{i}(int)", section=f"S{i}") for i in range(2500))))
    yield Crafted(trick, "ncu text", "rules.txt", text(NCU_TEXT.format(name="k(int)", section="S") + "    OPT   A rule.\n" * 50_000))
    yield Crafted(trick, "nsys stats", "kernels.csv", text(NSYS_HEAD + "".join(f"0.1,100,4,25.0,k{i}\n" for i in range(18_000))))
    yield Crafted(trick, "nsys stats", "dashes.txt", text(" Time (%)  Total Time (ns)  Instances  Name\n" + " -" * 400_000 + "\n"))
    yield Crafted(trick, "nsys stats", "summaries.csv", text("".join(NSYS_HEAD + f"100.0,{i + 1},4,25.0,k\n" for i in range(12_000))))
    yield Crafted(trick, "nvprof csv", "kernels.csv", text(NVPROF_HEAD + '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,ms,,us,us,ms,\n' + "".join(f'"GPU activities",1.0,1.0,4,3.0,1.0,0.5,"k{i}"\n' for i in range(18_000))))
    yield Crafted(trick, "nvprof text", "kernels.txt", text(NVPROF_HEAD + "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n" + "".join(f" GPU activities:   1.00%  2.0000ms         1  2.0000ms  2.0000ms  2.0000ms  k{i}\n" for i in range(11_000))))
    yield Crafted(trick, "cuda", "kernels.cu", text("".join(f"__global__ void k{i}(int* a) {{ a[0] = 1; }}\n" for i in range(20_000))))
    yield Crafted(trick, "cuda", "same-kernels.cu", text("__global__ void k(int* a) { a[0] = 1; }\n" * 20_000))
    yield Crafted(trick, "cuda", "functions.cu", text("".join(f"__device__ int f{i}(int a) {{ return f{i + 1}(a); }}\n" for i in range(15_000)) + cuda("a[i] = f0(i);")))
    yield Crafted(trick, "cuda", "doubling-functions.cu", text("".join(f"__device__ int f{i}(int a) {{ return f{i + 1}(a) + f{i + 1}(a); }}\n" for i in range(60)) + "__device__ int f60(int a) { return a; }\n" + cuda("a[i] = f0(i);")))
    yield Crafted(trick, "cuda", "macros.cu", text("".join(f"#define m{i} m{i + 1} m{i + 1}\n" for i in range(60)) + "#define m60 1\n" + cuda("a[i] = m0;")))
    yield Crafted(trick, "cuda", "many-macros.cu", text("".join(f"#define m{i} m{i + 1}\n" for i in range(30_000)) + cuda("a[i] = m0;")))
    yield Crafted(trick, "cuda", "function-macros.cu", text("#define f(x) x x\n" + cuda("a[i] = " + "f(" * 40 + "1" + ")" * 40 + ";")))
    yield Crafted(trick, "cuda", "accesses.cu", text(cuda("".join(f"a[i + {j}] = a[i * {j}];\n" for j in range(25_000)))))
    yield Crafted(trick, "cuda", "nested-loops.cu", text(cuda("".join(f"for (int j{j} = 0; j{j} < 1000; ++j{j})\n" for j in range(60)) + "a[i] = 1;")))
    yield Crafted(trick, "cuda", "loops.cu", text(cuda("".join(f"for (int j = 0; j < 100000000; ++j) a[i + j * {j}] = 1;\n" for j in range(3000)))))
    yield Crafted(trick, "cuda", "long-line-findings.cu", text("__global__ void k(float* a) { " + "a[threadIdx.x * 32] = 1; " * 25_000 + "}\n"))
    yield Crafted(trick, "cuda", "suppressions.cu", text(cuda("a[i] = 1;") + "// frx: ignore a, b, c\n" * 40_000))
    yield Crafted(trick, "cuda", "includes.cu", text('#include "a.h"\n' * 60_000 + cuda("")))
    yield Crafted(trick, "cuda", "newlines.cu", text(cuda("") + "\n" * MEBIBYTE))
    yield Crafted(trick, "cuda", "launches.cu", text(cuda("") + "void f() {\n" + "k<<<1, 32>>>(a, n);\n" * 45_000 + "}\n"))
    yield Crafted(trick, "cuda", "checks.cu", text(cuda("") + "void f() { k<<<1, 32>>>(a, n); " + "cudaFree(p); err = max(err, CHECK(g(p))); " * 20_000 + "}\n"))
    yield Crafted(trick, "cuda", "blocks.cu", text(cuda("") + "void f() { " + "dim3 g(1), b(32); k<<<g, b>>>(a, n); " * 28_000 + "}\n"))
    errors = ", ".join(["err"] * 200_000)
    yield Crafted(trick, "cuda", "errors.cu", text(cuda("") + f"void f() {{ k<<<1, 32>>>(a, n); err = max({errors}); CHECK({errors}); }}\n"))
    parameters, stores = ", ".join(f"P p{i}" for i in range(4_000)), "".join(f"p{i}.a[threadIdx.x] = p{i}.n;\n" for i in range(4_000))
    structures = f"struct P {{ float* a; int n; }};\n__global__ void k({parameters}) {{\n{stores * 4}}}\n"
    yield Crafted(trick, "cuda", "structures.cu", text(structures))
    yield Crafted(trick, "cuda", "variables.cu", text(cuda("".join(f"int v{j} = i + {j};\n" for j in range(40_000)))))
    yield from costly_sources(trick)
    yield Crafted(trick, "trace", "processes-with-steps.json", text(trace(",".join([f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{i % 5}","pid":{i},"tid":1,"ts":{i * 10},"dur":9}}' for i in range(11_000)] + [event(begin=5, device=0, stream=7)]))))
    yield Crafted(trick, "run bundle", "events", bundle(metadata=METADATA, events=(RUN_EVENT + "\n") * 9000))
    yield Crafted(trick, "run bundle", "empty-events", bundle(metadata=METADATA, events="{}\n" * 300_000))
    yield Crafted(trick, "run bundle", "gpu-samples", bundle(metadata=METADATA, events=RUN_EVENT + "\n", gpu='{"timestamp_ns": 1, "gpus": []}\n' * 30_000))
    yield Crafted(trick, "run bundle", "metadata", bundle(metadata='{"run_id": "r", "warnings": [' + ",".join(['"w"'] * 200_000) + "]}", events=RUN_EVENT + "\n"))
    yield Crafted(trick, "yaml", "documents", bundle(**{"bottlenecks/a.yaml": "---\n" * 200_000}), ("profile", "--ncu", "{six}", "--data"))
    yield Crafted(trick, "yaml", "anchors", bundle(**{"bottlenecks/a.yaml": "a0: &a0 [x, x]\n" + "".join(f"a{i + 1}: &a{i + 1} [*a{i}, *a{i}, *a{i}, *a{i}]\n" for i in range(40))}), ("profile", "--ncu", "{six}", "--data"))
    yield Crafted(trick, "yaml", "aliases", bundle(**{"bottlenecks/a.yaml": "a: &a x\nb: [" + "*a, " * 200_000 + "*a]\n"}), ("profile", "--ncu", "{six}", "--data"))


def costly_sources(trick: str) -> Iterator[Crafted]:
    """CUDA in which each of many things is compared, looked up or followed for each of many others."""
    tree = "".join(f"__device__ int f{i}(int x) {{ return {' + '.join([f'f{i + 1}(x)'] * 10)}; }}\n" for i in range(8)) + "__device__ int f8(int x) { return x + 1; }\n"
    sizes = "int c = n;\n" + "".join(f"c = (c * 3 + blockDim.x) % {i + 900001};\n" for i in range(40))
    types = {"type": "a" * 500_000, "template": "b<" + ",".join("x" * 250_000) + ">"}
    kernels = "".join(f"__global__ void k{i}(int* a) {{ a[0] = TREE; }}\n" for i in range(22_000))
    sources = {
        "kernel-macros": "".join(f"#define KMACRO{i:06d} __global__\n" for i in range(16_000)) + cuda("".join(f"WORDXX{i:06d};\n" for i in range(35_000))),
        "enumerators": "enum e {" + ",".join(f"e{i}" for i in range(70_000)) + "};\n" + cuda("i += e69999;\n" * 40_000),
        "enumerators-by-enumerators": "enum e {e0," + ",".join(f"e{i + 1}=e{i}" for i in range(35_000)) + "};\n" + cuda("i += e34999;\n" * 40_000),
        "names-of-headers": cuda("N;" * 250_000 + "a[n*i]=1;\n" * 50_000),
        "specifiers": "inline " * 70_000 + "int x;\n" + cuda("i+=x;\n" * 80_000),
        "specifiers-of-many": cuda("volatile " * 55_000 + "int " + ",".join(f"x{i}" for i in range(70_000)) + ";"),
        "specifiers-of-parameter": f"__device__ int f({'const ' * 80_000}int x) {{ return x; }}\n" + cuda("i+=f(i);\n" * 50_000),
        "overloads": "__device__ int f(int x, int y) { return x; }\n" * 11_000 + cuda("i += f(i);\n" * 45_000),
        "calling-kernels": tree + kernels.replace("TREE", "f0(1)"),
        "launches-by-calls": tree.replace("__device__ ", "") + cuda("") + "".join(f"void h{i}() {{ k<<<f0(1), 1>>>(0, 1); }}\n" for i in range(25_000)),
        "macros-in-kernels": "".join(f"#define m{i} (m{i + 1} + m{i + 1})\n" for i in range(16)) + "#define m16 1\n" + kernels.replace("TREE", "m0"),
        "constants-in-kernels": "".join(f"const int c{i} = c{i + 1} + c{i + 1};\n" for i in range(16)) + "const int c16 = 1;\n" + kernels.replace("TREE", "c0"),
        "conditions-of-loops": cuda(sizes + "for (int j = 0; j < c; ++j) a[j] = 1;\n" * 4000),
        "kernels-on-one-line": "".join(f"__global__ void k{i}(int* a) {{ a[threadIdx.x * 32] = 1; }} " for i in range(15_000)),
        "splices": cuda("i" + "\\\n1" * 300_000 + ";"),
    }
    for name, type_ in types.items():
        sources[f"long-{name}"] = cuda(type_ + " " + ",".join(f"*a{i}=a" for i in range(50_000)) + ";")
        sources[f"long-{name}-of-parameter"] = f"__device__ void f({type_}* x) {{}}\n" + cuda("f(a);\n" * 80_000)
    for name, content in sources.items():
        yield Crafted(trick, "cuda", f"{name}.cu", text(content))


def hidden() -> Iterator[Crafted]:
    """Code that a check must not pass because it was not followed to its end, or not recognised."""
    bad = "a[threadIdx.x * 32] = 1;"
    for name, content in {"nested": cuda("if (a[0] > 1) {" * 410 + "}" * 410 + bad), "expression": cuda(f"int x = {'(' * 450}1{')' * 450}; {bad}"), "long": cuda("a[blockIdx.x] += 1;\n" * 21_000 + bad),
                          "splice": cuda(bad).replace("__global__", "__glo\\\nbal__"), "splices": cuda(bad).replace("__global__", "\\\r\n".join("__global__"))}.items():
        yield Crafted("hidden", "cuda", f"{name}.cu", text(content), ("analyze", "--fail-on", "low"))


def long_things() -> Iterator[Crafted]:
    """One line, name, number or token of a megabyte."""
    trick = "one long thing"
    a = "a" * MEBIBYTE
    yield Crafted(trick, "ncu csv", "name.csv", text(TALL_HEAD + f'"0","{a}","{DRAM}","%","50"\n'), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "names.csv", text(TALL_HEAD + "".join(f'"{i}","{"k" * 30_000}{i}","{DRAM}","%","50"\n' for i in range(30))), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "number.csv", text(TALL_HEAD + f'"0","k","{DRAM}","%","{"9" * MEBIBYTE}"\n'), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "templates.csv", text(TALL_HEAD + f'"0","{"A<" * 200_000}","{DRAM}","%","50"\n'), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "mangled.csv", text(TALL_HEAD + f'"0","_Z{"N1aIS_" * 100_000}","{DRAM}","%","50"\n'), ("profile", "--ncu"))
    yield Crafted(trick, "trace", "name.json", text(trace(event(a, device=0, stream=7))))
    yield Crafted(trick, "trace", "number.json", text(trace(event(device=0, stream=7).replace("0.0", "9" * MEBIBYTE))))
    yield Crafted(trick, "trace", "mangled.json", text(trace(event("_Z1fIiE" + "N1aIS_" * 100_000, device=0, stream=7))))
    yield Crafted(trick, "trace", "shapes.json", text(trace(event("aten::mm", "cpu_op", **{"Input Dims": [[1] * 200_000]}) + "," + event(device=0, stream=7))))
    yield Crafted(trick, "ptx", "identifier.ptx", text(kernel("", a)))
    yield Crafted(trick, "ptx", "number.ptx", text(kernel("mov.u32 %r1, " + "9" * MEBIBYTE + ";")))
    yield Crafted(trick, "ptx", "line.ptx", text(kernel("add.u32 %r1, %r1, 1; " * 40_000)))
    yield Crafted(trick, "ptx", "operands.ptx", text(kernel("add.u32 " + "%r1, " * 200_000 + "%r1;")))
    yield Crafted(trick, "cuda", "identifier.cu", text(cuda(f"int {a};")))
    yield Crafted(trick, "cuda", "string.cu", text(cuda(f'printf("{a}");')))
    yield Crafted(trick, "cuda", "number.cu", text(cuda(f"a[i] = {'9' * MEBIBYTE};")))
    yield Crafted(trick, "cuda", "shared.cu", text(cuda("__shared__ float s[" + "1000*" * 100_000 + "1000]; s[threadIdx.x] = a[i];")))
    yield Crafted(trick, "ncu text", "line.txt", text(NCU_TEXT.format(name="k(int)", section="S") + "    " + a + "\n"))
    yield Crafted(trick, "ncu text", "rule-line.txt", text(NCU_TEXT.format(name="k(int)", section="S") + "    ---- " * 100_000 + "\n"))
    yield Crafted(trick, "nsys stats", "line.csv", text(NSYS_HEAD + "100.0,100,4,25.0," + a + "\n"))
    yield Crafted(trick, "nsys stats", "progress.txt", text("\r[1/3] [0%" * 100_000 + "\n" + NSYS_HEAD + "100.0,100,4,25.0,k\n"))
    yield Crafted(trick, "nvprof text", "line.txt", text(NVPROF_HEAD + "   Time(%)      Time     Calls       Avg       Min       Max  Name\n 10.00%  2.0ms  1  2.0ms  2.0ms  2.0ms  " + a + "\n"))
    yield Crafted(trick, "run bundle", "line", bundle(metadata=METADATA, events='{"event_type": "' + a + '"}\n'))
    yield Crafted(trick, "yaml", "line", bundle(**{"bottlenecks/a.yaml": "id: " + a}), ("profile", "--ncu", "{six}", "--data"))
    yield Crafted(trick, "yaml", "key", bundle(**{"bottlenecks/a.yaml": a + ": 1"}), ("profile", "--ncu", "{six}", "--data"))


def bombs() -> Iterator[Crafted]:
    """What is small because it is compressed, or claims a size."""
    trick = "bomb"
    zeros, rows = b"0" * (512 * MEBIBYTE // 2), (TALL_HEAD + "".join(f'"{i}","k{i}","{DRAM}","%","50"\n' for i in range(180_000))).encode()

    def gz(content: bytes, level: int = 9) -> bytes:
        return gzip.compress(content, level, mtime=0)

    yield Crafted(trick, "ncu csv", "zeros.csv.gz", text(gz(TALL_HEAD.encode() + zeros)), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "newlines.csv.gz", text(gz(TALL_HEAD.encode() + b"\n" * len(zeros))), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "kernels.csv.gz", text(gz(rows)), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "gz-in-gz.csv.gz", text(gz(gz(TALL_HEAD.encode() + zeros))), ("profile", "--ncu"))
    yield Crafted(trick, "ncu csv", "members.csv.gz", text(gz(b"") * 50_000), ("profile", "--ncu"))
    yield Crafted(trick, "trace", "events.json.gz", text(gz(trace(",".join([event(device=0, stream=7)] * 1000)).encode()[:-2] + b"," + (event(device=0, stream=7) + ",").encode() * 2_000_000)))
    yield Crafted(trick, "trace", "arrays.json.gz", text(gz(b'{"traceEvents": ' + b"[" * (100 * MEBIBYTE))))
    yield Crafted(trick, "cuda", "zeros.cu.gz", text(gz(cuda("").encode() + b" " * len(zeros))))
    yield Crafted(trick, "ptx", "newlines.ptx.gz", text(gz(kernel("").encode() + b"\n" * len(zeros))))
    yield Crafted(trick, "run bundle", "events.zip", text(zipped({"metadata.json": METADATA.encode(), "raw/trace.jsonl": (RUN_EVENT + "\n").encode() * 2_000_000})))
    yield Crafted(trick, "run bundle", "zeros.zip", text(zipped({"metadata.json": METADATA.encode(), "raw/trace.jsonl": b" " * (256 * MEBIBYTE)})))
    yield Crafted(trick, "run bundle", "metadata.zip", text(zipped({"metadata.json": b'{"run_id": "' + b"a" * (200 * MEBIBYTE) + b'"}', "raw/trace.jsonl": RUN_EVENT.encode()})))
    yield Crafted(trick, "run bundle", "members.zip", text(zipped({f"raw/{i}.jsonl": b"" for i in range(8000)})))

    for format_, suffix, head in (("ncu csv", "csv", TALL_HEAD), ("trace", "json", '{"traceEvents": ['), ("ptx", "ptx", PTX_HEAD), ("cuda", "cu", cuda(""))):
        yield Crafted(trick, format_, f"sparse.{suffix}", sparse(1 << 34, head.encode()))
    yield Crafted(trick, "run bundle", "sparse.zip", sparse(1 << 34, zipped({"metadata.json": b"{}"})))


def disguises() -> Iterator[Crafted]:
    """Text in another encoding or with other line ends: read, or refused; never nothing found and all is well."""
    samples = {
        "cuda": ("cu", cuda("a[threadIdx.x * 32] = 1;"), ("analyze", "--fail-on", "low")),
        "ptx": ("ptx", kernel(".reg .b64 %rd<4>; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];"), ("analyze",)),
        "ncu csv": ("csv", TALL_HEAD + f'"0","k","{DRAM}","%","92"\n', ("profile", "--ncu")),
        "ncu text": ("txt", NCU_TEXT.format(name="k(int)", section="GPU Speed Of Light Throughput"), ("analyze",)),
        "nsys stats": ("csv", NSYS_HEAD + "100.0,100,4,25.0,axpy\n", ("analyze",)),
        "nvprof csv": ("csv", NVPROF_HEAD + '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,ms,,us,us,ms,\n"GPU activities",60.0,12.0,4,3.0,1.0,0.5,"axpy(int)"\n', ("analyze",)),
        "nvprof text": ("txt", NVPROF_HEAD + "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n GPU activities:  100.00%  2.0000ms         1  2.0000ms  2.0000ms  2.0000ms  axpy(int)\n", ("analyze",)),
        "trace": ("json", trace(event(device=0, stream=7)), ("analyze",)),
    }
    for format_, (suffix, content, arguments) in samples.items():
        for name, data in {"utf-16-le": content.encode("utf-16-le"), "utf-16-be": content.encode("utf-16-be"), "utf-16-bom": content.encode("utf-16"),
                           "utf-16-be-bom": b"\xfe\xff" + content.encode("utf-16-be"), "utf-8-bom": b"\xef\xbb\xbf" + content.encode(),
                           "cr-only": content.replace("\n", "\r").encode(), "crlf": content.replace("\n", "\r\n").encode(), "utf-32": content.encode("utf-32")}.items():
            yield Crafted("disguise", format_, f"{name}.{suffix}", text(data), arguments)


def acting() -> Iterator[Crafted]:
    """Names and messages that act on a terminal, on a reader or on the service that runs a build."""
    trick = "acting text"
    act = "k\x1b[2J\x1b]0;t\x07\x9b31m\u202e\u2066\u200b\ufeff\U000e0041\r::error::x ##[group]y"
    lines = act + "\n::error::x\n  ::set-output name=a::b\n##[warning]z"
    quoted = json.dumps(lines)[1:-1]
    wide = " ".join(["aaaa", "::error::x", "##[group]"] * 200)  # some line of a wrapped text begins with each of them
    blanks = " ".join(["aaaa", "\u00a0::error::x", "\u3000\u2003::error::x"] * 200)  # other white space, behind which commands are looked for, too
    for name, words in (("act", act), ("lines", lines), ("wrapped", wide), ("blanks", blanks)):
        csv = words.replace('"', '""')
        yield Crafted(trick, "ncu csv", f"{name}.csv", text(TALL_HEAD + f'"0","{csv}","{DRAM}","%","92"\n'), ("profile", "--ncu"))
        yield Crafted(trick, "ncu csv", f"{name}-rule.csv", text('"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"\n' + f'"0","k","S","","","","{csv}","OPT","{csv}"\n"0","k","S","{DRAM}","%","50","","",""\n'), ("profile", "--ncu"))
        yield Crafted(trick, "trace", f"{name}.json", text(trace(event(words, device=0, stream=7) + "," + event(words, "cpu_op", 0, 1, 1))))
        yield Crafted(trick, "trace", f"{name}-json.json", text(trace(event(words, device=0, stream=7))), ("analyze", "--json"))
        yield Crafted(trick, "run bundle", f"{name}-bundle", bundle(metadata=json.dumps({"run_id": words, "job_name": words, "command": [words], "exit_code": 0, "warnings": [words]}), events=RUN_EVENT + "\n"))
        yield Crafted(trick, "cuda", f"{name}.cu", text(cuda(f"a[threadIdx.x * 32] = 1; // {words}")), ("analyze", "--fail-on", "low"))
        yield Crafted(trick, "cuda", f"{name}-sarif.cu", text(cuda(f"a[threadIdx.x * 32] = 1; // {words}")), ("analyze", "--format", "sarif"))
        yield Crafted(trick, "ptx", f"{name}.ptx", text(kernel("", "k") + f"// {words}\n" + f'.file 1 "{words}"\n'))
        yield Crafted(trick, "ncu text", f"{name}.txt", text(NCU_TEXT.format(name=act.replace("\r", "") + "(int)", section=act.replace("\r", ""))))
        yield Crafted(trick, "nsys stats", f"{name}.csv", text(NSYS_HEAD + "100.0,100,4,25.0," + words + "\n"))
        yield Crafted(trick, "nvprof text", f"{name}.txt", text(NVPROF_HEAD + "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n GPU activities:  100.00%  2.0000ms         1  2.0000ms  2.0000ms  2.0000ms  " + words + "\n"))
        yield Crafted(trick, "yaml", f"{name}-yaml", bundle(**{"bottlenecks/a.yaml": "id: " + json.dumps(words) + "\nkind: " + json.dumps(words) + "\n"}), ("profile", "--ncu", "{six}", "--data"))
        yield Crafted(trick, "any", f"{name}-error.json", text('{"traceEvents": [{"ph": "X", "' + quoted + '": ' + words))
    yield Crafted(trick, "any", "name\x1b[2J\u202e.csv", text("nothing that is known\n"), ("profile", "--ncu"))
    yield Crafted(trick, "any", "name\x1b[2J\u202e.cu", text(cuda("a[threadIdx.x * 32] = 1;")), ("analyze", "--fail-on", "low"))


def no_files() -> Iterator[Crafted]:
    """What is a path and no file."""
    trick = "no file"

    def link(target: str) -> Callable[[Path], None]:
        return lambda path: os.symlink(target, path)

    yield Crafted(trick, "any", "endless", link("/dev/zero"))
    yield Crafted(trick, "any", "nothing", link("/dev/null"))
    yield Crafted(trick, "any", "loop", lambda path: os.symlink(path.name, path))
    yield Crafted(trick, "any", "dangling", link("not-there"))
    yield Crafted(trick, "any", "pipe", lambda path: os.mkfifo(path))
    yield Crafted(trick, "any", "empty-folder", lambda path: path.mkdir())
    yield Crafted(trick, "any", "loop-in-folder", lambda path: (path.mkdir(), os.symlink("..", path / "up"), (path / "a.cu").write_text(cuda("")), None)[-1])
    yield Crafted(trick, "any", "empty.csv", text(b""), ("profile", "--ncu"))
    yield Crafted(trick, "any", "zero.csv", text(b"\0" * MEBIBYTE), ("profile", "--ncu"))


def compared() -> Iterator[Crafted]:
    """Very many of something, on both sides of a comparison."""
    binaries = (one for one in binary.inputs() if one.trick == "very many" and one.format == "ncu-rep" and one.arguments == ("analyze",))
    for one in (*very_many(), *binaries):
        if one.format in {"cuda", "ptx", "trace", "run bundle", "ncu csv", "ncu-rep"}:
            yield Crafted("compared", one.format, one.name, one.make, ("compare", "{itself}"))


ACTING = "c\x1b[2J\u202e\u200b\r\n::error::x ##[group]y"


def prediction(identifier: str, card: str) -> str:
    """A line of a ledger of predictions."""
    return json.dumps({"schema": "prediction_v1", "id": identifier, "card": card, "label": "l", "kernel": card, "kernel_after": card, "reading": "kernel_duration", "metric": "gpu__time_duration.sum",
                       "unit": "ns", "per_launch": True, "direction": "decrease", "by_pct": 17.0, "by_points": None, "to": None, "before": 9.0, "after": 3.0, "predicted": 7.0, "noise": 1.0,
                       "outcome": "held", "why_not": None}) + "\n"


def other_readers() -> Iterator[Crafted]:
    """Files that go with an option, and those in a run bundle."""
    n = 100_000
    ledgers = {"nested": '{"a":' * n + "1" + "}" * n + "\n", "empty-lines": "\n" * (8 * n), "objects": "{}\n" * n, "line": '{"schema": "' + "a" * MEBIBYTE + '"}\n', "cut": '{"schema": "prediction_v1", "id": "a',
               "array": "[" * n, "numbers": "1\n" * n, "entries": "".join(prediction(str(i), f"c{i}") for i in range(2000))}
    tricks = {"nested": "deep nesting", "line": "one long thing", "array": "deep nesting"}
    for name, content in ledgers.items():
        yield Crafted(tricks.get(name, "very many"), "ledger", f"{name}.jsonl", text(content), ("compare", "--ledger"))
    acting_words = json.dumps(ACTING)
    yield Crafted("acting text", "ledger", "card.jsonl", text(prediction(ACTING, ACTING)), ("compare", "--ledger"))
    yield Crafted("disguise", "ledger", "utf-16.jsonl", text(prediction("a", "c").encode("utf-16")), ("compare", "--ledger"))
    profiles = {"nested": "[" * n + "]" * n, "aliases": "a: &a x\nb: [" + "*a, " * n + "*a]\n", "anchors": "a0: &a0 [x, x]\n" + "".join(f"a{i + 1}: &a{i + 1} [*a{i}, *a{i}, *a{i}, *a{i}]\n" for i in range(40)),
                "keys": "".join(f"k{i}: 1\n" for i in range(n)), "line": "name: " + "a" * MEBIBYTE, "acting": "name: " + acting_words, "number": "sm_count: " + "9" * n}
    for name, content in profiles.items():
        yield Crafted({"nested": "deep nesting", "line": "one long thing", "number": "one long thing", "acting": "acting text"}.get(name, "very many"), "gpu profile", f"{name}.yaml", text(content),
                      ("profile", "--ncu", "{six}", "--gpu-model", "A100", "--arch-profile"))
    for trick, name, content in (("deep nesting", "nested", '{"a":' * n + "1" + "}" * n), ("very many", "members", "{" + ",".join(f'"{i}": 1' for i in range(n)) + "}"), ("one long thing", "text", json.dumps({"schema": "a" * MEBIBYTE})),
                                 ("acting text", "acting", '{"schema_version": %s, "bottlenecks": [{"label": %s}]}' % (acting_words, acting_words)), ("very many", "array", "[" + "1," * n + "1]")):
        yield Crafted(trick, "run bundle", f"summary-{name}", bundle(metadata=METADATA, events=RUN_EVENT + "\n", **{"derived/summary.json": content}))
        yield Crafted(trick, "run bundle", f"manifest-{name}", bundle(metadata=METADATA, events=RUN_EVENT + "\n", **{"manifest.json": content}))
    yield Crafted("very many", "run bundle", "traces", bundle(metadata=METADATA, events=RUN_EVENT + "\n", **{f"profiler/rank{i}.pt.trace.json": trace(event(device=0, stream=7)) for i in range(300)}))
    yield Crafted("very many", "ranks", "traces", bundle(**{f"rank{i}.pt.trace.json": trace(event(device=0, stream=7), f'"distributedInfo": {{"rank": {i}, "world_size": 1000000000}}, ') for i in range(300)}))
    yield Crafted("very many", "code in folders", "folders", bundle(**{f"{i}/a.cu": cuda("a[i] = 1;") for i in range(500)}))
    yield Crafted("very many", "code in folders", "files", bundle(**{f"{i}.cu": cuda("a[i] = 1;") for i in range(700)}))
    yield Crafted("very many", "code in folders", "ptx", bundle(**{f"{i}.ptx": kernel("") for i in range(1000)}))
    yield Crafted("no file", "code in folders", "pipes", lambda path: (path.mkdir(), [os.mkfifo(path / f"{i}.cu") for i in range(200)], None)[-1])
    yield Crafted("no file", "code in folders", "endless", lambda path: (path.mkdir(), os.symlink("/dev/zero", path / "a.cu"), os.symlink("/dev/tty", path / "b.ptx"), None)[-1])


def inputs() -> Iterator[Crafted]:
    for trick in (nesting, unclosed, very_many, long_things, bombs, disguises, hidden, acting, no_files, other_readers, compared):
        yield from trick()
    yield from binary.inputs()
