#include "report/kernels/profile_contract.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/document.h"
#include "base/text.h"
#include "report/kernels/work_model.h"

namespace frx::report {
namespace {

using model::FullProfile;
using Yaml = frx::Value;

constexpr double equal_within = 0.001;

struct Field {
  std::string_view name;
  std::optional<double> (*value)(const FullProfile&);
};
// What contracts may speak of, by the names of cgp.
constexpr Field fields[] = {
    {"tflops", [](const FullProfile& of) { return of.throughput.tflops; }},
    {"wall_clock_time_us", [](const FullProfile& of) { return of.timing.wall_clock_time_us; }},
    {"bandwidth_gbps", [](const FullProfile& of) { return of.throughput.bandwidth_gbps; }},
    {"arithmetic_intensity", [](const FullProfile& of) { return of.throughput.arithmetic_intensity; }},
    {"warp_execution_efficiency", [](const FullProfile& of) { return of.gpu_compute.warp_execution_efficiency_pct; }},
    {"achieved_occupancy", [](const FullProfile& of) { return of.gpu_compute.achieved_occupancy_pct; }},
    {"global_load_efficiency", [](const FullProfile& of) { return of.gpu_memory.global_load_efficiency_pct; }},
};

const Field* field_called(std::string_view name) {
  const auto at = std::ranges::find(fields, name, &Field::name);
  return at == std::end(fields) ? nullptr : at;
}

std::string field_names() {
  std::vector<std::string> names;
  for (const Field& field : fields) names.emplace_back(field.name);
  return join(names, ", ");
}

Failure unexpected(const Yaml& place, std::string_view expected, std::string_view found) {
  return fail(ErrorKind::malformed, "expected {}, found '{}'", expected, printable(found)).at(place.where());
}

// Every key of the map is one of these.
Result<> expect_keys(const Yaml& map, std::string_view what, std::initializer_list<std::string_view> known) {
  if (!map.is_map()) return unexpected(map, fmt::format("{} as a map", what), map.text());
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (std::ranges::find(known, map.key(i)) != known.end()) continue;
    const std::string_view near = nearest(map.key(i), {known.begin(), known.size()});
    return fail(ErrorKind::malformed, "{}: unknown field '{}'", what, printable(map.key(i)))
        .at(map.value(i) ? map.value(i).where() : map.where())
        .hint(near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  return {};
}

Result<> take_number(const Yaml& map, std::string_view key, std::optional<double>& into) {
  const Yaml value = map[key];
  if (!value) return {};
  into = value.number();
  if (!into || !std::isfinite(*into)) return unexpected(value, fmt::format("{} as a number", key), value.text());
  return {};
}

Result<> take_text(const Yaml& map, std::string_view key, std::optional<std::string>& into) {
  const Yaml value = map[key];
  if (!value) return {};
  if (!value.is_text()) return unexpected(value, fmt::format("{} as a text", key), "a list or map");
  into = value.text();
  return {};
}

Result<ContractBound> read_bound(const Yaml& value) {
  ContractBound bound;
  TRY(expect_keys(value, "bounds", {"size", "max_time_us", "min_tflops", "max_regression_pct", "min_bandwidth_gbps"}));
  TRY_ASSIGN(const Yaml size, value.list("size"));
  for (std::size_t i = 0; i < size.size(); ++i) {
    const std::optional<double> number = size.item(i).number();
    if (!number || *number < 1 || *number > UINT32_MAX || *number != std::floor(*number))
      return unexpected(size, "size as a list of whole numbers above 0", size.item(i).text());
    bound.size.push_back(static_cast<std::uint32_t>(*number));
  }
  TRY(take_number(value, "max_time_us", bound.max_time_us));
  TRY(take_number(value, "min_tflops", bound.min_tflops));
  TRY(take_number(value, "min_bandwidth_gbps", bound.min_bandwidth_gbps));
  TRY(take_number(value, "max_regression_pct", bound.max_regression_pct));
  return bound;
}

Result<std::vector<ContractRange>> read_metrics(const Yaml& metrics) {
  std::vector<ContractRange> ranges;
  if (!metrics) return ranges;
  if (!metrics.is_map()) return unexpected(metrics, "metrics as a map", metrics.text());
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    ContractRange range{std::string(metrics.key(i)), {}, {}};
    if (!field_called(range.metric))
      return fail(ErrorKind::malformed, "metrics: unknown metric '{}'", printable(range.metric))
          .at(metrics.where())
          .hint("known: " + field_names());
    TRY(expect_keys(metrics.value(i), "metrics." + range.metric, {"min", "max"}));
    TRY(take_number(metrics.value(i), "min", range.min));
    TRY(take_number(metrics.value(i), "max", range.max));
    if (!range.min && !range.max) return unexpected(metrics, "min or max of " + range.metric, "neither");
    ranges.push_back(std::move(range));
  }
  return ranges;
}

Result<FalsificationCheck> read_check(const Yaml& value) {
  FalsificationCheck check;
  TRY(expect_keys(value, "falsification", {"name", "description", "check"}));
  check.name = value["name"].text();
  check.description = value["description"].text();
  check.check = value["check"].text();
  constexpr std::string_view expected = "check as 'field op number', such as 'tflops >= 10'";
  std::vector<std::string_view> words;
  for (const std::string_view word : split(check.check, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  constexpr std::string_view ops[] = {">", "<", ">=", "<=", "=="};
  if (words.size() != 3 || !field_called(words[0]) || std::ranges::find(ops, words[1]) == std::end(ops))
    return unexpected(value, expected, check.check);
  check.field = words[0];
  check.op = words[1];
  const auto [end, problem] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), check.number);
  if (problem != std::errc() || end != words[2].data() + words[2].size() || !std::isfinite(check.number))
    return unexpected(value, expected, check.check);
  if (check.name.empty()) check.name = check.check;
  return check;
}

Result<> read_hardware(const Yaml& hardware, ProfileContract& contract) {
  if (!hardware) return {};
  TRY(expect_keys(hardware, "hardware", {"gpu", "cpu", "compute_capability"}));
  TRY(take_text(hardware, "gpu", contract.gpu));
  TRY(take_text(hardware, "cpu", contract.cpu));
  return take_text(hardware, "compute_capability", contract.compute_capability);
}

std::string number_words(double number) { return fmt::format("{:.6g}", number); }

// A limit that `measured` keeps; with all its digits where six of them would be on the wrong side.
std::string limit_words(double limit, double measured) {
  std::string words = number_words(limit);
  double written = 0;
  std::from_chars(words.data(), words.data() + words.size(), written);
  const bool is_kept = limit > measured ? written >= measured : limit < measured ? written <= measured : written == measured;
  return is_kept ? words : fmt::format("{}", limit);
}

class Verifier {
 public:
  Verifier(const ProfileContract& contract, const FullProfile* profile, const FullProfile* baseline, bool fail_on_regression)
      : contract_(contract), profile_(profile), baseline_(baseline), fail_on_regression_(fail_on_regression) {
    verdict_ = {contract.file, contract.name, contract.kernel, {}, CheckOutcome::passed};
    reason_ = why_none();
    if (!reason_.empty()) profile_ = nullptr;
  }

