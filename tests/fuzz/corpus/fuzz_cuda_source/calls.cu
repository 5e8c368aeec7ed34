// Calls of every kind: printf, assert, malloc, function pointers, virtual functions, recursion, structs by value. From sm_75.
#include <cassert>
#include <cstdio>
#include <new>

struct Vector {
  float x, y, z;
  int tags[5];
};

__device__ __noinline__ Vector scaled(Vector v, float by) {
  v.x *= by, v.y *= by, v.z *= by;
  v.tags[2] += 1;
  return v;
}
__device__ __noinline__ void nothing() { asm volatile("// nothing"); }
__device__ __noinline__ double wide(double a, short b, unsigned char c, long long d) { return a * b + c - double(d); }
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int (*const operations[])(int, int) = {add, sub};
__device__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1) + factorial(n - 2); }

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.14159f * radius * radius; }
};

__global__ void structs(Vector* v, double* d) {
  v[threadIdx.x] = scaled(v[threadIdx.x], 2.0f);
  nothing();
  d[threadIdx.x] = wide(d[threadIdx.x], short(threadIdx.x), 3, 4);
}
__global__ void pointers(int* out, int which) { out[threadIdx.x] = operations[which & 1](out[threadIdx.x], 3) + factorial(which); }
__global__ void virtuals(float* out, int which) {
  Shape* shape = which != 0 ? static_cast<Shape*>(new Square(out[0])) : static_cast<Shape*>(new Circle(out[1]));
  out[threadIdx.x] = shape->area();
  delete shape;
}
__global__ void talks(const int* in) {
  assert(in[threadIdx.x] > 0);
  printf("%d %f %s\n", in[threadIdx.x], 0.5, "text; with { braces } and \"quotes\" // and no comment");
}
__global__ void allocates(int** out, int n) {
  int* p = static_cast<int*>(malloc(n * sizeof(int)));
  if (p != nullptr) p[0] = n;
  out[threadIdx.x] = p;
  free(p);
}
__global__ void stops(const int* in) {
  if (in[0] == 1) __trap();
  if (in[0] == 2) __brkpt();
  if (in[0] == 3) __prof_trigger(1);
  if (in[0] == 4) asm volatile("exit;");
}
__global__ void on_the_stack(int* out, int n) {
  int* p = static_cast<int*>(alloca(n * sizeof(int)));
  for (int i = 0; i < n; ++i) p[i] = out[i];
  out[threadIdx.x] = p[n - 1 - threadIdx.x];
}
