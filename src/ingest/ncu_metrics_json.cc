// Counters of Nsight Compute as JSON: kernels by name, each with its counters by name. KernelAgent writes them so beside its kernels.
//
//   {"metrics": {"_matvec_kernel": {"dram__bytes_read.sum": 4297126400, ...}}, "metadata": {"ncu_version": "2025.2.1.0", ...}}
//   {"_matvec_kernel": {"dram__bytes_read.sum": 4297126400, ...}}
//
// There is no unit in such a file. A program that makes one from the CSV of ncu may have dropped a row of units, under which 1.97 meant
// megabytes: values are in base units when all counts are whole numbers, and where one is not, nothing that has a unit is used.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "ingest/format.h"
#include "ingest/launch_table.h"
#include "ingest/value_plan.h"

namespace frx::ingest {
namespace {

using Json = nlohmann::ordered_json;  // the first kernel of the file stays the first

constexpr std::uint64_t largest_file = std::uint64_t{64} << 20;
constexpr std::size_t deepest_value = 64;
constexpr std::string_view endings[] = {".json"};
constexpr std::string_view units_of_the_gpu[] = {"\"sm__",    "\"smsp__", "\"dram__", "\"gpu__", "\"launch__",
                                                 "\"l1tex__", "\"lts__",  "\"fbpa__", "\"sass__"};

// How many objects are open where a member begins.
int depth_at(std::string_view head, std::size_t end) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < end; ++i) {
    if (head[i] == '\\' && in_text)
      ++i;
    else if (head[i] == '"')
      in_text = !in_text;
    else if (!in_text && (head[i] == '{' || head[i] == '}'))
      depth += head[i] == '{' ? 1 : -1;
  }
  return depth;
}

// A member of a kernel whose name is that of a counter and whose value is a number: names alone also stand in reports about counters, and
// lines of other tables have counters that are in no kernel.
bool has_counter(std::string_view head) {
  for (const std::string_view unit : units_of_the_gpu) {
    for (std::size_t at = head.find(unit); at != head.npos; at = head.find(unit, at + 1)) {
      const std::size_t end = head.find('"', at + 1);
      if (end == head.npos) break;
      const std::string_view rest = trim(head.substr(end + 1));
      const std::string_view value = rest.starts_with(':') ? trim(rest.substr(1)) : std::string_view();
      if (!value.empty() && (value[0] == '-' || (value[0] >= '0' && value[0] <= '9'))) return depth_at(head, at) >= 2;
    }
  }
  return false;
}

// Profiles of operators have counters of the same names, and are read by their own commands.
Match recognises_metrics(const Look& look) {
  if (!trim(look.head).starts_with('{') || look.head.find("\"schema_version\"") != look.head.npos) return Match::no;
  return has_counter(look.head) ? Match::certain : Match::no;
}

bool is_counter_table(const Json& table) {
  return table.is_object() &&
         std::ranges::any_of(table.items(), [](const auto& member) { return member.key().find("__") != std::string::npos; });
}

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

class MetricsJson {
 public:
  MetricsJson(BinaryInput& input, model::Session& session)
      : input_(input), session_(session), table_(session, input.metrics), values_(session, input.metrics, table_) {}

  Result<> read() {
    TRY_ASSIGN(const std::string text, read_all(input_.bytes, input_.name, largest_file));
    TRY_ASSIGN(const Json root, parsed(text));
    const auto metrics = root.find("metrics");
    const Json& kernels = metrics != root.end() && metrics->is_object() ? *metrics : root;
    find_scaled(kernels);
    for (const auto& [name, counters] : kernels.items()) {
      if (is_counter_table(counters)) take_kernel(name, counters);
    }
    if (ordinal_ == 0) {
      return fail(ErrorKind::malformed, "expected kernels with counters, found none")
          .at(input_.name)
          .hint(R"(such a file is {"metrics": {"KERNEL": {"sm__throughput.avg.pct_of_peak_sustained_elapsed": 42.3, ...}}})");
    }
    if (refused_ > 0) {
      values_.notes().add(0, fmt::format("{} is {}, which is no whole number, so values of this file were scaled by units that it does "
                                         "not have: {} values that have a unit are not used (ncu --print-units base writes unscaled ones)",
                                         scaled_.first, scaled_.second, refused_));
    }
    table_.finish();
    values_.finish();
    session_.places = model::Places::launches;
    return {};
  }

