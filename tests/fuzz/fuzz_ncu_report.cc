// Bytes as a report of Nsight Compute: once as the importer reads it, once with everything that is read
// only when it is asked for.
#include "fuzz/input.h"
#include "ingest/ncu_report/report.h"
#include "ingest/ncu_report/rule_text.h"
#include "ingest/profile.h"

namespace {

using frx::fuzz::require;
using namespace frx::ingest::nsight;

class Everything final : public ReportConsumer {
 public:
  frx::Result<> launch(const Launch& launch, std::uint64_t, const StringTable&) override {
    for (const MetricResult& metric : launch.metrics) {
      const std::vector<Instance> instances = instances_of(metric);
      require(metric.has_instances || instances.empty());
    }
    for (const std::string_view message : launch.rules) read_all(read_rule(message));
    for (const std::string_view message : launch.sections) (void)read_section(message);
    (void)read_host_stack(launch.host_stack);
    (void)read_nvtx(launch.nvtx);
    return {};
  }
  frx::Result<> source(const SourceData&) override { return {}; }

 private:
  static void read_all(const Rule& rule) {
    for (const RuleMessage& message : rule.messages) {
      require(plain_rule_text(message.text).size() <= message.text.size());
    }
  }
};

template <typename T>
void check(const frx::Result<T>& result) {
  require(result || !result.error().message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::unique_ptr<frx::ByteSource> once = frx::open_bytes(input.text());
  const auto session = frx::ingest::read_profile("fuzz", *once, frx::fuzz::knowledge().metrics);
  check(session);
  require(!session || session->launches > 0);
  const std::unique_ptr<frx::ByteSource> again = frx::open_bytes(input.text());
  Everything everything;
  check(read_report(*again, everything));
  return 0;
}
