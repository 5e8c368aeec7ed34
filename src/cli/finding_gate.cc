#include "cli/finding_gate.h"

#include <filesystem>

#include "answer/fingerprints.h"
#include "base/day.h"
#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/gate/gate.h"

namespace frx::cli {
namespace {

std::function<bool(std::string_view)> looked_at(ReadFiles files) {
  return [files = std::move(files)](std::string_view file) {
    const std::string path(file);
    std::error_code error;
    if (files.unread.contains(path)) return false;
    return files.read.contains(path) || !std::filesystem::exists(path, error);
  };
}

}  // namespace

void describe_gate(Syntax& syntax, GateOptions& options) {
  syntax.option("--write-baseline", "FILE", options.write_baseline,
                "code, profiles, runs: write what is found as a baseline for later runs");
  syntax.option("--suppressions", "FILE", options.suppressions,
                "code, profiles, runs: findings that are accepted, with reasons and for how long (YAML)");
}

ReadFiles files_of(const analyse::Analysis& analysis) {
  ReadFiles files;
  if (const report::NcuReport* profile = analysis.profile()) files.read.insert(answer::tidy_path(profile->source));
  if (const auto* run = analysis.as<report::RunReport>()) files.read.insert(answer::tidy_path(run->source));
  if (const auto* ranks = analysis.as<report::RanksReport>(); ranks && ranks->ranks.size() == 1)
    files.read.insert(answer::tidy_path(ranks->ranks.front().trace->source));
  const auto* code = analysis.as<analyse::CodeReport>();
  if (!code) return files;
  for (const analyse::CodeUnit& unit : code->units) {
    for (const report::UnreadFile& file : unit.unread) files.unread.insert(answer::tidy_path(file.path));
    for (const std::string& path : unit.paths) files.read.insert(answer::tidy_path(path));
    if (unit.error) files.unread.insert(answer::tidy_path(unit.path));
  }
  return files;
}

Result<answer::Answer> gated(answer::Answer answer, ReadFiles files, const GateOptions& options) {
  if (!options.is_given()) return answer;
  compose::Gate gate{.suppressions_file = options.suppressions, .today = today(), .was_looked_at = looked_at(std::move(files))};
  if (!options.baseline.empty()) {
    TRY_ASSIGN(const std::string text, read_file(options.baseline));
    TRY_ASSIGN(gate.baseline, compose::read_baseline(options.baseline, text));
  }
  if (!options.suppressions.empty()) {
    TRY_ASSIGN(const std::string text, read_file(options.suppressions));
    TRY_ASSIGN(gate.suppressions, compose::read_suppressions(options.suppressions, text));
  }
  return compose::held_against(std::move(answer), std::move(gate));
}

Result<> write_baseline_if_asked(const answer::Answer& answer, const GateOptions& options, bool allow_unreadable, Io& io) {
  if (options.write_baseline.empty()) return {};
  answer::Issues issues = answer.issues();
  if (!issues.unread.empty() && !allow_unreadable)
    return fail(ErrorKind::unreadable, "no baseline was written, for {} could not be read", count_text(issues.unread.size(), "file"))
        .at(options.write_baseline)
        .hint("with --allow-unreadable it holds what the other files have");
  answer::add_fingerprints(issues);
  TRY(write_file(options.write_baseline, compose::baseline_text(issues)));
  io.err.write(fmt::format("frx: wrote {} to {}\n", count_text(issues.found.size(), "finding"), printable(options.write_baseline)));
  return {};
}

}  // namespace frx::cli