  ContractVerdict verify() {
    for (const ContractBound& bound : contract_.bounds) check_bound(bound);
    for (const ContractRange& range : contract_.metrics) check_range(range);
    for (const FalsificationCheck& check : contract_.falsification) falsify(check);
    if (verdict_.checks.empty()) add("contract", CheckOutcome::skipped, "it states nothing to check");
    for (const ContractCheck& check : verdict_.checks) {
      if (check.outcome == CheckOutcome::failed && (fail_on_regression_ || !check.is_regression)) verdict_.outcome = CheckOutcome::failed;
      if (check.outcome == CheckOutcome::skipped && verdict_.outcome == CheckOutcome::passed) verdict_.outcome = CheckOutcome::skipped;
    }
    return std::move(verdict_);
  }

 private:
  // Why the profile is no evidence; "" where it is.
  std::string why_none() const {
    if (!profile_) return "no profile was given";
    if (profile_->estimated.value_or(false)) return "the profile is an estimate";
    if (!contract_.kernel.empty() && profile_->kernel.name != contract_.kernel)
      return fmt::format("the profile is of {}", printable(profile_->kernel.name.value_or("a kernel without a name")));
    const auto differs = [](const std::optional<std::string>& asked, const std::optional<std::string>& found) {
      return asked && (!found || !equals_ignoring_case(*asked, *found));
    };
    if (differs(contract_.gpu, profile_->hardware.gpu))
      return fmt::format("it was measured on {}, not on {}", printable(profile_->hardware.gpu.value_or("an unknown GPU")),
                         printable(*contract_.gpu));
    if (differs(contract_.compute_capability, profile_->hardware.gpu_sm))
      return fmt::format("its compute capability is {}, not {}", printable(profile_->hardware.gpu_sm.value_or("unknown")),
                         printable(*contract_.compute_capability));
    if (differs(contract_.cpu, profile_->hardware.cpu)) return fmt::format("its CPU is not {}", printable(*contract_.cpu));
    return {};
  }

