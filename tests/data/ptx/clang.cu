// What clang makes of CUDA without the toolkit's headers: atomics, votes, matrix builtins, vectors, calls, byval. From sm_75, by clang.
typedef float quad __attribute__((ext_vector_type(4)));
typedef _Float16 half2_t __attribute__((ext_vector_type(2)));
struct Big {
  long data[9];
  char tail[3];
};
__constant__ int numbers[4] = {1, 2, 3, 4};
__device__ double state = 1.5;
__shared__ float cache[128];
extern __shared__ char dynamic[];

__device__ __noinline__ Big shifted(Big b, short by) {
  for (int i = 0; i < 9; ++i) b.data[i] <<= by;
  return b;
}
__device__ int triple(int x) { return 3 * x; }
__device__ int square(int x) { return x * x; }
__device__ int (*table[])(int) = {triple, square};

struct Base {
  __device__ virtual int value() const { return 1; }
};
struct Derived : Base {
  int held;
  __device__ int value() const override { return held; }
};

__global__ void calls(Big* b, int* out, int which, Big by_value) {
  b[threadIdx.x] = shifted(by_value, short(which));
  Derived d;
  d.held = which;
  const Base* p = which > 3 ? static_cast<const Base*>(out[0] ? &d : nullptr) : &d;
  out[threadIdx.x] = table[which & 1](numbers[which & 3]) + p->value();
}

__global__ void __launch_bounds__(256, 2) vectors(quad* out, const quad* in, half2_t* h, int n) {
  quad sum = in[threadIdx.x];
  for (int i = 0; i < n; ++i) sum = sum * in[i] + 1.0f;
  out[threadIdx.x] = sum;
  h[threadIdx.x] = h[n] * h[n + 1] + h[n + 2];
  cache[threadIdx.x] = sum.x;
  __syncthreads();
  out[n].y = cache[127 - threadIdx.x] + float(dynamic[n]);
  state = state / double(sum.w) + __builtin_sqrt(state);
}

__global__ void builtins(int* i, float* f, double* d, long* l) {
  i[0] = __nvvm_atom_add_gen_i(i, 5) + __nvvm_atom_cas_gen_i(i + 1, 2, 3) + __nvvm_atom_max_gen_ui(reinterpret_cast<unsigned*>(i), 9u);
  f[0] = __nvvm_atom_add_gen_f(f, 1.0f);
  l[0] = __nvvm_atom_xchg_gen_l(l, 4);
  i[1] = __nvvm_vote_ballot_sync(~0u, i[2] > 3) + __nvvm_shfl_sync_bfly_i32(~0u, i[3], 16, 31) + __nvvm_match_any_sync_i32(~0u, i[4]);
  f[1] = __nvvm_ex2_approx_f(f[2]) + __nvvm_rcp_rn_f(f[3]) + __nvvm_sqrt_rn_f(f[4]) + __nvvm_ldg_f(f + 5) + __nvvm_saturate_f(f[6]);
  d[1] = __nvvm_fma_rn_d(d[2], d[3], d[4]) + __nvvm_floor_d(d[5]) + __nvvm_ldg_d(d + 6);
  i[5] = __builtin_popcount(i[6]) + __builtin_clzl(l[1]) + __nvvm_read_ptx_sreg_laneid() + int(__nvvm_read_ptx_sreg_clock64());
  __nvvm_membar_gl();
  __nvvm_bar_sync(3);
  __atomic_fetch_or(i + 7, 1, __ATOMIC_ACQ_REL);
  __atomic_store_n(i + 8, __atomic_load_n(i + 9, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

__global__ void on_the_stack(int* out, int n) {
  int* p = static_cast<int*>(__builtin_alloca(16));
  int local[20];
  for (int i = 0; i < 20; ++i) local[i] = out[i];
  p[n & 3] = n;
  out[threadIdx.x] = local[n % 20] + p[n & 1];
}

__global__ void switches(int* out, unsigned which) {
  switch (which) {
    case 0: out[0] += 3; break;
    case 1: out[1] *= out[2]; break;
    case 2: out[3] ^= 5; break;
    case 3: out[4] = 7 / out[5]; break;
    case 4: out[6] = -out[6]; break;
    case 5: __builtin_trap();
    default: out[7] = __builtin_popcountll(which) + __builtin_bitreverse32(which) + __builtin_bswap32(which);
  }
}

__global__ void wide(__int128* out, unsigned char* bytes, bool* flags) {
  out[threadIdx.x] = out[0] * out[1] - (out[2] << bytes[3]);
  flags[threadIdx.x] = bytes[threadIdx.x] > 7 && flags[1];
}
