// The ncu command line for a list of counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frx::capture {

struct NcuRequest {
  std::vector<std::string> counters;  // gpu__time_duration.sum, ...
  std::string set;                    // an additional set of ncu's own, or empty
  std::vector<std::string> sections;  // additional sections of ncu's own: "SpeedOfLight"
  std::string target_processes = "all";
  std::string kernel_filter;     // a name, "regex:..." or a plain regular expression
  std::string kernel_name_base;  // what the filter is compared with and the table shows: "demangled"; empty: ncu's own choice
  bool leaves_clocks = false;    // --clock-control none: ncu else sets clocks of its own while it measures
  std::optional<std::uint64_t> launch_skip;
  std::optional<std::uint64_t> launch_count;
  std::string log_file;               // where the CSV is written; empty: standard output
  std::vector<std::string> workload;  // the application and its arguments
};

// `--page raw` gives one row per launch and counter names instead of labels; `--print-units base` makes unit conversion unnecessary; both
// may be left out, and a file without them is read too.
std::vector<std::string> ncu_command(const NcuRequest& request, std::string_view ncu = "ncu");

// The value of --kernel-name: ncu takes a bare value literally, so a regular expression needs "regex:".
std::string kernel_filter_argument(std::string_view filter);

// One line for a POSIX shell.
std::string shell_line(const std::vector<std::string>& argv);

}  // namespace frx::capture
