#include "report/operators/capture_metadata.h"

#include <chrono>
#include <ctime>

#include "report/operators/json_members.h"

namespace frx::report {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_inputs = 1000, most_dimensions = 64;

std::optional<CaptureClocks> clocks_of(const Json& capture) {
  const auto at = capture.find("clocks");
  if (at == capture.end() || text_of(*at, "status").empty()) return std::nullopt;
  return CaptureClocks{text_of(*at, "status"), number_of(*at, "graphics_mhz"), number_of(*at, "memory_mhz")};
}

// All of them, or none: a part could be equal where the whole is not.
std::map<std::string, std::vector<std::int64_t>> input_shapes_of(const Json& capture) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  const auto at = capture.find("input_shapes");
  if (at == capture.end() || !at->is_object() || at->size() > most_inputs) return {};
  for (const auto& [name, dimensions] : at->items()) {
    if (!dimensions.is_array() || dimensions.size() > most_dimensions) return {};
    std::vector<std::int64_t>& shape = shapes[name];
    for (const Json& one : dimensions) {
      if (!one.is_number_integer()) return {};
      shape.push_back(one.get<std::int64_t>());
    }
  }
  return shapes;
}

// A number of exactly so many digits, taken from the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

// "+02:00", "Z" or "" in seconds; nothing of anything else.
std::optional<std::int64_t> offset_of(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  const bool is_west = text.front() == '-';
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  take(text, ":");
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  const std::int64_t seconds = 3600 * *hours + 60 * *minutes;
  return is_west ? -seconds : seconds;
}

}  // namespace

std::string utc_text(std::int64_t since_1970_ns) {
  if (since_1970_ns <= 0) return "";
  const auto seconds = static_cast<std::time_t>(since_1970_ns / 1'000'000'000);
  std::tm parts = {};
  char text[32] = "";
  if (::gmtime_r(&seconds, &parts)) std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::optional<std::int64_t> seconds_of_utc(std::string_view text) {
  const auto year = take_digits(text, 4);
  const bool has_month = take(text, "-");
  const auto month = take_digits(text, 2);
  const bool has_day = take(text, "-");
  const auto day = take_digits(text, 2);
  const bool has_time = take(text, "T ");
  const auto hour = take_digits(text, 2);
  take(text, ":");
  const auto minute = take_digits(text, 2);
  take(text, ":");
  const auto second = take_digits(text, 2);
  if (!year || !has_month || !month || !has_day || !day || !has_time || !hour || !minute || !second) return std::nullopt;
  if (take(text, ".")) text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  const auto offset = offset_of(text);
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::seconds(std::chrono::sys_days(date).time_since_epoch()).count() + 3600 * *hour + 60 * *minute + *second - *offset;
}

void read_capture(const Json& from, CaptureFacts& to) {
  if (!from.is_object()) return;
  const auto take = [&](std::string& into, const char* key) {
    if (std::string text = text_of(from, key); !text.empty()) into = std::move(text);
  };
  take(to.model_name, "model_name");
  take(to.torch_version, "torch_version");
  take(to.compile_mode, "compile_mode");
  take(to.timestamp_utc, "capture_timestamp_utc");
  take(to.cuda_version, "cuda_version");
  take(to.nsys_report, "nsys_report_path");
  take(to.device_name, "device_name");
  const auto count = [&](const char* key) -> std::optional<std::uint64_t> {
    const auto number = whole_of(from, key);
    return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
  };
  to.warmup_iterations = count("warmup_iters");
  to.measured_iterations = count("measure_iters");
  if (auto clocks = clocks_of(from)) to.clocks = std::move(clocks);
  if (auto shapes = input_shapes_of(from); !shapes.empty()) to.input_shapes = std::move(shapes);
}

}  // namespace frx::report
