// The cubins inside real reports, of many compilers since CUDA 10, against what the driver told Nsight Compute about
// the launches of their kernels. tools/validate_cubin_resources does the same against ptxas -v of one compiler.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "corpus/ncu_report_oracle.h"
#include "ingest/cubin/resources.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

using ingest::nsight::Launch;
using ingest::nsight::SourceData;
using ingest::nsight::StringTable;

// What the driver says of a kernel, by the names of the metrics.
using Attributes = std::map<std::string, std::uint64_t>;

constexpr const char* attribute_names[] = {"launch__registers_per_thread", "launch__shared_mem_per_block_static"};

// The driver gives every kernel at least 16 registers since Volta, and one that calls its functions (printf) as many as
// those need.
std::uint32_t registers_when_loaded(const model::KernelResources& kernel, std::uint64_t theirs) {
  const std::uint32_t ours = kernel.registers_per_thread.value_or(0);
  const std::uint32_t least = kernel.cc.major >= 7 ? 16 : 0;
  constexpr std::uint32_t of_driver_functions = 32;
  if (kernel.driver_functions.value_or(0) > 0 && theirs == of_driver_functions) return std::max(ours, of_driver_functions);
  return std::max(ours, least);
}

class Collector : public ingest::nsight::ReportConsumer {
 public:
  Result<> launch(const Launch& launch, std::uint64_t, const StringTable& names) override {
    Attributes& attributes = launches_[{launch.source, std::string(launch.mangled)}];
    for (const auto& metric : launch.metrics) {
      const bool wanted = std::count(std::begin(attribute_names), std::end(attribute_names), names[metric.name]) > 0;
      if (wanted && metric.value.is_number())
        attributes[std::string(names[metric.name])] = static_cast<std::uint64_t>(metric.value.number());
    }
    return {};
  }

  Result<> source(const SourceData& source) override {
    if (source.cubin.empty()) return {};
    ++cubins;
    const auto kernels = ingest::cubin::read_kernel_resources(source.cubin);
    if (!kernels) return Failure{kernels.error()};
    for (const model::KernelResources& kernel : *kernels) kernels_[{source.reference, kernel.name}] = kernel;
    return {};
  }

  void compare(const std::string& file) {
    for (const auto& [key, attributes] : launches_) {
      const auto kernel = kernels_.find(key);
      if (kernel == kernels_.end()) continue;
      ++kernels;
      const model::KernelResources& one = kernel->second;
      SCOPED_TRACE(fmt::format("{}: {} for {}", file, one.name, one.architecture));
      const auto theirs = attributes.find(attribute_names[0]);
      const std::uint64_t stated = theirs == attributes.end() ? 0 : theirs->second;
      compare(attributes, attribute_names[0], std::optional(registers_when_loaded(one, stated)), registers);
      compare(attributes, attribute_names[1], one.static_shared_bytes, static_shared);
    }
  }

  std::size_t cubins = 0, kernels = 0;
  Agreement registers, static_shared;

 private:
  template <typename T>
  static void compare(const Attributes& attributes, const char* name, const std::optional<T>& ours, Agreement& into) {
    const auto theirs = attributes.find(name);
    if (theirs == attributes.end()) return;
    into.add(ours == theirs->second);
    EXPECT_EQ(ours.value_or(T(-1)), theirs->second) << name;
  }

  using Key = std::pair<std::uint64_t, std::string>;
  std::map<Key, Attributes> launches_;
  std::map<Key, model::KernelResources> kernels_;
};

TEST(CubinResources, AgreeWithTheDriverInRealReports) {
  FRX_NEEDS_CORPUS();
  Agreement registers, static_shared;
  std::size_t cubins = 0, kernels = 0;
  for (const std::filesystem::path& path : report_files(*testing::corpus())) {
    const Result<std::unique_ptr<ByteSource>> file = open_file(path.string());
    ASSERT_TRUE(file);
    Collector collector;
    const auto summary = ingest::nsight::read_report(**file, collector);
    ASSERT_TRUE(summary) << path.filename() << ": " << to_string(summary.error());
    collector.compare(path.filename());
    for (const auto& [into, from] : {std::pair{&registers, collector.registers}, std::pair{&static_shared, collector.static_shared}}) {
      into->compared += from.compared;
      into->equal += from.equal;
    }
    cubins += collector.cubins;
    kernels += collector.kernels;
  }
  EXPECT_GT(cubins, 80u);
  EXPECT_GT(kernels, 100u);
  EXPECT_GT(registers.compared, 100u);
  EXPECT_GT(static_shared.compared, 100u);
}

}  // namespace
}  // namespace frx::corpus
