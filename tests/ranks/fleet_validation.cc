// How often ranks, nodes and links of a made-up cluster are named rightly: docs/validation/fleet.md.
//
//   frx_fleet_validation FOLDER [RUNS [PIPELINE [PER_FILE [STEPS]]]]
//   frx_fleet_validation FOLDER --sensitivity
//
// The second form says how much of what is planted is found by how much it costs, in clusters of 1,600 ranks. FOLDER is for the summaries,
// which are kept. RUNS clusters of 400 * PIPELINE ranks (25 without it: 10,000) with PER_FILE ranks in a file, of which every second has
// nothing planted. Code 1 where less than 99 % is found, or more than 1 % of the names are false.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "analyse/summaries.h"
#include "support/fleet_score.h"

namespace {

using namespace frx;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

testing::ClusterPlan plan_of(int run, int pipeline, int steps) {
  testing::ClusterPlan plan{
      .tensor = 8, .data = 50, .pipeline = pipeline, .steps = steps, .layers = 16, .seed = static_cast<std::uint64_t>(run + 1)};
  if (run % 2 == 1) return plan;
  plan.late_ranks = plan.ranks_at_times = 5 * pipeline / 2;
  plan.late_nodes = pipeline / 2;
  plan.slow_nodes = plan.slow_pairs = pipeline * 2 / 5;
  return plan;
}

void add(std::vector<testing::FleetCount>& sums, const std::vector<testing::FleetCount>& some) {
  if (sums.empty()) sums.resize(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    sums[i].what = some[i].what;
    sums[i].planted += some[i].planted;
    sums[i].found += some[i].found;
    sums[i].named += some[i].named;
    sums[i].false_names += some[i].false_names;
  }
}

Result<std::vector<testing::FleetCount>> run_one(const testing::ClusterPlan& plan, const std::string& folder, int per_file) {
  analyse::Context context{analyse::Options{}};
  TRY_ASSIGN(const report::TraceAnalyst* analyst, context.traces());
  testing::ClusterTruth truth;
  Clock::time_point begin = Clock::now();
  std::uint64_t bytes = 0;
  {
    const testing::MadeCluster cluster(plan);
    truth = cluster.truth();
    TRY_ASSIGN(bytes, testing::write_summaries(cluster, *analyst, folder, per_file));
  }
  const double made = seconds_since(begin);
  begin = Clock::now();
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  std::vector<ingest::Source> sources;
  sources.push_back(ingest::Source::at(folder));
  TRY_ASSIGN(std::vector<analyse::Input> inputs, analyse::inputs_of(std::move(sources), known->metrics));
  std::vector<std::string> notes;
  TRY_ASSIGN(const std::vector<report::FleetEntry> entries, analyse::RankInputs(inputs, context).fleet(notes));
  TRY_ASSIGN(const std::shared_ptr<report::FleetReport> report, report::analyse_fleet(*analyst, folder, entries, notes));
  std::fprintf(stderr, "%zu ranks, %.0f MB of summaries made in %.0f s; %llu collectives analysed in %.1f s\n", report->heads.size(),
               static_cast<double>(bytes) / 1e6, made, static_cast<unsigned long long>(report->fleet.collectives), seconds_since(begin));
  return testing::score_of(*report, truth);
}

// Of one size of delay and of slow link, planted often.
int tell_sensitivity(const std::string& folder) {
  std::printf(
      "| Noise of work | Late by | Found | Late at times, twice as much | Slow link | Found | False names "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const double noise : {0.01, 0.03}) {
    constexpr double late[] = {0.005, 0.01, 0.015, 0.02, 0.03, 0.05}, slow[] = {1.05, 1.1, 1.15, 1.2, 1.3, 1.5};
    for (std::size_t i = 0; i < std::size(late); ++i) {
      testing::ClusterPlan plan{.tensor = 8, .data = 50, .pipeline = 4, .steps = 48, .layers = 16, .seed = 100 + i};
      plan.late_ranks = plan.ranks_at_times = 20;
      plan.slow_nodes = plan.slow_pairs = 2;
      plan.least_late = plan.most_late = late[i];
      plan.least_slow = plan.most_slow = slow[i];
      plan.work_noise = noise;
      std::filesystem::create_directories(folder);
      const auto counts = run_one(plan, folder, 16);
      if (!counts) return 1;
      std::size_t false_names = 0;
      for (const testing::FleetCount& one : *counts) false_names += one.false_names;
      const auto of = [](const testing::FleetCount& one) { return fmt::format("{} of {}", one.found, one.planted); };
      const testing::FleetCount links{"", (*counts)[3].planted + (*counts)[4].planted, (*counts)[3].found + (*counts)[4].found};
      std::printf("| %.0f %% | %.1f %% | %s | %s | %.2f times | %s | %zu |\n", 100 * noise, 100 * late[i], of((*counts)[0]).c_str(),
                  of((*counts)[1]).c_str(), slow[i], of(links).c_str(), false_names);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string folder = argv[1];
  if (argc > 2 && std::string_view(argv[2]) == "--sensitivity") return tell_sensitivity(folder);
  const int runs = argc > 2 ? std::atoi(argv[2]) : 2, pipeline = argc > 3 ? std::atoi(argv[3]) : 25,
            per_file = argc > 4 ? std::atoi(argv[4]) : 1;
  const int steps = argc > 5 ? std::atoi(argv[5]) : 48;
  std::vector<testing::FleetCount> sums;
  for (int run = 0; run < runs; ++run) {
    std::filesystem::create_directories(folder);
    const auto counts = run_one(plan_of(run, pipeline, steps), folder, per_file);
    if (!counts) {
      std::fprintf(stderr, "%s\n", to_string(counts.error()).c_str());
      return 1;
    }
    add(sums, *counts);
  }
  std::size_t planted = 0, found = 0, named = 0, false_names = 0;
  std::printf("| What | Planted | Found | Named | False |\n|---|---|---|---|---|\n");
  for (const testing::FleetCount& one : sums) {
    std::printf("| %s | %zu | %zu | %zu | %zu |\n", one.what.c_str(), one.planted, one.found, one.named, one.false_names);
    planted += one.planted;
    found += one.found;
    named += one.named;
    false_names += one.false_names;
  }
  struct rusage use {};
  ::getrusage(RUSAGE_SELF, &use);
  std::fprintf(stderr, "largest memory, with that of making the cluster: %ld MB\n", use.ru_maxrss / 1024);
  return found * 100 >= planted * 99 && false_names * 100 <= named ? 0 : 1;
}
