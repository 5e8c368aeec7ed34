#include "capture/step_tail.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace frx::capture {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_step_line = std::size_t{1} << 20;
constexpr std::size_t most_steps = 100'000, most_batches = 1000;
// A loss arrives a few steps after its step, not thousands.
constexpr std::size_t most_spans = 4096;
constexpr std::size_t bytes_per_read = std::size_t{4} << 20;  // less than `most_steps` of the shortest steps

const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::int64_t> whole_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return value->get<std::int64_t>();
}

std::string text_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

// JSON has no numbers for what training that diverges ends with.
std::optional<double> loss_of(const Json& payload) {
  const Json* value = member(payload, "loss");
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  const std::string text = to_lower(text_member(payload, "loss"));
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace

void StepTail::begin_again() {
  file_.close();
  offset_ = 0;
  partial_.clear();
  is_too_long_ = false;
  has_more_ = false;
  forgotten_ = 0;
  steps_.clear();
  places_.clear();
  batches_.clear();
  bad_lines_ = 0;
  is_cut_ = false;
}

// False when there is nothing to read.
bool StepTail::open_file() {
  struct stat now {
  }, ours{};
  if (::stat(path_.c_str(), &now) != 0 || !S_ISREG(now.st_mode)) return static_cast<bool>(file_);
  if (file_ && ::fstat(file_.get(), &ours) == 0) {
    const bool is_same = ours.st_ino == now.st_ino && ours.st_dev == now.st_dev;
    if (is_same && static_cast<std::uint64_t>(now.st_size) >= offset_) return true;
  }
  begin_again();
  file_ = Fd(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return static_cast<bool>(file_);
}

const std::vector<LiveStep>& StepTail::read() {
  has_more_ = false;
  if (!open_file()) return steps_;
  std::string buffer(std::size_t{256} << 10, '\0');
  std::size_t taken = 0;
  while (taken < bytes_per_read) {
    const ssize_t got = ::pread(file_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    offset_ += static_cast<std::uint64_t>(got);
    taken += static_cast<std::size_t>(got);
    take_bytes({buffer.data(), static_cast<std::size_t>(got)});
  }
  has_more_ = taken >= bytes_per_read;
  return steps_;
}

void StepTail::forget_steps() {
  forgotten_ += steps_.size();
  steps_.clear();
}

void StepTail::take_bytes(std::string_view bytes) {
  for (std::size_t end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
    const std::string_view rest = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (is_too_long_ || partial_.size() + rest.size() > longest_step_line) {
      ++bad_lines_;
    } else if (partial_.empty()) {
      take_line(rest);
    } else {
      partial_ += rest;
      take_line(partial_);
    }
    partial_.clear();
    is_too_long_ = false;
  }
  if (partial_.size() + bytes.size() > longest_step_line) {
    is_too_long_ = true;
    partial_.clear();
  }
  if (!is_too_long_) partial_ += bytes;
}

void StepTail::take_line(std::string_view line) {
  if (trim(line).empty()) return;
  // Most events are of no interest here. A line that contains neither word cannot be one of the two.
  if (line.find("step_end") == line.npos && line.find("shape_snapshot") == line.npos && line.starts_with('{') && line.ends_with('}'))
    return;
  const Json event = Json::parse(line, nullptr, false);
  const std::string type = event.is_object() ? text_member(event, "event_type") : "";
  if (type.empty()) {
    ++bad_lines_;
    return;
  }
  const std::optional<std::int64_t> id = whole_member(event, "step_id");
  static const Json nothing = Json::object();
  const Json* found = member(event, "payload");
  const Json& payload = found != nullptr && found->is_object() ? *found : nothing;
  if (!id) return;
  if (type == "shape_snapshot") {
    const std::optional<std::int64_t> size = whole_member(payload, "batch_size");
    if (size && *size > 0) batches_[*id] = *size;
    if (batches_.size() > most_batches) batches_.erase(batches_.begin());
  }
  const std::optional<std::int64_t> time = whole_member(event, "timestamp_ns");
  if (type != "step_end" || !time) return;
  LiveStep step{*id, *time, whole_member(event, "duration_ns"), text_member(payload, "status"), loss_of(payload), std::nullopt, ""};
  step.kind = text_member(payload, "step_kind");
  if (const auto batch = batches_.find(*id); batch != batches_.end()) step.batch_size = batch->second;
  take_end(std::move(step), text_member(event, "span_id"));
}

void StepTail::take_end(LiveStep step, const std::string& span) {
  const auto place = span.empty() ? places_.end() : places_.find(span);
  if (place != places_.end()) {
    if (place->second < forgotten_) return;
    LiveStep& before = steps_[place->second - forgotten_];
    if (!step.batch_size) step.batch_size = before.batch_size;
    before = std::move(step);
    return;
  }
  batches_.erase(step.step_id);
  is_cut_ = is_cut_ || steps_.size() >= most_steps;
  if (is_cut_) return;
  if (!span.empty()) {
    const std::size_t here = forgotten_ + steps_.size();
    if (places_.size() >= most_spans) std::erase_if(places_, [&](const auto& one) { return one.second + most_spans / 2 < here; });
    places_[span] = here;
  }
  steps_.push_back(std::move(step));
}

std::vector<double> step_times_ms(std::span<const LiveStep> steps, std::size_t warmup) {
  std::vector<double> times;
  for (std::size_t i = warmup; i < steps.size(); ++i) {
    if (steps[i].status != "ok") continue;
    const double ns = i > 0 ? static_cast<double>(steps[i].end_ns) - static_cast<double>(steps[i - 1].end_ns)
                            : static_cast<double>(steps[i].duration_ns.value_or(0));
    if (ns > 0) times.push_back(ns / 1e6);
  }
  return times;
}

}  // namespace frx::capture
