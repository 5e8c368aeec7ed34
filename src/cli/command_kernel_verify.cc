// frx kernel verify: does a profile keep its contracts?

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/kernel_files.h"
#include "cli/print_answer.h"
#include "compose/kernel_answers.h"

namespace frx::cli {
namespace command_kernel_verify {
namespace {

using report::CheckOutcome;
using report::ContractVerdict;

struct Options {
  Given given;
  std::string contract, folder;
  std::vector<std::string> profiles;
  bool self = false, fail_on_regression = false, json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Checks contracts (YAML) against profiles that were measured. A check of what was not measured is skipped, and a contract with a "
      "skipped check is inconclusive: never kept. The profile must be of the contract's kernel, problem and hardware.");
  syntax.option("--contract", "FILE", options.contract, "one contract");
  syntax.option("--contracts-dir", "DIR", options.folder, "every .yaml and .yml file of a folder");
  syntax.flag("--self", options.self, "check the checker: contracts of known outcome that frx brings along");
  syntax.option("--profile", "FILE", options.profiles, "a profile (frx kernel profile --export FILE); may be given again");
  syntax.flag("--fail-on-regression", options.fail_on_regression,
              "a time beyond max_regression_pct of the baseline breaks a contract, too");
  syntax.flag("--json", options.json, "print JSON (contract_verdict_v1)");
  syntax.example("--contracts-dir contracts/cgp --profile gemm.json", "for CI");
  syntax.exit_code(0, "every contract is kept");
  syntax.exit_code(1, "a contract is broken");
  syntax.exit_code(2, "a contract or a profile cannot be read");
  syntax.exit_code(3, "a check was skipped, and no contract is broken");
}

Result<> check(const Options& options) {
  if (!options.contract.empty() + !options.folder.empty() + options.self != 1)
    return fail(ErrorKind::usage, "kernel verify: expected one of --contract FILE, --contracts-dir DIR and --self");
  return options.given.expect_applicable("kernel verify", "--self",
                                         {{"--profile", !options.self, "contracts"}, {"--fail-on-regression", !options.self, "contracts"}});
}

Result<std::vector<std::string>> contract_files(const Options& options) {
  if (!options.contract.empty()) return std::vector{options.contract};
  std::vector<std::string> files;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(options.folder, problem), end; !problem && at != end; at.increment(problem)) {
    const std::string extension = at->path().extension();
    if (extension == ".yaml" || extension == ".yml") files.push_back(at->path().string());
  }
  if (problem) return fail(ErrorKind::unreadable, "cannot list the folder: {}", problem.message()).at(options.folder);
  if (files.empty()) return fail(ErrorKind::unreadable, "there is no contract in the folder").at(options.folder);
  std::ranges::sort(files);
  return files;
}

// The profile of the contract's kernel, and of its problem where one of them is.
const model::FullProfile* profile_for(const report::ProfileContract& contract, const std::vector<model::FullProfile>& profiles) {
  const model::FullProfile* found = nullptr;
  for (const model::FullProfile& profile : profiles) {
    if (profile.kernel.name != contract.kernel) continue;
    const bool fits = std::ranges::any_of(contract.bounds, [&](const auto& bound) { return bound.size == profile.kernel.dimensions; });
    if (!found || fits) found = &profile;
  }
  return found || profiles.empty() ? found : &profiles.front();
}

Result<std::optional<model::FullProfile>> baseline_for(const model::FullProfile* profile) {
  if (!profile || !profile->kernel.name) return std::nullopt;
  const std::string path = baseline_path(file_stem_for(*profile->kernel.name, profile->kernel.dimensions));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  TRY_ASSIGN(model::FullProfile baseline, read_profile_file(path));
  return std::optional(std::move(baseline));
}

Result<std::vector<ContractVerdict>> verified(const Options& options) {
  TRY_ASSIGN(const std::vector<std::string> files, contract_files(options));
  std::vector<model::FullProfile> profiles;
  for (const std::string& path : options.profiles) {
    TRY_ASSIGN(model::FullProfile profile, read_profile_file(path));
    profiles.push_back(std::move(profile));
  }
  std::vector<ContractVerdict> verdicts;
  for (const std::string& file : files) {
    constexpr std::uint64_t largest_contract = 1 << 20;
    TRY_ASSIGN(const std::string text, read_file(file, largest_contract));
    TRY_ASSIGN(const report::ProfileContract contract, report::read_contract(file, text));
    const model::FullProfile* const profile = profile_for(contract, profiles);
    TRY_ASSIGN(const std::optional<model::FullProfile> baseline, baseline_for(profile));
    verdicts.push_back(report::verify_contract(contract, profile, baseline ? &*baseline : nullptr, options.fail_on_regression));
  }
  return verdicts;
}

// A kept, a broken and an inconclusive contract: whether the checker can tell them apart.
Result<std::vector<ContractVerdict>> verified_itself() {
  constexpr std::pair<std::string_view, CheckOutcome> cases[] = {
      {"max_time_us: 20", CheckOutcome::passed}, {"max_time_us: 5", CheckOutcome::failed}, {"min_tflops: 1", CheckOutcome::skipped}};
  model::FullProfile profile;
  profile.kernel.name = "self";
  profile.timing.wall_clock_time_us = 10;
  ContractVerdict verdict{"frx", "self", "self", {}, CheckOutcome::passed};
  for (const auto& [bound, expected] : cases) {
    TRY_ASSIGN(const report::ProfileContract contract,
               report::read_contract("self", fmt::format("kernel: self\nbounds:\n  - {}\n", bound)));
    const CheckOutcome found = report::verify_contract(contract, &profile, nullptr, true).outcome;
    verdict.checks.push_back({std::string(bound),
                              fmt::format("expected {}, found {}", compose::outcome_word(expected), compose::outcome_word(found)),
                              found == expected ? CheckOutcome::passed : CheckOutcome::failed, false});
    if (found != expected) verdict.outcome = CheckOutcome::failed;
  }
  return std::vector{verdict};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  Result<std::vector<ContractVerdict>> made = options.self ? verified_itself() : verified(options);
  if (!made) return end_with_error(made.error(), io);
  const auto verdicts = std::make_shared<const std::vector<ContractVerdict>>(std::move(*made));
  TRY(print_answer(io, compose::answer_of(verdicts), options.json ? "json" : "text"));
  const CheckOutcome outcome = compose::outcome_of(*verdicts);
  return outcome == CheckOutcome::passed ? 0 : outcome == CheckOutcome::failed ? 1 : exit_code(ErrorKind::not_enough);
}

}  // namespace
}  // namespace command_kernel_verify

constinit const Command kernel_verify_command =
    make_command<command_kernel_verify::Options, command_kernel_verify::describe, command_kernel_verify::act>(
        "kernel verify", "Check profiles against contracts of performance", "Measure");

}  // namespace frx::cli
