#include "knowledge/trial_rules.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "knowledge/limited_number.h"

namespace frx::knowledge {
namespace {

constexpr std::array<std::string_view, 3> risks = {"low", "medium", "high"};
constexpr std::array<std::string_view, 2> change_kinds = {"memory_format", "contiguous"};
constexpr std::array<std::string_view, 5> policy_members = {"changes", "least_gain_pct", "largest_risk", "allow_distributed",
                                                            "allow_custom_ops"};

Result<bool> trial_truth(const Value& map, std::string_view key) {
  if (const std::optional<bool> truth = map[key].boolean()) return *truth;
  return fail(ErrorKind::malformed, "expected {} as true or false", key).at(place_in(map, key));
}

Result<LayoutRisk> risk_in(const Value& map, std::string_view key) {
  const auto* const at = std::ranges::find(risks, map[key].text());
  if (at == risks.end()) return fail(ErrorKind::malformed, "expected {} as low, medium or high", key).at(place_in(map, key));
  return static_cast<LayoutRisk>(at - risks.begin());
}

Result<std::size_t> count_in(const Value& map, std::string_view key) {
  TRY_ASSIGN(const double number, limited_number(map, key, 1000));
  return static_cast<std::size_t>(number);
}

Result<> read_policy(const Value& map, LayoutPolicy& policy) {
  if (const Value changes = map["changes"]) {
    policy.changes.clear();
    for (const std::string_view kind : changes.texts()) {
      if (std::ranges::find(change_kinds, kind) == change_kinds.end())
        return fail(ErrorKind::malformed, "expected memory_format or contiguous as changes, found '{}'", kind).at(changes.where());
      policy.changes.emplace_back(kind);
    }
  }
  if (map["least_gain_pct"]) {
    TRY_ASSIGN(policy.least_gain_pct, limited_number(map, "least_gain_pct", 1000));
  }
  if (map["largest_risk"]) {
    TRY_ASSIGN(policy.largest_risk, risk_in(map, "largest_risk"));
  }
  if (map["allow_distributed"]) {
    TRY_ASSIGN(policy.allow_distributed, trial_truth(map, "allow_distributed"));
  }
  if (map["allow_custom_ops"]) {
    TRY_ASSIGN(policy.allow_custom_ops, trial_truth(map, "allow_custom_ops"));
  }
  return {};
}

Result<> read_numerics(const Value& map, TrialRules& rules) {
  TRY_ASSIGN(rules.share_within, limited_number(map, "share_within", 1));
  TRY_ASSIGN(rules.times_tolerance, limited_number(map, "times_tolerance", 1000));
  TRY_ASSIGN(rules.times_self_noise, limited_number(map, "times_self_noise", 1000));
  TRY_ASSIGN(rules.largest_self_noise, limited_number(map, "largest_self_noise", 1));
  TRY_ASSIGN(rules.loss_worse, limited_number(map, "loss_worse", 1));
  TRY_ASSIGN(rules.loss_band, limited_number(map, "loss_band", 1));
  TRY_ASSIGN(const Value list, map.list("tolerances"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    ToleranceRule rule{list.item(i)["dtype"].text()};
    TRY_ASSIGN(rule.rtol, limited_number(list.item(i), "rtol", 1));
    TRY_ASSIGN(rule.atol, limited_number(list.item(i), "atol", 1));
    if (list.item(i)["of_largest"]) {
      TRY_ASSIGN(rule.of_largest, limited_number(list.item(i), "of_largest", 1));
    }
    if (list.item(i)["per_root_of_terms"]) {
      TRY_ASSIGN(rule.per_root_of_terms, trial_truth(list.item(i), "per_root_of_terms"));
      TRY_ASSIGN(rule.at_most, limited_number(list.item(i), "at_most", 1));
    }
    rules.tolerances.push_back(rule);
  }
  return {};
}

}  // namespace

std::string_view name_of(LayoutRisk risk) { return risks[static_cast<std::size_t>(risk)]; }

const ToleranceRule* TrialRules::tolerance_of(std::string_view dtype) const {
  const auto at = std::ranges::find(tolerances, dtype, &ToleranceRule::dtype);
  return at == tolerances.end() ? nullptr : &*at;
}

Result<TrialRules> TrialRules::load(const Library& library) {
  TrialRules rules;
  const Value file = library.file("data/layout_trial/gates.yaml");
  TRY_ASSIGN(rules.fewest_blocks, count_in(file["protocol"], "fewest_blocks"));
  TRY_ASSIGN(rules.fewest_windows, count_in(file["protocol"], "fewest_windows"));
  TRY(read_numerics(file["numerics"], rules));
  rules.relayout = file["kernels"]["relayout"].texts();
  rules.fallbacks = file["kernels"]["fallbacks"].texts();
  const Value performance = file["performance"];
  TRY_ASSIGN(rules.times_noise, limited_number(performance, "times_noise", 1000));
  TRY_ASSIGN(rules.memory_more, limited_number(performance, "memory_more", 10));
  TRY_ASSIGN(rules.memory_of_device, limited_number(performance, "memory_of_device", 1));
  rules.messages = file["distributed"]["messages"].texts();
  rules.wrappers = file["distributed"]["wrappers"].texts();
  TRY_ASSIGN(rules.groups, count_in(file["distributed"], "groups"));
  rules.framework = file["custom_ops"]["framework"].texts();
  TRY_ASSIGN(rules.contiguous, risk_in(file["risk"], "contiguous"));
  TRY_ASSIGN(rules.memory_format, risk_in(file["risk"], "memory_format"));
  TRY(read_policy(file["policy"], rules.policy));
  return rules;
}

Result<LayoutPolicy> read_layout_policy(const std::string& path, const LayoutPolicy& base) {
  TRY_ASSIGN(const std::string text, read_file(path, std::uint64_t{1} << 20));
  TRY_ASSIGN(const Document document, parse_yaml(path, text));
  const DocumentView view = document.view();
  const Value map(view);
  if (!map.is_map()) return fail(ErrorKind::malformed, "expected a policy: members such as 'changes: [memory_format]'").at(path);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (std::ranges::find(policy_members, map.key(i)) == policy_members.end())
      return fail(ErrorKind::malformed, "a policy has no member '{}'", map.key(i))
          .at(map.value(i) ? map.value(i).where() : path)
          .hint("there are changes, least_gain_pct, largest_risk, allow_distributed and allow_custom_ops");
  }
  LayoutPolicy policy = base;
  TRY(read_policy(map, policy));
  return policy;
}

}  // namespace frx::knowledge
