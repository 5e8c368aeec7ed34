// Textures and surfaces of every dimension, gathers, levels and queries. From sm_75.
#include <cuda_runtime.h>

__global__ void sample(float4* out, cudaTextureObject_t t, float x, float y, float z, int layer) {
  float4 sum = tex1D<float4>(t, x);
  const auto add = [&](float4 v) { sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w; };
  add(tex2D<float4>(t, x, y));
  add(tex3D<float4>(t, x, y, z));
  add(tex1Dfetch<float4>(t, layer));
  add(tex1DLayered<float4>(t, x, layer));
  add(tex2DLayered<float4>(t, x, y, layer));
  add(texCubemap<float4>(t, x, y, z));
  add(texCubemapLayered<float4>(t, x, y, z, layer));
  add(tex2DLod<float4>(t, x, y, 2.0f));
  add(tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x)));
  add(tex2Dgather<float4>(t, x, y, 1));
  add(tex3DLod<float4>(t, x, y, z, 1.0f));
  out[threadIdx.x] = sum;
}

__global__ void typed(uchar4* out, int2* pairs, cudaTextureObject_t t, float x) {
  out[threadIdx.x] = tex2D<uchar4>(t, x, x);
  pairs[threadIdx.x] = tex1Dfetch<int2>(t, threadIdx.x);
}

__global__ void surfaces(cudaSurfaceObject_t s, float4 v, int x, int y) {
  float4 seen;
  surf2Dread(&seen, s, x * 16, y);
  surf2Dwrite(seen, s, x * 16, y, cudaBoundaryModeClamp);
  surf3Dwrite(v, s, x * 16, y, 1, cudaBoundaryModeZero);
  short2 small;
  surf1Dread(&small, s, x * 4);
  surf2DLayeredwrite(small, s, x * 4, y, 3);
  surfCubemapwrite(v.x, s, x * 4, y, 2);
}

__global__ void queries(int* out, cudaTextureObject_t t, cudaSurfaceObject_t s) {
  int width, height, other;
  asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
  asm("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(t));
  asm("suq.width.b32 %0, [%1];" : "=r"(other) : "l"(s));
  out[0] = width + height + other;
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(2), "r"(width));
}
