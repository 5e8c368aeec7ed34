// What a thread keeps in memory of its own: objects, large arrays, lists as long as the data say.
#include <gtest/gtest.h>

#include <string>

#include "derive/cuda/large_arrays.h"
#include "derive/cuda/run_time_indices.h"
#include "ingest/cuda/read_source.h"

namespace frx::derive::cuda {
namespace {

// The trace of the first kernel of a file.
class Kernel {
 public:
  explicit Kernel(const std::string& text) : files_{ingest::cuda::read_source("k.cu", text).value()}, sources_(packed(files_)) {
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (program_.functions()[f].is_kernel) trace = trace_kernel(program_, f, 1'000'000);
    }
  }

 private:
  static std::span<model::cuda::Source> packed(std::vector<model::cuda::Source>& files) {
    for (model::cuda::Source& file : files) file.pack();
    return files;
  }

  std::vector<model::cuda::Source> files_;
  Sources sources_;
  Program program_{sources_};

 public:
  Trace trace;
};

std::size_t run_time_indices(const std::string& text) { return run_time_indexed_accesses(Kernel(text).trace).size(); }

TEST(LocalObjects, HaveAMemoryForEachMember) {
  const Kernel kernel("struct S { int a[4]; int n; };\n__global__ void k(int* p) { S s; s.n = 0; s.a[1] = p[0]; p[1] = s.a[1] + s.n; }");
  std::string names;
  for (const Memory& memory : kernel.trace.memories) names += std::string(memory.name) + " ";
  EXPECT_EQ(names, "p s n a ");
}

TEST(RunTimeIndices, FollowACountThatTheDataChoose) {
  const std::string list = "struct L { int v[8]; int n; };\n";
  const std::string put = "s.v[s.n] = p[i]; s.n++; } p[0] = s.v[0]; }";
  EXPECT_EQ(run_time_indices(list + "__global__ void k(int* p, int m) { L s; s.n = 0; for (int i = 0; i < m; ++i) { " + put), 1u);
  EXPECT_EQ(run_time_indices(list + "__global__ void k(int* p, int m) { L s; s.n = 0; for (int i = 0; i < 8; ++i) { " + put), 0u);
}

TEST(RunTimeIndices, FollowAStepThatAContinueSkips) {
  const std::string begin = "__global__ void k(int* p) { int v[8], n = 0; for (int i = 0; i < 8; ++i) { ",
                    end = "v[n++] = i; } p[0] = v[0]; }";
  EXPECT_EQ(run_time_indices(begin + "if (p[i] < 0) continue; " + end), 1u);
  EXPECT_EQ(run_time_indices(begin + "while (p[i] < 0) { if (p[i] < -1) continue; p[i]++; } " + end), 0u);  // of the inner loop
}

TEST(LargeArrays, AreThoseThatALoopReadsWholeBehindAnother) {
  const auto bytes = [](const std::string& body) {
    return large_local_array(Kernel("__global__ void k(float* p) { float v[512]; " + body + " }").trace).bytes;
  };
  const std::string fill = "for (int i = 0; i < 512; ++i) v[i] = p[i]; ";
  EXPECT_EQ(bytes(fill + "float s = 0; for (int i = 0; i < 512; ++i) s += v[i]; p[0] = s;"), 2048u);
  EXPECT_EQ(bytes(fill + "float s = 0; for (int i = 0; i < 16; ++i) s += v[i]; p[0] = s;"), 0u);
  EXPECT_EQ(bytes("float s = 0; for (int i = 0; i < 512; ++i) { v[i] = p[i]; s += v[i]; } p[0] = s;"), 0u);
  EXPECT_EQ(bytes("fill(v); float s = 0; for (int i = 0; i < 512; ++i) s += v[i]; p[0] = s;"), 2048u);  // by a function that is not seen
}

}  // namespace
}  // namespace frx::derive::cuda
