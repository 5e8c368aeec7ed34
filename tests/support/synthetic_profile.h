// Made-up launches whose cause is known. A small machine model chooses a GPU, a kernel and what limits it, and derives every counter from
// these, so that they agree with each other as those of a real launch do. Sections that a person did not collect are left out.
//
// The model: a launch has so many instructions, requests, sectors and bytes. Each unit of the GPU needs a number of cycles for its part of
// them; the launch takes as long as the unit that needs most, divided by the share of its peak that the unit reaches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/metrics.h"

namespace frx::testing {

struct SyntheticProfile {
  std::string cause;                            // "l2_waste": one of synthetic_causes()
  std::string kernel;                           // its name: some causes are those of matrix products
  std::vector<std::string_view> accepted;       // labels that may lead
  std::vector<std::string_view> forbidden;      // labels whose fix could not help, whatever was collected
  bool is_decided = true;                       // the sections that tell the cause were collected
  std::map<std::string_view, double> readings;  // by the name of the metric, in its unit
  // By label: the share of the time that removing what it names, and nothing else, could save if every unit reached its peak then.
  std::map<std::string_view, double> could_save;
};

std::vector<std::string_view> synthetic_causes();

// The same for the same number. Causes take turns; every second profile has all sections.
SyntheticProfile synthetic_profile(std::uint64_t number);

// A table as `ncu --csv --metrics ...` prints it, with one launch for each profile, in order.
std::string csv_of(const std::vector<SyntheticProfile>& profiles, const knowledge::MetricCatalogue& metrics);

}  // namespace frx::testing
