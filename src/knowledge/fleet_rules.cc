#include "knowledge/fleet_rules.h"

#include "knowledge/limited_number.h"

namespace frx::knowledge {
namespace {

Result<FleetThreshold> threshold_in(const Value& map) {
  FleetThreshold threshold;
  TRY_ASSIGN(threshold.noise_times, limited_number(map, "noise_times", 1000));
  TRY_ASSIGN(threshold.least_ns, limited_number(map, "least_ns", 1e12));
  TRY_ASSIGN(threshold.least_share, limited_number(map, "least_share", 100));
  return threshold;
}

}  // namespace

Result<FleetRules> FleetRules::load(const Library& library) {
  FleetRules rules;
  const Value file = library.file("data/ranks/fleet.yaml");
  TRY_ASSIGN(rules.late, threshold_in(file["late"]));
  TRY_ASSIGN(rules.always_share, limited_number(file["late"], "always_share", 1));
  TRY_ASSIGN(rules.node_share, limited_number(file["late"], "node_share", 1));
  TRY_ASSIGN(rules.slow_link, threshold_in(file["slow_link"]));
  TRY_ASSIGN(const double peers, limited_number(file["slow_link"], "fewest_peers", 1e6));
  TRY_ASSIGN(const double steps, limited_number(file["certainty"], "fewest_steps", 1e6));
  rules.fewest_peers = static_cast<std::size_t>(peers);
  rules.fewest_steps = static_cast<std::size_t>(steps);
  TRY_ASSIGN(rules.chance, limited_number(file["certainty"], "chance", 1));
  TRY_ASSIGN(rules.step_by_chance, limited_number(file["certainty"], "step_by_chance", 1));
  TRY_ASSIGN(rules.together_ns, limited_number(file["together"], "least_ns", 1e12));
  TRY_ASSIGN(rules.together_share, limited_number(file["together"], "share", 100));
  return rules;
}

}  // namespace frx::knowledge
