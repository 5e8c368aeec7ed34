// Inline assembly of every shape: blocks with own registers, labels, several statements on a line, rarely used opcodes. From sm_80.
#include <cstdint>

__global__ void scopes(unsigned* out, const float* in) {
  unsigned a = out[0], b;
  asm volatile("{\n\t.reg .u32 t1, w<4>;\n\t.reg .pred p, q;\n\tmul.lo.u32 t1, %1, 3; mov.u32 w0, t1; { .reg .u32 t1; mov.u32 t1, 5; add.u32 w3, t1, w0; }\n\t"
               "setp.lt.and.u32 p|q, t1, w3, 1;\n\t@p mov.u32 %0, t1;\n\t@!p mov.u32 %0, w3;\n\t@q add.u32 %0, %0, 1;\n\t}"
               : "=r"(b) : "r"(a));
  asm volatile("{ .reg .pred more; again: sub.u32 %0, %0, 1; setp.gt.u32 more, %0, 10; @more bra again; }" : "+r"(b));
  asm volatile("lop3.b32 %0, %0, %1, 0x0f, 0xe8; shf.l.wrap.b32 %0, %0, %1, 9; prmt.b32.f4e %0, %0, %1, 2; bfi.b32 %0, %1, %0, 4, 8;" : "+r"(b) : "r"(a));
  asm volatile("bfe.s32 %0, %0, 3, 7; bfind.shiftamt.u32 %0, %0; bmsk.clamp.b32 %0, %0, 4; szext.wrap.s32 %0, %0, 5; cnot.b32 %0, %0;" : "+r"(b));
  asm volatile("{ .reg .pred p; lop3.or.b32 %0|p, %0, %1, 3, 0x80, 0; selp.b32 %0, %0, 7, p; }" : "+r"(b) : "r"(a));
  asm volatile("{ .reg .pred p; testp.normal.f32 p, %1; @p add.u32 %0, %0, 1; }" : "+r"(b) : "f"(in[0]));
  out[threadIdx.x] = b;
}

__global__ void packed(unsigned* out, float* f, unsigned short* s) {
  unsigned r;
  uint16_t lo, hi;
  asm("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"(s[0]), "h"(s[1]));
  asm("mov.b32 {%0, %1}, %2;" : "=h"(lo), "=h"(hi) : "r"(r));
  asm("mov.b32 {%0, _}, %1;" : "=h"(lo) : "r"(r));
  asm("{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, %1; mov.b32 %0, {d, c, b, a}; }" : "=r"(r) : "r"(r));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out[1]) : "f"(f[0]), "f"(f[1]));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(out[2]) : "f"(f[2]));
  asm("fma.rn.relu.bf16x2 %0, %1, %1, %1;" : "=r"(out[3]) : "r"(r));
  asm("min.NaN.f16x2 %0, %1, %1;" : "=r"(out[4]) : "r"(r));
  asm("ex2.approx.ftz.f32 %0, %1; tanh.approx.f32 %0, %0; rcp.approx.ftz.f32 %0, %0;" : "=f"(f[3]) : "f"(f[4]));
  asm("ex2.approx.f16x2 %0, %1; tanh.approx.f16x2 %0, %0;" : "=r"(out[5]) : "r"(r));
  asm("slct.f32.s32 %0, %1, 0f3F800000, %2;" : "=f"(f[5]) : "f"(f[6]), "r"(int(r)));
  asm("set.gt.u32.f32 %0, %1, 0f00000000;" : "=r"(out[6]) : "f"(f[7]));
  asm("copysign.f32 %0, %1, %2; abs.ftz.f32 %0, %0; neg.f32 %0, %0;" : "=f"(f[8]) : "f"(f[9]), "f"(f[10]));
  asm("add.sat.s32 %0, %1, 0x7fffffff; sad.u32 %0, %0, 017, 0b101; mad24.lo.u32 %0, %0, 5U, 6;" : "=r"(out[7]) : "r"(r));
  asm("vadd.s32.u32.s32.sat %0, %1.b0, %1.h1; vmad.u32.u32.u32 %0, %0.b3, %0.b0, %0; vset.u32.u32.lt %0, %0, %1;" : "=r"(out[8]) : "r"(r));
  out[9] = lo + hi;
}

__global__ void orders(int* flag, int* out) {
  int a, b, c;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(a) : "l"(flag));
  asm volatile("ld.relaxed.sys.global.L1::no_allocate.s32 %0, [%1+4];" : "=r"(b) : "l"(flag));
  asm volatile("ld.volatile.s32 %0, [%1+-4];" : "=r"(c) : "l"(flag));
  asm volatile("st.release.cta.global.s32 [%0], %1; st.relaxed.gpu.s32 [%0+8], %1; fence.acq_rel.sys; fence.sc.cta;" ::"l"(flag), "r"(a));
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], -1; red.release.gpu.global.max.s32 [%1+64], 0x10;" : "=r"(a) : "l"(flag));
  asm volatile("barrier.sync.aligned 3, 64; bar.red.popc.u32 %0, 4, 64, 1; bar.warp.sync 0xffffffff; membar.gl;" : "=r"(b));
  asm volatile("ld.global.nc.L1::evict_first.L2::256B.v2.s32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(flag + 16));
  asm volatile("pmevent 1; nanosleep.u32 100;");
  out[threadIdx.x] = a + b + c;
}
