#include "capture/program_run.h"

#include <unistd.h>

#include <filesystem>

#include "base/text.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;

std::string failure_of(const Exit& exit, std::chrono::milliseconds limit) {
  std::string text = describe(exit, limit);
  if (exit.timed_out) return text + "; --timeout SECONDS gives it more time";
  const std::string_view said = trim(exit.err);
  if (!said.empty()) text += ": " + clip(printable(said.substr(said.rfind('\n') + 1)), 200);  // npos + 1 is 0
  return text;
}

Result<> run_once(model::TimedCommand& command, const ProgramRun& common, bool counts, bool shows_output, const Host& host) {
  ProgramRun run = common;
  run.argv = command.argv;
  const Result<Exit> exit = host.run(child_of(run, shows_output));
  if (!exit) {
    command.failure = in_one_line(exit.error());
    return {};
  }
  if (exit->interrupted_by != 0) return fail(ErrorKind::negative, "stopped by a signal; nothing was judged");
  if (!exit->timed_out) command.exit_code = exit->code();
  if (!exit->ok()) {
    command.failure = failure_of(*exit, common.time_limit);
  } else if (counts) {
    command.runs_ms.push_back(std::chrono::duration<double, std::milli>(exit->took).count());
  }
  return {};
}

}  // namespace

Result<std::string> find_user_program(const std::string& called, const Host& host) {
  if (called.empty()) return fail(ErrorKind::usage, "expected a program, found an empty name");
  if (const std::optional<std::string> found = host.program(called)) {
    std::error_code error;
    const fs::path absolute = fs::absolute(*found, error);
    return error ? *found : absolute.lexically_normal().string();
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(called, ignored);
  if (fs::is_directory(status)) return fail(ErrorKind::unreadable, "a folder, not a program").at(called);
  const bool has_path = called.find('/') != called.npos;
  if (fs::exists(status) && has_path)
    return fail(ErrorKind::unreadable, "not executable").at(called).hint(fmt::format("chmod +x {}", shell_quote(called)));
  Failure failure = fail(ErrorKind::unreadable, "there is no such program");
  if (fs::exists(status)) return std::move(failure).at(called).hint("one in the current folder is called ./" + called);
  return std::move(failure).at(called).hint("give its path, or put its folder into PATH");
}

ChildCommand child_of(const ProgramRun& run, bool shows_output) {
  ChildCommand command;
  command.argv = run.argv;
  command.environment = run.environment;
  command.directory = run.directory;
  command.time_limit = run.time_limit;
  // At a terminal a program that is measured gets no input; in a process group of its own, all of it can be ended.
  command.input = ::isatty(0) == 0 ? Input::inherit : Input::nothing;
  command.out = shows_output ? Output::to_stderr : Output::discard;
  command.err = shows_output ? Output::inherit : Output::keep;
  command.keep_limit = std::size_t{1} << 16;
  return command;
}

bool says_out_of_memory(std::string_view errors) {
  return contains_ignoring_case(errors, "out of memory") || errors.find("OutOfMemoryError") != errors.npos ||
         errors.find("MemoryError") != errors.npos;
}

Result<> run_in_turn(std::span<model::TimedCommand> commands, const ProgramRun& common, const RunPlan& plan, const Host& host,
                     const RunProgress& progress) {
  const std::size_t rounds = plan.warmup + plan.runs, all = rounds * commands.size();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      model::TimedCommand& command = commands[(round + i) % commands.size()];
      if (command.failure.empty()) TRY(run_once(command, common, round >= plan.warmup, plan.shows_output && round == 0, host));
      if (progress) progress(round * commands.size() + i + 1, all);
    }
  }
  return {};
}

}  // namespace frx::capture
