#include "capture/ncu_command.h"

#include "base/text.h"

namespace frx::capture {

std::string kernel_filter_argument(std::string_view filter) {
  const bool is_marked = filter.starts_with("regex:") || filter.starts_with("::");
  // None of these can be part of a plain kernel name.
  const bool is_pattern = filter.find_first_of("*+?[]{}()^|.\\") != filter.npos || filter.ends_with('$');
  return !is_marked && is_pattern ? "regex:" + std::string(filter) : std::string(filter);
}

std::vector<std::string> ncu_command(const NcuRequest& request, std::string_view ncu) {
  std::vector<std::string> argv = {std::string(ncu), "--csv", "--page", "raw", "--print-units", "base"};
  const auto option = [&](std::string_view name, std::string value) {
    argv.emplace_back(name);
    argv.push_back(std::move(value));
  };
  // A redirection would mix the output of the application into the CSV.
  if (!request.log_file.empty()) option("--log-file", request.log_file);
  if (request.leaves_clocks) option("--clock-control", "none");
  option("--target-processes", request.target_processes);
  if (!request.set.empty()) option("--set", request.set);
  for (const std::string& section : request.sections) option("--section", section);
  if (!request.counters.empty()) option("--metrics", join(request.counters, ","));
  if (!request.kernel_name_base.empty()) option("--kernel-name-base", request.kernel_name_base);
  if (!request.kernel_filter.empty()) option("--kernel-name", kernel_filter_argument(request.kernel_filter));
  if (request.launch_skip) option("--launch-skip", std::to_string(*request.launch_skip));
  if (request.launch_count) option("--launch-count", std::to_string(*request.launch_count));
  argv.insert(argv.end(), request.workload.begin(), request.workload.end());
  return argv;
}

std::string shell_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& argument : argv) {
    if (!line.empty()) line += ' ';
    line += shell_quote(argument);
  }
  return line;
}

}  // namespace frx::capture
