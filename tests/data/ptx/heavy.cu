// CUB, Thrust and libcu++ as real programs use them: some sixty large kernels from the toolkit's headers. From sm_75; takes minutes.
#include <cub/cub.cuh>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <thrust/device_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

template <int Items>
__global__ void block_primitives(int* out, const int* in) {
  using Load = cub::BlockLoad<int, 128, Items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, 128, Items>;
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
  using Store = cub::BlockStore<int, 128, Items, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Store::TempStorage store;
  } shared;
  int items[Items];
  Load(shared.load).Load(in, items);
  __syncthreads();
  Sort(shared.sort).Sort(items);
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(items, items);
  __syncthreads();
  Store(shared.store).Store(out, items);
}
template __global__ void block_primitives<4>(int*, const int*);
template __global__ void block_primitives<17>(int*, const int*);

__global__ void standard_types(cuda::std::complex<double>* c, const float* in, int which) {
  cuda::std::variant<int, float> value;
  if (which > 0) value = in[which];
  else value = which;
  const cuda::std::optional<float> maybe = which != 3 ? cuda::std::optional<float>(in[3]) : cuda::std::nullopt;
  cuda::std::array<float, 4> four{1, 2, 3, maybe.value_or(4)};
  auto [a, b] = cuda::std::make_tuple(four[which & 3], cuda::std::visit([](auto v) { return double(v); }, value));
  c[threadIdx.x] = cuda::std::exp(cuda::std::complex<double>(a, b)) / c[threadIdx.x + 1];
}

void thrust_algorithms(int n) {
  thrust::device_vector<int> keys(n);
  thrust::device_vector<double> values(n);
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  thrust::inclusive_scan(values.begin(), values.end(), values.begin());
  thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), keys.begin(), values.begin());
  thrust::transform_reduce(
      values.begin(), values.end(), [] __host__ __device__(double x) { return x * x; }, 0.0, thrust::maximum<double>());
  const auto both = thrust::make_zip_iterator(keys.begin(), values.begin());
  thrust::transform(both, both + n, values.begin(), [] __host__ __device__(thrust::tuple<int, double> t) { return thrust::get<0>(t) * thrust::get<1>(t); });
  thrust::unique(keys.begin(), keys.end());
  thrust::stable_sort(values.begin(), values.end(), [] __host__ __device__(double a, double b) { return a * a < b * b; });
}

void cub_algorithms(int* in, int* out, float* f, int n) {
  size_t bytes = 0;
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, out, f, f, n);
  cub::DeviceReduce::ArgMin(nullptr, bytes, f, f, out, n);
  cub::DeviceSelect::If(nullptr, bytes, in, out, out, n, [] __device__(int v) { return v > 3; });
  cub::DeviceHistogram::HistogramEven(nullptr, bytes, f, out, 65, 0.0f, 1.0f, n);
  cub::DeviceSegmentedReduce::Max(nullptr, bytes, f, f, 9, in, in + 1);
  cub::DeviceRunLengthEncode::Encode(nullptr, bytes, in, out, out, out, n);
  cub::DeviceMergeSort::SortKeys(nullptr, bytes, in, n, [] __device__(int a, int b) { return a > b; });
  cub::DevicePartition::Flagged(nullptr, bytes, in, out, out, out, n);
  cub::DeviceScan::InclusiveSum(nullptr, bytes, f, f, n);
}
