#include "cli/tune_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "analyse/tune/trial_folder.h"
#include "answer/json.h"
#include "base/files.h"
#include "report/operators/json_members.h"

namespace frx::cli {
namespace {

namespace fs = std::filesystem;
using answer::Json;
using PlainJson = nlohmann::json;
using report::TuneSettings;
using report::TuneWindow;

constexpr std::uint64_t largest_state = 1 << 20;

std::string new_tune_id() {
  std::uint32_t number = 0;
  while (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
  }
  return fmt::format("tune-{:08x}", number);
}

void read_count(const PlainJson& object, const char* key, std::size_t& value) {
  if (const auto read = report::whole_of(object, key); read && *read >= 0) value = static_cast<std::size_t>(*read);
}
void read_number(const PlainJson& object, const char* key, double& value) {
  if (const auto read = report::number_of(object, key)) value = *read;
}
void read_truth(const PlainJson& object, const char* key, bool& value) {
  if (const auto at = object.find(key); at != object.end() && at->is_boolean()) value = at->get<bool>();
}

void read_window(const PlainJson& settings, const char* key, TuneWindow& window) {
  const PlainJson* object = report::object_in(&settings, key);
  if (!object) return;
  read_count(*object, "warmup_steps", window.warmup_steps);
  read_count(*object, "measurement_steps", window.measurement_steps);
  read_count(*object, "repeat_count", window.repeat_count);
  read_number(*object, "timeout_s", window.timeout_s);
}

Json settings_state(const TuneSettings& settings) {
  const report::TuneLimits& limits = settings.limits;
  return {{"window", analyse::window_json(settings.window)},
          {"race_window", analyse::window_json(settings.race_window)},
          {"max_trials", settings.max_trials},
          {"race_promote_count", settings.race_promote_count},
          {"safe", settings.safe},
          {"race", settings.race},
          {"allow_risky_actions", settings.allow_risky_actions},
          {"bottleneck", settings.bottleneck},
          {"search", settings.search},
          {"sample_interval_ms", settings.sample_interval_ms},
          {"min_speedup", limits.min_speedup},
          {"quality_checks", limits.quality_checks},
          {"finite_loss", limits.finite_loss},
          {"max_final_loss_regression", limits.max_final_loss_regression},
          {"max_loss_divergence", limits.max_loss_divergence},
          {"output_abs_tolerance", limits.output_abs_tolerance}};
}

void read_settings(const PlainJson& state, TuneSettings& settings) {
  read_window(state, "window", settings.window);
  read_window(state, "race_window", settings.race_window);
  read_count(state, "max_trials", settings.max_trials);
  read_count(state, "race_promote_count", settings.race_promote_count);
  read_truth(state, "safe", settings.safe);
  read_truth(state, "race", settings.race);
  read_truth(state, "allow_risky_actions", settings.allow_risky_actions);
  settings.bottleneck = report::text_of(state, "bottleneck");
  if (const std::string search = report::text_of(state, "search"); !search.empty()) settings.search = search;
  read_count(state, "sample_interval_ms", settings.sample_interval_ms);
  report::TuneLimits& limits = settings.limits;
  read_number(state, "min_speedup", limits.min_speedup);
  read_truth(state, "quality_checks", limits.quality_checks);
  read_truth(state, "finite_loss", limits.finite_loss);
  read_number(state, "max_final_loss_regression", limits.max_final_loss_regression);
  read_number(state, "max_loss_divergence", limits.max_loss_divergence);
  read_number(state, "output_abs_tolerance", limits.output_abs_tolerance);
}

}  // namespace

Result<TuneFolder> TuneFolder::create(const std::string& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return fail(ErrorKind::unreadable, "cannot make the folder: {}", error.message()).at(out);
  TuneFolder folder;
  for (int tries = 0; tries < 100; ++tries) {
    folder.shown_ = (fs::path(out) / new_tune_id()).string();
    if (::mkdir(folder.shown_.c_str(), 0700) == 0) {
      TRY(folder.lock());
      return folder;
    }
    if (errno != EEXIST) break;
  }
  return fail(ErrorKind::unreadable, "cannot make the folder: {}", std::strerror(errno)).at(folder.shown_);
}

Result<TuneFolder> TuneFolder::open(const std::string& path) {
  TuneFolder folder;
  folder.shown_ = path;
  while (folder.shown_.size() > 1 && folder.shown_.ends_with('/')) folder.shown_.pop_back();
  std::error_code error;
  if (!fs::is_regular_file(folder.file("tune.json"), error))
    return fail(ErrorKind::not_enough, "expected the folder of an earlier tuning, with tune.json in it").at(path);
  TRY(folder.lock());
  return folder;
}

Result<> TuneFolder::lock() {
  // Not the folder itself: files in it are added to under a lock of their folder.
  lock_ = capture::Fd(::open(file(".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_) return fail(ErrorKind::unreadable, "the folder cannot be written to: {}", std::strerror(errno)).at(shown_);
  // Where another one was just killed, what ends its processes holds the lock until none is left.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return {};  // a file system without locks
    if (std::chrono::steady_clock::now() > until) return fail(ErrorKind::negative, "another frx tune is at work in it").at(shown_);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {};
}

Result<> TuneFolder::write_asked(const TuneAsked& asked) const {
  const Json state = {
      {"schema", "tune_state.v1"}, {"job_name", asked.job_name}, {"command", asked.command}, {"settings", settings_state(asked.settings)}};
  return write_file(file("tune.json"), answer::json_text(state), Access::owner_only);
}

Result<TuneAsked> TuneFolder::read_asked() const {
  const auto unusable = [&](std::string_view expected) {
    return fail(ErrorKind::not_enough, "expected {} (tune_state.v1), found something else", expected).at(file("tune.json"));
  };
  Result<std::string> text = read_file(file("tune.json"), largest_state);
  if (!text) return fail(ErrorKind::not_enough, "{}", text.error().message).at(file("tune.json"));
  const PlainJson state = PlainJson::parse(*text, nullptr, false);
  if (report::text_of(state, "schema") != "tune_state.v1") return unusable("what a tuning was asked for");
  TuneAsked asked;
  asked.job_name = report::text_of(state, "job_name");
  const auto command = state.find("command");
  if (command == state.end() || !command->is_array() || command->empty()) return unusable("a command");
  for (const PlainJson& word : *command) {
    if (!word.is_string()) return unusable("a command of texts");
    asked.command.push_back(word.get<std::string>());
  }
  if (const PlainJson* settings = report::object_in(&state, "settings")) read_settings(*settings, asked.settings);
  return asked;
}

}  // namespace frx::cli
