// OpenCL as clang compiles it for NVIDIA: kernels with pointers into every address space. By clang.
__constant float factors[3] = {0.5f, 1.5f, 2.5f};

__kernel void scale(__global float4* out, __global const float4* in, __local float* cache, int n) {
  float4 v = in[n] * factors[n % 3];
  cache[n] = v.x + v.w;
  out[n] = v.wzyx;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void count(__global int* out, __global const uchar* in, ulong n) {
  int found = 0;
  for (ulong i = 0; i < n; ++i) found += in[i] == 7;
  out[0] = found;
}

__kernel void doubles(__global double2* d, __global long* l) {
  d[0] = d[1] * d[2] + (double2)(1.0, 2.0);
  l[0] = (long)d[0].x / l[1];
}