  void add(std::string name, CheckOutcome outcome, std::string detail, bool is_regression = false) {
    verdict_.checks.push_back({std::move(name), std::move(detail), outcome, is_regression});
  }

  void check(std::string name, const std::optional<double>& value, std::string_view op, double limit, bool is_regression = false) {
    if (!profile_) return add(std::move(name), CheckOutcome::skipped, reason_, is_regression);
    if (!value) return add(std::move(name), CheckOutcome::skipped, "it was not measured", is_regression);
    const bool holds = op == "<="   ? *value <= limit
                       : op == ">=" ? *value >= limit
                       : op == "<"  ? *value < limit
                       : op == ">"  ? *value > limit
                                    : std::abs(*value - limit) <= equal_within;
    add(std::move(name), holds ? CheckOutcome::passed : CheckOutcome::failed,
        fmt::format("{} (asked for: {} {})", number_words(*value), op, number_words(limit)), is_regression);
  }

  std::optional<double> value_of(std::string_view field) const { return profile_ ? field_called(field)->value(*profile_) : std::nullopt; }

  void check_bound(const ContractBound& bound) {
    const std::string suffix = bound.size.empty() ? "" : fmt::format(" at {}", dimensions_text(bound.size));
    const bool is_other = profile_ && !bound.size.empty() && profile_->kernel.dimensions != bound.size;
    const FullProfile* const kept = profile_;
    const std::string reason = reason_;
    if (is_other) {
      profile_ = nullptr;
      const std::string found = dimensions_text(kept->kernel.dimensions);
      reason_ = found.empty() ? "the profile does not say the size of the problem" : "the profile is of " + found;
    }
    if (bound.max_time_us) check("max_time_us" + suffix, value_of("wall_clock_time_us"), "<=", *bound.max_time_us);
    if (bound.min_tflops) check("min_tflops" + suffix, value_of("tflops"), ">=", *bound.min_tflops);
    if (bound.min_bandwidth_gbps) check("min_bandwidth_gbps" + suffix, value_of("bandwidth_gbps"), ">=", *bound.min_bandwidth_gbps);
    if (bound.max_regression_pct) check_regression("max_regression_pct" + suffix, *bound.max_regression_pct);
    profile_ = kept;
    reason_ = reason;
  }

  void check_regression(std::string name, double limit) {
    if (!profile_) return add(std::move(name), CheckOutcome::skipped, reason_, true);
    const std::optional<double> now = profile_->timing.wall_clock_time_us;
    const std::optional<double> then = baseline_ ? baseline_->timing.wall_clock_time_us : std::nullopt;
    if (!then || *then <= 0)
      return add(std::move(name), CheckOutcome::skipped, "there is no baseline of it (frx kernel baseline --save FILE)", true);
    if (baseline_->estimated.value_or(false) || baseline_->hardware.gpu != profile_->hardware.gpu)
      return add(std::move(name), CheckOutcome::skipped, "the baseline is of another GPU, or an estimate", true);
    check(std::move(name), now ? std::optional(100 * (*now - *then) / *then) : std::nullopt, "<=", limit, true);
  }

  void check_range(const ContractRange& range) {
    const std::string name = "metrics." + range.metric;
    if (range.min) check(name + ".min", value_of(range.metric), ">=", *range.min);
    if (range.max) check(name + ".max", value_of(range.metric), "<=", *range.max);
  }

  void falsify(const FalsificationCheck& one) { check(one.name, value_of(one.field), one.op, one.number); }

