#include "bench/report_sample.h"

#include <fmt/format.h>

#include <algorithm>

namespace frx::bench {
namespace {

using namespace testing;

constexpr const char* stalls[] = {
    "barrier",         "branch_resolving",   "dispatch_stall",   "drain",        "imc_miss",     "lg_throttle",
    "long_scoreboard", "math_pipe_throttle", "membar",           "mio_throttle", "misc",         "no_instruction",
    "not_selected",    "selected",           "short_scoreboard", "sleeping",     "tex_throttle", "wait"};
constexpr const char* rollups[] = {"sum", "avg", "min", "max", "sum.per_second", "avg.pct_of_peak_sustained_elapsed"};
constexpr const char* units[] = {"sm", "smsp", "l1tex", "lts", "ltc", "dram", "fbpa", "gpc", "pcie"};
constexpr const char* what[] = {"inst_executed", "cycles_active", "t_sectors",  "t_requests",
                                "bytes_read",    "bytes_write",   "throughput", "busy"};
constexpr const char* rules[] = {"SOLBottleneck",        "SOLFPRoofline",           "HighPipeUtilization",  "CPIStall",
                                 "IssueSlotUtilization", "AchievedOccupancy",       "TheoreticalOccupancy", "UncoalescedGlobalAccess",
                                 "WorkloadImbalance",    "MemoryCacheAccessPattern"};
constexpr const char* sections[] = {"SpeedOfLight",
                                    "ComputeWorkloadAnalysis",
                                    "MemoryWorkloadAnalysis",
                                    "SchedulerStats",
                                    "WarpStateStats",
                                    "InstructionStats",
                                    "LaunchStats",
                                    "Occupancy",
                                    "SourceCounters",
                                    "PmSampling"};
constexpr std::size_t sampled = std::size(stalls);  // the first names hold a value per code address
constexpr std::size_t integers = 12;                // and these are whole numbers

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const char* stall : stalls) names.push_back(fmt::format("smsp__pcsamp_warps_issue_stalled_{}", stall));
  for (const char* name : {"launch__grid_size", "launch__block_size", "launch__registers_per_thread", "launch__thread_count",
                           "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic", "launch__occupancy_limit_blocks",
                           "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps",
                           "device__attribute_multiprocessor_count", "launch__device_id"}) {
    names.emplace_back(name);
  }
  for (const char* name :
       {"gpu__time_duration.sum", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "l1tex__t_sector_hit_rate.pct",
        "lts__t_sector_hit_rate.pct", "sm__warps_active.avg.pct_of_peak_sustained_active", "smsp__warps_eligible.avg.per_cycle_active",
        "smsp__thread_inst_executed_per_inst_executed.ratio", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"}) {
    names.emplace_back(name);
  }
  for (const char* stall : stalls) names.push_back(fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", stall));
  for (const char* unit : units) {
    for (const char* counter : what) {
      for (const char* rollup : rollups) names.push_back(fmt::format("{}__{}.{}", unit, counter, rollup));
    }
  }
  for (int i = 0; names.size() < ReportSample::metrics; ++i) names.push_back(fmt::format("smsp__sass_inst_executed_op_{}.sum", i));
  return names;
}

std::string kernel_name(int kernel) {
  return fmt::format(
      "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, "
      "at::native::binary_internal::Functor{0}<float> >, at::detail::Array<char*, 3> >(int, Functor{0}<float>, "
      "at::detail::Array<char*, 3>)",
      kernel);
}

ReportRule make_rule(const char* identifier, double percent) {
  const std::string text = fmt::format(
      "This kernel exhibits low throughput: {:.2f} % of the peak. Look at @section:MemoryWorkloadAnalysis:Memory "
      "Workload Analysis@ for "
      "latency issues, and see the @url:guide:https://example.org/guide@ for ways to raise the number of eligible "
      "warps per scheduler.",
      percent);
  return {.identifier = identifier,
          .name = identifier,
          .section = "SpeedOfLight",
          .messages = {{text}},
          .speedup = ReportRule::global,
          .speedup_pct = percent,
          .focus = {{"gpu__time_duration.sum", percent}}};
}

ReportSection make_section(const char* identifier, const std::vector<std::string>& names) {
  ReportSection section{.identifier = identifier, .name = identifier};
  for (std::size_t i = 0; i < 12; ++i) section.header.emplace_back(names[(i * 37) % names.size()], "The label of this metric");
  return section;
}

}  // namespace

ReportSample::ReportSample() : names_(metric_names()) {
  for (int kernel = 0; kernel < kernels; ++kernel) launches_.push_back(make_launch(kernel));
}

std::vector<ReportInstance> ReportSample::make_instances(int count) {
  std::vector<ReportInstance> instances;
  for (int i = 0; i < count; ++i) instances.push_back({std::uint64_t{0x7000} + std::uint64_t{16} * i, pick(500)});
  return instances;
}

// A large kernel has thousands of instructions, most have a few hundred.
ReportLaunch ReportSample::make_launch(int kernel) {
  ReportLaunch launch{
      .mangled = fmt::format("_ZN2at6native{}E", kernel), .function = "vectorized_elementwise_kernel", .demangled = kernel_name(kernel)};
  launch.block = {std::uint64_t{64} << (kernel % 4), 1, 1};
  launch.source = 1 + kernel / 50;
  const int instructions = kernel % 16 == 0 ? 2000 : 100;
  for (std::uint32_t id = 0; id < names_.size(); ++id) {
    ReportMetric& metric = launch.metrics.emplace_back(ReportMetric{.name = {}, .name_id = id});
    if (id < sampled) metric.instances = make_instances(instructions);
  }
  for (const char* identifier : sections) launch.sections.push_back(make_section(identifier, names_));
  for (const char* identifier : rules) launch.rules.push_back(make_rule(identifier, decimal() / 1000));
  return launch;
}

void ReportSample::change_values(ReportLaunch& launch) {
  launch.call = written_;
  launch.grid = {64u + 64u * pick(shapes), 1, 1};
  for (std::size_t i = 0; i < launch.metrics.size(); ++i) {
    launch.metrics[i].value = i < sampled + integers ? ReportValue(pick(1000)) : ReportValue(decimal());
  }
  launch.metrics[sampled].value = launch.grid[0];
  launch.metrics[sampled + 1].value = launch.block[0];
  launch.metrics[sampled + integers - 1].value = std::uint64_t{0};  // launch__device_id
}

std::string ReportSample::head() {
  writer_.add({.names = names_, .session = {.created = 1'700'000'000, .devices = {{.id = 0, .name = "NVIDIA H100 80GB HBM3"}}}});
  writer_.add({.session = {.versions = {{"Nsight Compute Target", "2025.1.0.0 (build 1) (public-release)"}}}});
  return writer_.take();
}

// Code does not compress; most of a cubin is code and line tables.
void ReportSample::add_source() {
  ReportSource source{.reference = 1 + written_ / 50,
                      .cubin = std::string("\x7F"
                                           "ELF"),
                      .sm_major = 9};
  while (source.cubin.size() < 200'000) source.cubin += static_cast<char>(random_() & 0xFF);
  writer_.add({.sources = {std::move(source)}});
}

// Few kernels take most launches.
void ReportSample::add_launch() {
  ReportLaunch& launch = launches_[std::min(pick(kernels), pick(kernels))];
  change_values(launch);
  ReportBlock block{.process = ReportProcess{.id = 4711, .name = "python3.11"}};
  block.results.push_back(std::move(launch));
  writer_.add(block);
  launch = std::move(block.results[0]);
}

std::string ReportSample::next() {
  if (!std::exchange(begun_, true)) return head();
  if (written_ % 50 == 0) add_source();
  add_launch();
  ++written_;
  return writer_.take();
}

std::string report_sample(std::size_t bytes) {
  ReportSample sample;
  std::string text = sample.next();
  do text += sample.next();
  while (text.size() < bytes);
  return text;
}

}  // namespace frx::bench
