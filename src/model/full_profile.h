// The profile of one kernel as a file: the document "FullProfile" of schema 2.x (docs/kernel-profile.md).
//
// Absent means not collected, never zero. The names and kinds of all fields stand in model/full_profile.def; units are in the names.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace frx::model {

namespace full_profile {

using Text = std::optional<std::string>;
using Texts = std::vector<std::string>;
using Number = std::optional<double>;
using Numbers = std::vector<double>;
using Whole = std::optional<std::uint64_t>;
using Wholes = std::vector<std::uint32_t>;
using Truth = std::optional<bool>;
using Counts = std::map<std::string, std::uint64_t>;

#define FRX_SECTION(name, Type) struct Type {
#define FRX_FIELD(Kind, name) Kind name = {};
#define FRX_END() \
  }               \
  ;
#include "model/full_profile.def"

// A waste, by one of the seven kinds of lean production.
struct Muda {
  std::string muda_type;             // "transport", "waiting", "motion", ...
  std::string source;                // the finding that it is from
  std::optional<double> impact_pct;  // of the time of the kernel, where the finding states one
};

}  // namespace full_profile

inline constexpr std::string_view full_profile_version = "2.1";  // that is written

struct FullProfile {
  std::string version = std::string(full_profile_version);
  std::string timestamp;           // RFC 3339, UTC; "" where it is not known
  std::string source;              // what it was made from: a file, a command
  std::optional<bool> estimated;   // true: nothing was measured
  std::vector<std::string> notes;  // what a reader should know, in sentences

#define FRX_SECTION(name, Type) full_profile::Type name = {};
#include "model/full_profile.def"

  std::vector<full_profile::Muda> muda;
  std::map<std::string, std::string> provenance;  // "gpu_compute.ipc" -> "report.csv:12"
};

namespace full_profile {

// visit(name, field) for each field of a section, in the order of the file.
#define FRX_SECTION(name, Type)                             \
  template <typename Section, typename Visit>               \
  requires std::same_as<std::remove_const_t<Section>, Type> \
  void visit_fields(Section& section, Visit&& visit) {
#define FRX_FIELD(Kind, name) visit(std::string_view(#name), section.name);
#define FRX_END() }
#include "model/full_profile.def"

// visit(name, section) for each section, in the order of the file.
template <typename Profile, typename Visit>
void visit_sections(Profile& profile, Visit&& visit) {
#define FRX_SECTION(name, Type) visit(std::string_view(#name), profile.name);
#include "model/full_profile.def"
}

template <typename Value>
bool is_given(const std::optional<Value>& value) {
  return value.has_value();
}
template <typename Values>
bool is_given(const Values& values) {
  return !values.empty();
}

// Whether any field of it was collected.
template <typename Section>
bool is_collected(const Section& section) {
  bool any = false;
  visit_fields(section, [&](std::string_view, const auto& field) { any = any || is_given(field); });
  return any;
}

}  // namespace full_profile
}  // namespace frx::model
