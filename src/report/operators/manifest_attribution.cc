#include "report/operators/manifest_attribution.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "derive/compare/align_sequences.h"
#include "derive/compare/kernel_spelling.h"
#include "report/operators/json_members.h"

namespace frx::report {
namespace {

using Json = nlohmann::json;

constexpr double least_found = 0.95;  // of the entries; below, the runs were not of the same program

struct Entries {
  std::vector<std::string> kernels, operators;
};

Result<Entries> read_entries(const std::string& name, std::string_view json) {
  const auto malformed = [&](std::string_view expected, const std::string& member) {
    return fail(ErrorKind::malformed, "expected {} as {}", expected, member).at(name);
  };
  const Json file = Json::parse(json, nullptr, false);
  if (!file.is_object() || !file.contains("entries")) return malformed("kernels with their operators (corr.json)", "the file");
  if (!file["entries"].is_array()) return malformed("a list", "entries");
  Entries entries;
  for (std::size_t i = 0; i < file["entries"].size(); ++i) {
    const Json& one = file["entries"][i];
    entries.kernels.push_back(text_of(one, "kernel_name"));
    entries.operators.push_back(text_of(one, "op_name"));
    if (entries.kernels.back().empty()) return malformed("a name", fmt::format("entries[{}].kernel_name", i));
    if (entries.operators.back().empty()) return malformed("a name", fmt::format("entries[{}].op_name", i));
  }
  return entries;
}

// The operator of the other run becomes the innermost; true when the ranges said something else.
bool take_operator(ManifestKernel& kernel, std::uint32_t operation, bool is_certain) {
  const bool had_operators = kernel.method == "nvtx" && kernel.confidence == "high";
  const bool conflicts = had_operators && kernel.operators.front() != operation;
  if (conflicts && !is_certain) return false;
  if (!had_operators) kernel.operators.clear();
  std::erase(kernel.operators, operation);
  kernel.operators.insert(kernel.operators.begin(), operation);
  kernel.method = "torch_profiler";
  kernel.confidence = is_certain ? "high" : "medium";
  return conflicts;
}

}  // namespace

Result<> attribute_by_correlation(OperatorManifest& manifest, std::string_view name, std::string_view json) {
  TRY_ASSIGN(const Entries entries, read_entries(std::string(name), json));
  derive::compare::KernelSpelling spelling;
  std::unordered_map<std::string, std::uint32_t> numbers;
  const auto number = [&](std::string_view kernel) {
    return numbers.try_emplace(spelling(kernel), static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  std::vector<std::uint32_t> recorded, known, of_kernel;
  for (std::uint32_t i = 0; i < manifest.kernels.size(); ++i) {
    if (manifest.kernels[i].is_before_window) continue;
    recorded.push_back(number(manifest.name_of(manifest.kernels[i])));
    of_kernel.push_back(i);
  }
  for (const std::string& kernel : entries.kernels) known.push_back(number(kernel));
  const std::vector<derive::compare::SequenceMatch> matches = derive::compare::align_sequences(recorded, known);
  if (static_cast<double>(matches.size()) < least_found * static_cast<double>(known.size())) {
    manifest.warnings.push_back(
        fmt::format("{}: {} of {} were found in the recording, too few to be used: were both runs of the same iterations?", name,
                    matches.size(), count_text(known.size(), "kernel")));
    return {};
  }
  std::uint64_t conflicts = 0;
  for (const derive::compare::SequenceMatch& match : matches) {
    const std::uint32_t operation = manifest.names.add(entries.operators[match.second]);
    conflicts += take_operator(manifest.kernels[of_kernel[match.first]], operation, match.is_certain);
  }
  if (conflicts > 0)
    manifest.warnings.push_back(
        fmt::format("attribution_conflict: {} of another operator by torch.profiler than by the ranges around the "
                    "launch; torch.profiler counts",
                    count_text(conflicts, "kernel")));
  return {};
}

void attribute_by_inductor(OperatorManifest& manifest, const ingest::InductorCode& code) {
  std::uint64_t ambiguous = 0;
  for (ManifestKernel& kernel : manifest.kernels) {
    if (kernel.is_before_window || kernel.confidence == "high" || kernel.confidence == "medium") continue;
    const auto known = code.kernels.find(std::string(manifest.name_of(kernel)));
    if (known == code.kernels.end()) continue;
    if (known->second.is_ambiguous) {
      ++ambiguous;
      continue;
    }
    if (known->second.operators.empty()) continue;
    kernel.operators.clear();
    kernel.fused.clear();
    for (const std::string& operation : known->second.operators) kernel.operators.push_back(manifest.names.add(operation));
    kernel.is_fused = kernel.operators.size() > 1;
    if (kernel.is_fused) kernel.fused.assign(kernel.operators.begin() + 1, kernel.operators.end());
    kernel.method = "inductor_fusion";
    kernel.confidence = "medium";
  }
  if (ambiguous > 0)
    manifest.warnings.push_back(fmt::format("{} of Inductor with names that generated files give to different operators: not attributed",
                                            count_text(ambiguous, "kernel")));
}

}  // namespace frx::report
