// Prints a part of docs/validation/layout.md: what frx finds in made-up recordings with known faults.
//
//   frx_layout_faults_validation [COUNT [FIRST]]   10,000 recordings from number 0
//   frx_layout_faults_validation --show NUMBER FILE  writes one of them, and prints what is true of it and what frx says
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "layout/layout_answer.h"

namespace {

using namespace frx::testing::layout;

void print_expectation(const Expectation& one) {
  fmt::print("{} {}{}: {} [{}]", one.is_required ? "to be found" : "allowed", one.detector, one.is_backward ? " (backward)" : "", one.why,
             fmt::join(one.operators, " "));
  if (!one.sites.empty()) fmt::print(" {} {}:{}", one.sites[0].module, one.sites[0].file, one.sites[0].line);
  if (one.per_step > 0) fmt::print(", {} a step, {} bytes a step", one.per_step, one.bytes_per_step);
  fmt::print("\n");
}

int show(std::uint64_t number, const char* path) {
  const FaultyTrace trace = faulty_trace(number);
  std::ofstream(path, std::ios::binary) << trace.json;
  fmt::print("recording: {}; {}; {} steady steps; blocks:", trace.recording.name, trace.gpu.name, trace.steps);
  for (const std::string& block : trace.blocks) fmt::print(" {}", block);
  fmt::print("\n");
  for (const Expectation& one : trace.expectations) print_expectation(one);
  const std::optional<std::string> json = layout_json(trace.json);
  const auto findings = layout_findings(json.value_or(""));
  if (!findings) return fmt::print("frx: {}\n", json.value_or("no such command")), 1;
  for (const LayoutFinding& finding : *findings) {
    bool is_true = false, is_allowed = false;
    for (const Expectation& one : trace.expectations) {
      if (is_about(finding, one, trace.recording)) (one.is_required ? is_true : is_allowed) = true;
    }
    fmt::print("frx {}: {}{} {} {}:{} [{}], {} a step, {} bytes a step\n",
               is_true      ? "is right"
               : is_allowed ? "may say"
                            : "is WRONG",
               finding.detector, finding.is_backward ? " (backward)" : "", finding.module, finding.file, finding.line, finding.op_path,
               finding.per_step, finding.bytes_per_step);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4 && std::string_view(arguments[1]) == "--show") return show(std::strtoull(arguments[2], nullptr, 10), arguments[3]);
  const std::uint64_t traces = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 10000;
  const std::uint64_t first = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0;
  const auto score = score_layout_faults(first, traces);
  if (!score) return std::fputs("frx has no command `layout analyze`\n", stderr), 1;
  std::fputs(layout_faults_page(*score).c_str(), stdout);
}
