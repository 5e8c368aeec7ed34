#include "capture/layout_trial.h"

#include <filesystem>

#include "base/text.h"

namespace frx::capture {
namespace {

std::string last_line_of(std::string_view text) {
  const std::string_view said = trim(text);
  return clip(printable(said.substr(said.rfind('\n') + 1)), 200);  // npos + 1 is 0
}

std::string trial_failure(const Exit& exit, std::chrono::milliseconds limit) {
  if (exit.ok()) return {};
  std::string text = describe(exit, limit);
  if (exit.timed_out) return text + "; --timeout SECONDS gives it more time";
  if (says_out_of_memory(exit.err)) text = "out of memory, " + text;
  const std::string said = last_line_of(exit.err);
  return said.empty() ? text : text + ": " + said;
}

ChildCommand child_of_trial(const LayoutTrialRequest& request, const LayoutTrialRun& run) {
  ProgramRun program{run.is_candidate ? request.candidate : request.baseline, {}, {}, request.time_limit};
  program.environment = {{"FRX_LAYOUT_PLAN", run.is_candidate ? request.plan : ""},  // "" is no plan, also where the user has set one
                         {"FRX_LAYOUT_TRIAL_OUT", run.folder},
                         {"FRX_LAYOUT_TRIAL_SEED", fmt::to_string(request.seed)},
                         {"FRX_LAYOUT_TRIAL_WINDOWS", fmt::to_string(request.windows)},
                         {"FRX_LAYOUT_TRIAL_WARMUP", fmt::to_string(request.warmup)},
                         {"FRX_LAYOUT_TRIAL_PROFILE", run.is_profiled ? "1" : "0"}};
  ChildCommand child = child_of(program, false);
  child.input = Input::nothing;  // in a group of its own, all of it can be ended
  child.keep_limit = std::size_t{1} << 20;
  return child;
}

Result<LayoutTrialRun> run_side(const LayoutTrialRequest& request, bool is_candidate, bool is_profiled, std::size_t number,
                                const Host& host) {
  LayoutTrialRun run{is_candidate, is_profiled, request.folder + "/run" + fmt::to_string(number), {}, {}, 0, {}};
  std::error_code error;
  std::filesystem::create_directories(run.folder, error);
  if (error) return fail(ErrorKind::unreadable, "the folder cannot be made: {}", error.message()).at(run.folder);
  GpuMeter meter = GpuMeter::start({.interval = std::chrono::milliseconds(100), .idle = std::chrono::milliseconds(0)}, host);
  const Result<Exit> exit = host.run(child_of_trial(request, run));
  run.gpus = meter.stop();
  if (!exit) {
    run.failure = in_one_line(exit.error());
    return run;
  }
  if (exit->interrupted_by != 0) return fail(ErrorKind::negative, "stopped by a signal; nothing was judged");
  run.failure = trial_failure(*exit, request.time_limit);
  run.errors = exit->err;
  run.seconds = std::chrono::duration<double>(exit->took).count();
  return run;
}

}  // namespace

std::vector<bool> trial_order(std::size_t blocks) {
  std::vector<bool> order;
  for (std::size_t block = 0; block < blocks; ++block) {
    order.push_back(block % 2 != 0);
    order.push_back(block % 2 == 0);
  }
  return order;
}

Result<std::vector<LayoutTrialRun>> run_layout_trial(const LayoutTrialRequest& request, const Host& host, const RunProgress& progress) {
  std::vector<LayoutTrialRun> runs;
  std::vector<std::pair<bool, bool>> planned;  // is the candidate, is profiled
  for (const bool is_candidate : trial_order(request.blocks)) planned.emplace_back(is_candidate, false);
  planned.emplace_back(false, true);
  planned.emplace_back(true, true);
  for (const auto& [is_candidate, is_profiled] : planned) {
    TRY_ASSIGN(LayoutTrialRun run, run_side(request, is_candidate, is_profiled, runs.size(), host));
    runs.push_back(std::move(run));
    if (progress) progress(runs.size(), planned.size());
    if (!runs.back().failure.empty()) break;
  }
  return runs;
}

}  // namespace frx::capture
