// frx_run_trial [NAME=VALUE ...] -- COMMAND...: runs a command as a trial of frx tune, and prints one JSON object that says how it ended.
//
// Names: out, err, folder (paths), time_limit_ms, output_limit, folder_limit, free_disk (numbers), stop_file (a path; the trial is ended
// when it is there). Exit code 0 when run_trial returned a value, 4 when an error.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "capture/trial_process.h"

namespace {

using frx::capture::TrialEnd;
using frx::capture::TrialProcess;

std::uint64_t number(const std::map<std::string, std::string>& given, const std::string& name, std::uint64_t otherwise) {
  const auto found = given.find(name);
  if (found == given.end()) return otherwise;
  std::uint64_t value = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

std::string text(const std::map<std::string, std::string>& given, const std::string& name, std::string otherwise) {
  const auto found = given.find(name);
  return found == given.end() ? otherwise : found->second;
}

nlohmann::json json_of(const TrialEnd& end) {
  nlohmann::json all = {{"status", end.status},
                        {"signal", end.signal},
                        {"code", end.code()},
                        {"timed_out", end.timed_out},
                        {"stopped", end.stopped},
                        {"contained", end.contained},
                        {"interrupted_by", end.interrupted_by},
                        {"left_running", end.left_running},
                        {"output_bytes", end.output_bytes},
                        {"took_ms", static_cast<double>(end.took.count()) / 1e6},
                        {"notes", end.notes}};
  if (end.memory_peak) all["memory_peak"] = *end.memory_peak;
  if (end.threads_peak) all["threads_peak"] = *end.threads_peak;
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> given;
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
    const std::string word = argv[at];
    const std::size_t equals = word.find('=');
    given[word.substr(0, equals)] = equals == word.npos ? "" : word.substr(equals + 1);
  }
  TrialProcess process;
  for (++at; at < argc; ++at) process.argv.emplace_back(argv[at]);
  process.out_path = text(given, "out", "/dev/null");
  process.err_path = text(given, "err", "/dev/null");
  process.folder = text(given, "folder", "");
  process.time_limit = std::chrono::milliseconds(number(given, "time_limit_ms", 60'000));
  process.output_limit = number(given, "output_limit", process.output_limit);
  process.folder_limit = number(given, "folder_limit", process.folder_limit);
  process.free_disk = number(given, "free_disk", process.free_disk);
  const std::string stop_file = text(given, "stop_file", "");
  if (!stop_file.empty()) {
    process.reason_to_stop = [&] { return std::filesystem::exists(stop_file) ? std::string("the file is there") : std::string(); };
  }
  const frx::Result<TrialEnd> end = frx::capture::run_trial(process);
  if (!end) {
    std::fprintf(stderr, "%s\n", to_string(end.error()).c_str());
    return 4;
  }
  std::printf("%s\n", json_of(*end).dump().c_str());
  return 0;
}