  const ProfileContract& contract_;
  const FullProfile *profile_, *baseline_;
  bool fail_on_regression_;
  std::string reason_;
  ContractVerdict verdict_;
};

// As a text of YAML between quotes.
std::string yaml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::string_view name_of(CheckOutcome outcome) {
  return outcome == CheckOutcome::passed ? "passed" : outcome == CheckOutcome::failed ? "failed" : "skipped";
}

Result<ProfileContract> read_contract(const std::string& file, const std::string& yaml) {
  TRY_ASSIGN(const Document document, parse_yaml(file, yaml));
  const DocumentView view = document.view();
  const Yaml root(view);
  if (!root.is_map()) return fail(ErrorKind::malformed, "expected a contract: a map of kind, name, kernel, bounds, ...").at(file);
  TRY(expect_keys(root, "contract", {"kind", "name", "version", "kernel", "hardware", "bounds", "metrics", "falsification"}));
  ProfileContract contract;
  contract.file = file;
  contract.kind = root["kind"].text();
  contract.name = root["name"].text();
  contract.version = root["version"].text();
  contract.kernel = root["kernel"].text();
  if (contract.kernel.empty())
    return fail(ErrorKind::malformed, "expected kernel: the name of the kernel that the contract is about").at(file);
  TRY(read_hardware(root["hardware"], contract));
  TRY_ASSIGN(const Yaml bounds, root.list("bounds"));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    TRY_ASSIGN(ContractBound bound, read_bound(bounds.item(i)));
    contract.bounds.push_back(std::move(bound));
  }
  TRY_ASSIGN(contract.metrics, read_metrics(root["metrics"]));
  TRY_ASSIGN(const Yaml checks, root.list("falsification"));
  for (std::size_t i = 0; i < checks.size(); ++i) {
    TRY_ASSIGN(FalsificationCheck check, read_check(checks.item(i)));
    contract.falsification.push_back(std::move(check));
  }
  return contract;
}

ContractVerdict verify_contract(const ProfileContract& contract, const FullProfile* profile, const FullProfile* baseline,
                                bool fail_on_regression) {
  return Verifier(contract, profile, baseline, fail_on_regression).verify();
}

Result<std::string> contract_for(const FullProfile& profile, double tolerance_pct) {
  const std::optional<double> time = profile.timing.wall_clock_time_us;
  if (profile.estimated.value_or(false) || !profile.kernel.name || !time)
    return fail(ErrorKind::not_enough, "the profile is an estimate, or has no kernel's name or no time: there is nothing to promise");
  const std::string size = dimensions_text(profile.kernel.dimensions);
  std::string text =
      "# Written from a measured profile; a check of what was not measured is skipped, never passed.\nkind: KernelContract\n";
  text += fmt::format("name: {}\nversion: 1.0.0\nkernel: {}\n",
                      yaml_quoted(fmt::format("cgp-{}{}{}", *profile.kernel.name, size.empty() ? "" : "-", size)),
                      yaml_quoted(*profile.kernel.name));
  if (profile.hardware.gpu || profile.hardware.gpu_sm) text += "hardware:\n";
  if (profile.hardware.gpu) text += fmt::format("  gpu: {}\n", yaml_quoted(*profile.hardware.gpu));
  if (profile.hardware.gpu_sm) text += fmt::format("  compute_capability: {}\n", yaml_quoted(*profile.hardware.gpu_sm));
  text += "bounds:\n  - ";
  if (!profile.kernel.dimensions.empty()) text += fmt::format("size: [{}]\n    ", fmt::join(profile.kernel.dimensions, ", "));
  const double more = 1 + tolerance_pct / 100, less = 1 - tolerance_pct / 100;
  text += fmt::format("max_time_us: {}\n    max_regression_pct: {}\n", limit_words(*time * more, *time), number_words(tolerance_pct));
  if (profile.throughput.tflops)
    text += fmt::format("    min_tflops: {}\n", limit_words(*profile.throughput.tflops * less, *profile.throughput.tflops));
  if (profile.throughput.bandwidth_gbps)
    text += fmt::format("    min_bandwidth_gbps: {}\n",
                        limit_words(*profile.throughput.bandwidth_gbps * less, *profile.throughput.bandwidth_gbps));
  std::string metrics;
  for (const std::string_view name : {"warp_execution_efficiency", "achieved_occupancy", "global_load_efficiency"}) {
    if (const std::optional<double> value = field_called(name)->value(profile))
      metrics += fmt::format("  {}: {{min: {}}}\n", name, limit_words(*value * less, *value));
  }
  return metrics.empty() ? text : text + "metrics:\n" + metrics;
}

}  // namespace frx::report