 private:
  Result<Json> parsed(const std::string& text) const {
    bool too_deep = false;
    const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
      too_deep = too_deep || depth > static_cast<int>(deepest_value);
      return !too_deep;
    };
    try {
      Json root = Json::parse(text, shallow);
      if (too_deep)
        return fail(ErrorKind::malformed, "expected kernels and counters, found values nested {} deep", deepest_value).at(input_.name);
      if (!root.is_object()) return fail(ErrorKind::malformed, "expected an object of kernels").at(input_.name);
      return root;
    } catch (const Json::parse_error& error) {
      const std::size_t line = 1 + static_cast<std::size_t>(std::count(
                                       text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size())), '\n'));
      return fail(ErrorKind::malformed, "expected JSON, found a mistake in it or its end").at(fmt::format("{}:{}", input_.name, line));
    } catch (const Json::out_of_range&) {
      return fail(ErrorKind::malformed, "expected numbers, found one beyond all").at(input_.name);
    }
  }

  bool has_unit(const knowledge::MetricDefinition& definition) const {
    return definition.unit_text != "%" && !definition.unit_text.empty() && definition.unit_text != "1";
  }

  // Sums of what is counted one by one are whole numbers.
  static bool counts_whole(std::string_view name) {
    return name.ends_with(".sum") && (name.find("bytes") != name.npos || name.find("inst_executed") != name.npos ||
                                      name.find("sectors") != name.npos || name.find("cycles") != name.npos);
  }

  void find_scaled(const Json& kernels) {
    for (const auto& [name, counters] : kernels.items()) {
      if (!is_counter_table(counters)) continue;
      for (const auto& [counter, value] : counters.items()) {
        const std::optional<double> number = counts_whole(counter) ? number_of(value) : std::nullopt;
        if (number && *number != std::floor(*number) && scaled_.first.empty()) scaled_ = {printable(shorten(counter, 80)), *number};
      }
    }
  }

  void take_kernel(const std::string& name, const Json& counters) {
    model::LaunchIdentity identity;
    identity.kernel = name;
    table_.at(LaunchKey{0, ++ordinal_}, identity, ordinal_);
    for (const auto& [counter, value] : counters.items()) {
      const ValuePlan plan = values_.plan_in_base_unit(counter);
      if (!plan.has_value()) continue;
      const std::optional<double> number = number_of(value);
      if (!number) {
        if (plan.kind == ValuePlan::Kind::reading) table_.set_absent();
      } else if (!scaled_.first.empty() && plan.kind == ValuePlan::Kind::reading &&
                 has_unit(input_.metrics[session_.columns[plan.column]])) {
        ++refused_;
      } else {
        values_.take_number(plan, *number, ordinal_);
      }
    }
  }

  BinaryInput& input_;
  model::Session& session_;
  LaunchTable table_;
  ValueReader values_;
  std::pair<std::string, double> scaled_;  // a count that is no whole number
  std::uint64_t refused_ = 0, ordinal_ = 0;
};

Result<> read_session(BinaryInput& input, model::Session& session) { return MetricsJson(input, session).read(); }

}  // namespace

constinit const Format ncu_metrics_json_format = {
    .id = "ncu-metrics-json",
    .title = "Nsight Compute counters in JSON",
    .endings = endings,
    .recognises = recognises_metrics,
    .read_session = read_session,
};

}  // namespace frx::ingest
