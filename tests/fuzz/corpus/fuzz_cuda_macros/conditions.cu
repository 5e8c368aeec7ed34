#ifdef X
#define N 1
#define L for (;;) {
#else
#define N 2
#undef L
#endif
void g() {
#if N > 1
L }
#define M(x) x
#else
#undef M
#endif
M(M(M(1))) _Pragma("unroll 4") for (;;);
}
