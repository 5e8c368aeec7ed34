// What nvcc makes now, read and compared with what ptxas -v says: a few kernels for two architectures, in a fat binary
// packed in each way. tools/validate_cubin_resources does this at length.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "ingest/fatbin/device_code.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

constexpr std::string_view source = R"(
__global__ void copy(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }

template <int N> __global__ void __launch_bounds__(256) stages(float* a, int n) {
  __shared__ float tile[N];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[n];
}
template __global__ void stages<256>(float*, int);

__global__ void indexed(float* a, int n) {
  float values[32];
  for (int i = 0; i < 32; ++i) values[i] = a[i * n];
  for (int i = 0; i < n; ++i) values[(i * 7) & 31] += values[(i * 3) & 31];
  a[threadIdx.x] = values[n & 31];
}

__global__ void __launch_bounds__(1024) spills(float* a, int n) {
  float live[100];
#pragma unroll
  for (int i = 0; i < 100; ++i) live[i] = a[threadIdx.x + i * n];
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < 100; ++i) live[i] = live[i] * live[(i * 7 + 3) % 100] + k;
  }
#pragma unroll
  for (int i = 0; i < 100; ++i) a[threadIdx.x + i * n] = live[i];
}
)";

struct Output {
  int status = -1;
  std::string text;
};

Output run(const std::string& command) {
  Output output;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return output;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.text.append(buffer.data(), size);
  output.status = pclose(pipe);
  return output;
}

struct Said {
  std::uint64_t frame = 0, spill_stores = 0, spill_loads = 0, registers = 0, barriers = 0, shared = 0;
  bool operator==(const Said&) const = default;
};

void PrintTo(const Said& said, std::ostream* out) {
  *out << fmt::format("{} bytes stack frame, {} bytes spill stores, {} bytes spill loads, {} registers, {} barriers, {} bytes smem",
                      said.frame, said.spill_stores, said.spill_loads, said.registers, said.barriers, said.shared);
}

// "copy for sm_80" -> what ptxas says of it.
using Kernels = std::map<std::string, Said>;

std::uint64_t number_before(const std::string& line, const std::string& words) {
  std::smatch found;
  return std::regex_search(line, found, std::regex("(\\d+) " + words)) ? std::stoull(found[1]) : 0;
}

Kernels of_ptxas(const std::string& log) {
  Kernels kernels;
  std::string name;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_search(line, found, std::regex("Compiling entry function '(\\S+)' for '(\\S+)'")))
      name = found[1].str() + " for " + found[2].str();
    if (name.empty()) continue;
    Said& said = kernels[name];
    if (line.find("bytes stack frame") != line.npos) {
      said.frame = number_before(line, "bytes stack frame");
      said.spill_stores = number_before(line, "bytes spill stores");
      said.spill_loads = number_before(line, "bytes spill loads");
    }
    if (line.find("Used ") != line.npos) {
      said.registers = number_before(line, "registers");
      said.barriers = number_before(line, "barriers");
      said.shared = number_before(line, "bytes smem");
    }
  }
  return kernels;
}

Kernels of_frx(const model::DeviceCode& code) {
  Kernels kernels;
  for (const model::KernelResources& one : code.kernels) {
    const model::LocalAccesses spills = one.spills.value_or(model::LocalAccesses());
    EXPECT_TRUE(one.spills) << one.name;
    kernels[one.name + " for " + one.architecture] = {one.frame_bytes.value_or(0), spills.store_bytes,
                                                      spills.load_bytes,           one.registers_per_thread.value_or(0),
                                                      one.barriers.value_or(0),    one.static_shared_bytes.value_or(0)};
  }
  return kernels;
}

class CompiledKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    const Output version = run("nvcc --version");
    std::smatch release;
    if (version.status != 0 || !std::regex_search(version.text, release, std::regex("release (\\d+)")))
      GTEST_SKIP() << "no nvcc on this machine";
    if (std::stoi(release[1]) < 13) GTEST_SKIP() << "compilers before CUDA 13 need not mark spills";
    auto folder = TemporaryDirectory::make(::testing::TempDir());
    ASSERT_TRUE(folder);
    folder_.emplace(std::move(*folder));
    std::ofstream(folder_->file("kernels.cu")) << source;
  }

  Output compile(const std::string& options, const std::string& out) {
    return run(fmt::format("cd {} && nvcc {} -o {} kernels.cu", shell_quote(folder_->path()), options, out));
  }
  Result<model::DeviceCode> read(const std::string& file) {
    std::ostringstream bytes;
    bytes << std::ifstream(folder_->file(file), std::ios::binary).rdbuf();
    return ingest::fatbin::read_device_code(file, bytes.str());
  }

  std::optional<TemporaryDirectory> folder_;
};

TEST_F(CompiledKernels, AreReadAsPtxasDescribesThem) {
  for (const std::string mode : {"size", "speed"}) {
    const Output output = compile(
        "-fatbin -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90a,code=sm_90a -Xptxas -v "
        "--compress-mode=" +
            mode,
        mode + ".fatbin");
    ASSERT_EQ(output.status, 0) << output.text;
    const auto code = read(mode + ".fatbin");
    ASSERT_TRUE(code) << to_string(code.error());
    const Kernels theirs = of_ptxas(output.text), ours = of_frx(*code);
    EXPECT_EQ(ours.size(), 8u);
    EXPECT_GT(ours.at("_Z6spillsPfi for sm_80").spill_stores, 0u);
    EXPECT_EQ(ours, theirs) << mode;
    ASSERT_EQ(code->ptx.size(), 1u);
    EXPECT_EQ(code->ptx[0].architecture, "compute_80");
    EXPECT_NE(code->ptx[0].text.find(".visible .entry _Z4copyPfPKf("), std::string::npos);
  }
}

TEST_F(CompiledKernels, AreReadFromAStaticLibrary) {
  std::ofstream(folder_->file("a_second_source_with_a_long_name.cu")) << "__global__ void second(int* a) { *a = 1; }";
  const Output output = compile("-lib -gencode arch=compute_80,code=sm_80 a_second_source_with_a_long_name.cu", "libkernels.a");
  ASSERT_EQ(output.status, 0) << output.text;
  const auto code = read("libkernels.a");
  ASSERT_TRUE(code) << to_string(code.error());
  // nvcc calls them "tmpxft_0000640e_00000000-16_kernels.o".
  std::map<std::string, std::size_t> kernels;
  for (const model::KernelResources& kernel : code->kernels) {
    EXPECT_TRUE(kernel.member.ends_with(kernel.name == "_Z6secondPi" ? "_a_second_source_with_a_long_name.o" : "_kernels.o"))
        << kernel.member;
    ++kernels[kernel.member];
  }
  EXPECT_EQ(kernels.size(), 2u);
  EXPECT_EQ(code->kernels.size(), 5u);
  EXPECT_TRUE(code->notes.empty());
}

}  // namespace
}  // namespace frx::testing
