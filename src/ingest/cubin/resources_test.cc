#include "ingest/cubin/resources.h"

#include <gtest/gtest.h>

#include "ingest/cubin/testing_kernels.h"

namespace frx::ingest::cubin {
namespace {

using model::Dim3;
using model::KernelResources;
using model::LocalAccesses;
using testing::attribute;
using testing::CubinSketch;
using testing::KernelSketch;
using testing::load_local;
using testing::no_operation;
using testing::short_attribute;
using testing::store_local;
using testing::words;

constexpr std::uint8_t registers = 0x2F, frame = 0x11, stack = 0x12;

KernelResources read_one(const CubinSketch& cubin) {
  const auto kernels = read_kernel_resources(cubin.bytes());
  EXPECT_TRUE(kernels) << to_string(kernels.error());
  EXPECT_TRUE(kernels && kernels->size() == 1u);
  return kernels && !kernels->empty() ? kernels->front() : KernelResources();
}

KernelResources read_one(const KernelSketch& kernel) { return read_one(CubinSketch{.kernels = {kernel}}); }

std::string resources_refusal(const std::string& cubin) {
  const auto kernels = read_kernel_resources(cubin);
  return kernels ? "read" : kernels.error().message;
}

TEST(KernelResources, AreReadFromTheTablesOfTheCompiler) {
  KernelSketch kernel;
  kernel.of_symbol = {{registers, 40}, {frame, 128}, {stack, 144}};
  kernel.attributes = short_attribute(0x19, 20) + short_attribute(0x1B, 64) + "\x02\x4C" + testing::number(3, 2) +
                      attribute(0x05, words({256, 2, 1})) + attribute(0x10, words({128, 1, 1})) + attribute(0x3D, words({2, 2, 1})) +
                      attribute(0x3F, words({4})) + attribute(0x37, words({130})) + attribute(0x0F, words({7, 9}));
  kernel.shared = 5120;
  kernel.constant = 548;
  const KernelResources read = read_one(kernel);
  EXPECT_EQ(read.name, "_Z4axpyfPf");
  EXPECT_EQ(read.demangled, "axpy(float, float*)");
  EXPECT_EQ(read.architecture, "sm_90");
  EXPECT_EQ(read.cc, (model::ComputeCapability{9, 0}));
  EXPECT_EQ(read.registers_per_thread, 40u);
  EXPECT_EQ(read.register_limit, 64u);
  EXPECT_EQ(read.frame_bytes, 128u);
  EXPECT_EQ(read.stack_bytes, 144u);
  EXPECT_EQ(read.static_shared_bytes, 4096u);
  EXPECT_EQ(read.reserved_shared_bytes, 1024u);
  EXPECT_EQ(read.parameter_bytes, 20u);
  EXPECT_EQ(read.constant_bytes, 548u);
  EXPECT_EQ(read.barriers, 3u);
  EXPECT_EQ(read.max_threads, (Dim3{256, 2, 1}));
  EXPECT_EQ(read.required_threads, (Dim3{128, 1, 1}));
  EXPECT_EQ(read.cluster, (Dim3{2, 2, 1}));
  EXPECT_EQ(read.max_cluster_size, 4u);
  EXPECT_EQ(read.driver_functions, 2u);
  EXPECT_EQ(read.cuda_version, 130u);
  EXPECT_EQ(read.code_bytes, 16u);
  EXPECT_FALSE(read.relocatable);
}

// Nothing is guessed: without a stored register count there is none.
TEST(KernelResources, LeaveOutWhatTheFileDoesNotSay) {
  const KernelResources read = read_one(KernelSketch());
  EXPECT_EQ(read.registers_per_thread, std::nullopt);
  EXPECT_EQ(read.register_limit, std::nullopt);
  EXPECT_EQ(read.frame_bytes, std::nullopt);
  EXPECT_EQ(read.stack_bytes, std::nullopt);
  EXPECT_EQ(read.parameter_bytes, std::nullopt);
  EXPECT_EQ(read.constant_bytes, std::nullopt);
  EXPECT_EQ(read.max_threads, std::nullopt);
  EXPECT_EQ(read.cuda_version, std::nullopt);
  // The compiler leaves these out when they are zero.
  EXPECT_EQ(read.static_shared_bytes, 0u);
  EXPECT_EQ(read.barriers, 0u);
}

TEST(KernelResources, AreFoundWhereOlderCompilersKeepThem) {
  CubinSketch cubin{.kernels = {KernelSketch()}, .abi_version = 7, .flags = 0x560556, .version = 124};
  cubin.kernels[0].section_flags = 6 | 5 << 20;
  cubin.kernels[0].registers_in_header = 33;
  cubin.kernels[0].shared = 5120;
  const KernelResources read = read_one(cubin);
  EXPECT_EQ(read.architecture, "sm_86");
  EXPECT_EQ(read.registers_per_thread, 33u);
  EXPECT_EQ(read.barriers, 5u);
  EXPECT_EQ(read.static_shared_bytes, 5120u);
  EXPECT_EQ(read.reserved_shared_bytes, 0u);
  EXPECT_EQ(read.cuda_version, 124u);
}

TEST(KernelResources, KnowTheArchitectureToItsLastLetter) {
  CubinSketch cubin{.kernels = {KernelSketch()}};
  const auto architecture = [&] { return read_one(cubin).architecture; };
  cubin.compat = std::string("\x02\x09\x01\x00", 4);
  EXPECT_EQ(architecture(), "sm_90a");
  cubin.compat = std::string("\x02\x09\x00\x00", 4);
  EXPECT_EQ(architecture(), "sm_90");
  cubin.flags = 0x6006402;
  cubin.note = "ptxas -v -arch sm_100f -m 64";
  EXPECT_EQ(architecture(), "sm_100f");
  cubin.note = "ptxas -v -arch sm_100 -m 64";
  EXPECT_EQ(architecture(), "sm_100");
  cubin = CubinSketch{.kernels = {KernelSketch()}, .abi_version = 7, .flags = 0x5A0D5A};
  EXPECT_EQ(architecture(), "sm_90a");
}

TEST(KernelResources, OfAPartThatIsNotLinkedHaveNoSystemSharedMemory) {
  CubinSketch cubin{.kernels = {KernelSketch()}, .type = 1};
  cubin.kernels[0].shared = 5120;
  const KernelResources read = read_one(cubin);
  EXPECT_TRUE(read.relocatable);
  EXPECT_EQ(read.static_shared_bytes, 5120u);
  EXPECT_EQ(read.reserved_shared_bytes, 0u);
}

TEST(KernelResources, AreThoseOfKernelsNotOfFunctions) {
  CubinSketch cubin{.kernels = {KernelSketch(), KernelSketch{.name = "callee", .other = 0}, KernelSketch{.name = "other"}}};
  const auto kernels = read_kernel_resources(cubin.bytes());
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 2u);
  EXPECT_EQ((*kernels)[1].name, "other");
  EXPECT_EQ((*kernels)[1].demangled, "");
}

TEST(KernelResources, CountTheAccessesToLocalMemory) {
  KernelSketch kernel;
  kernel.code = load_local(4) + no_operation() + store_local(6) + store_local(5) + load_local(0) + testing::instruction(0x343);
  const KernelResources read = read_one(kernel);
  EXPECT_EQ(read.local, (LocalAccesses{.loads = 2, .stores = 2, .load_bytes = 5, .store_bytes = 24}));
  EXPECT_EQ(read.indirect_calls, 1u);
}

TEST(KernelResources, OfPascalSayNothingOfInstructionsOfAnotherForm) {
  CubinSketch cubin{.kernels = {KernelSketch()}, .abi_version = 7, .flags = 0x3D053D};
  const KernelResources read = read_one(cubin);
  EXPECT_EQ(read.architecture, "sm_61");
  EXPECT_EQ(read.local, std::nullopt);
  EXPECT_EQ(read.spills, std::nullopt);
}

// ptxas writes no stack for a kernel that calls itself, or 0; nvlink writes all ones.
TEST(KernelResources, LeaveTheStackOfRecursionOpen) {
  KernelSketch kernel;
  kernel.of_symbol = {{stack, 0xFFFFFFFF}};
  EXPECT_EQ(read_one(kernel).stack_bytes, std::nullopt);
  kernel.of_symbol = {{stack, 0}};
  EXPECT_EQ(read_one(kernel).stack_bytes, 0u);
  kernel.code = store_local();
  EXPECT_EQ(read_one(kernel).stack_bytes, std::nullopt);

  CubinSketch cubin{.kernels = {KernelSketch(), KernelSketch{.name = "$callee", .other = 0, .behind_previous = true}}};
  cubin.kernels[0].of_symbol = {{stack, 16}};
  cubin.kernels[1].of_symbol = {{frame, 56}};
  EXPECT_EQ(read_one(cubin).stack_bytes, std::nullopt);
}

TEST(KernelResources, RefuseWhatIsNoCubin) {
  EXPECT_EQ(resources_refusal(""), "expected a cubin, found no ELF file");
  EXPECT_EQ(resources_refusal(CubinSketch{.machine = 62}.bytes()),
            "expected a cubin (little-endian ELF for machine 190), found machine 62");
  EXPECT_EQ(resources_refusal(CubinSketch{.flags = 0}.bytes()), "expected the architecture in the flags of the cubin, found 0x0");
}

TEST(KernelResources, RefuseDamagedTables) {
  CubinSketch cubin{.kernels = {KernelSketch()}};
  cubin.kernels[0].attributes = "\x05\x19" + testing::number(0, 2);
  EXPECT_EQ(resources_refusal(cubin.bytes()), "expected an attribute of format 1 to 4 at byte 0, found 5");
  cubin.kernels[0].attributes = short_attribute(0x19, 20) + "\x04\x05" + testing::number(200, 2);
  EXPECT_EQ(resources_refusal(cubin.bytes()), "the attribute at byte 4 ends behind its section");
}

// A file whose kernels cannot be found must not look like one that has none.
TEST(KernelResources, RefuseCodeThatBelongsToNoKernel) {
  CubinSketch cubin{.kernels = {KernelSketch()}};
  const std::string whole = cubin.bytes();
  const auto damaged = [&](std::size_t position, const std::string& bytes) {
    std::string copy = whole;
    return resources_refusal(copy.replace(position, bytes.size(), bytes));
  };
  constexpr std::size_t position_of_table = 40, count_of_sections = 60, section_of_names = 62;
  EXPECT_EQ(damaged(count_of_sections, testing::number(0, 2)), "the cubin has no section table");
  EXPECT_EQ(damaged(position_of_table, testing::number(0, 8)),
            "the ELF file is damaged: its section table begins at byte 0, inside its header");
  EXPECT_EQ(damaged(section_of_names, testing::number(0, 2)), "the cubin is damaged: section 1 is code without a name that can be read");
  EXPECT_EQ(damaged(whole.find(".text._Z4axpyfPf"), ".test"), "the cubin is damaged: section 1 is code without a name that can be read");
  EXPECT_EQ(damaged(whole.find(".text._Z4axpyfPf"), ".text._Z4mxpy"), "the cubin is damaged: .text._Z4mxpyfPf is code of no function");
  EXPECT_EQ(resources_refusal(CubinSketch().bytes()), "read");  // data only
}

TEST(KernelResources, ListAKernelOnceHoweverManySymbolsItHas) {
  CubinSketch cubin{.kernels = {KernelSketch{.name = "one", .code = std::string(4096, '\0')}}};
  for (int i = 0; i < 3; ++i) {
    cubin.kernels.push_back(cubin.kernels[0]);
    cubin.kernels.back().behind_previous = true;
  }
  const auto kernels = read_kernel_resources(cubin.bytes());
  ASSERT_TRUE(kernels);
  EXPECT_EQ(kernels->size(), 1u);
}

// A byte of the file belongs to one kernel; a thousand sections over the same bytes would cost a thousand times as
// much.
TEST(KernelResources, RefuseSectionsThatOverlap) {
  CubinSketch cubin;
  for (const char* name : {"one", "two", "three", "four"})
    cubin.kernels.push_back(KernelSketch{.name = name, .code = std::string(4096, '\0')});
  std::string bytes = cubin.bytes();
  std::uint64_t headers = 0, first = 0;
  std::memcpy(&headers, &bytes[0x28], 8);
  for (std::uint64_t at = headers; at + 64 <= bytes.size(); at += 64) {
    constexpr std::uint64_t larger = 12'000;
    std::uint64_t offset = 0, size = 0;
    std::memcpy(&offset, &bytes[at + 24], 8);
    std::memcpy(&size, &bytes[at + 32], 8);
    if (size != 4096) continue;
    if (first == 0) first = offset;
    std::memcpy(&bytes[at + 24], &first, 8);
    std::memcpy(&bytes[at + 32], &larger, 8);
  }
  EXPECT_EQ(resources_refusal(bytes), "the sections of the kernels overlap");
}

// Every prefix of a file that is read is read or refused.
TEST(KernelResources, SurviveAnyCut) {
  KernelSketch kernel;
  kernel.of_symbol = {{registers, 40}};
  kernel.attributes = short_attribute(0x19, 20) + attribute(0x55, words({1, 0}));
  kernel.code = store_local();
  const std::string whole = CubinSketch{.kernels = {kernel}}.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto kernels = read_kernel_resources(std::string(whole.data(), size));
    EXPECT_TRUE(!kernels || kernels->size() <= 1u) << size;
  }
}

}  // namespace
}  // namespace frx::ingest::cubin
