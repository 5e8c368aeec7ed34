// A program of the user, run by itself to be timed, or under Nsight Systems (capture/nsys.h). Nothing of it is left running when its time
// is over or frx is told to stop: capture/process.h ends all of its descendants.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/host.h"
#include "model/timed_command.h"

namespace frx::capture {

struct ProgramRun {
  std::vector<std::string> argv;  // no shell touches it
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;                    // "": the current one
  std::chrono::milliseconds time_limit{0};  // 0: none
};

// Where the program is, so that it is found from any folder. Errors name it: there is none, or it is not executable.
Result<std::string> find_user_program(const std::string& called, const Host& host);

// What run_process() is to do: its output goes to our standard error, so that our standard output stays clean, or nowhere.
ChildCommand child_of(const ProgramRun& run, bool shows_output);

// Whether what a program wrote to its standard error says that memory, of a GPU or of the machine, did not suffice.
bool says_out_of_memory(std::string_view errors);

// Runs the commands in turn, each `warmup` times before the `runs` that count. The one that begins changes from round to round, so that a
// machine that gets busy or hot affects all alike. `common` says where and how long each runs; the argv is that of the command. One that
// fails, or does not end in time, is not run again, and says why. The output of first runs is shown where `shows_output`. Fails only when
// the user stops it.
using RunProgress = std::function<void(std::size_t done, std::size_t all)>;
struct RunPlan {
  std::size_t runs = 5, warmup = 1;
  bool shows_output = false;
};
Result<> run_in_turn(std::span<model::TimedCommand> commands, const ProgramRun& common, const RunPlan& plan, const Host& host,
                     const RunProgress& progress = {});

}  // namespace frx::capture
