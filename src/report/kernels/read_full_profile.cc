#include "report/kernels/read_full_profile.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/safe_text.h"
#include "report/operators/json_members.h"

namespace frx::report {
namespace {

using Json = nlohmann::json;
using namespace model::full_profile;

constexpr std::size_t most_values = 1'000'000;  // of a list
// What cgp 2.0 writes of every GPU.
constexpr std::string_view gpu_of_cgp = "NVIDIA GeForce RTX 4090";

class Reader {
 public:
  Reader(std::string_view name, bool zero_is_unknown) : name_(name), zero_is_unknown_(zero_is_unknown) {}

  // The section of this name, if it is there.
  template <typename Section>
  void read_section(const Json& root, std::string_view name, Section& section) {
    const Json* const object = member(root, name);
    if (!object) return;
    if (!object->is_object()) return refuse(std::string(name), "an object", *object);
    visit_fields(section, [&](std::string_view field, auto& value) {
      const Json* const given = member(*object, field);
      if (given) take(*given, std::string(name) + "." + std::string(field), value);
    });
  }

  void read_rest(const Json& root, model::FullProfile& profile) {
    take_member(root, "timestamp", profile.timestamp);
    take_member(root, "source", profile.source);
    take_member(root, "estimated", profile.estimated);
    take_member(root, "notes", profile.notes);
    read_muda(root, profile.muda);
    read_provenance(root, profile.provenance);
  }

  Result<> outcome() const {
    if (problem_.empty()) return {};
    return fail(ErrorKind::malformed, "{}", problem_).at(std::string(name_));
  }

 private:
  // nullptr where it is absent or null.
  static const Json* member(const Json& object, std::string_view name) {
    const auto at = object.find(name);
    return at == object.end() || at->is_null() ? nullptr : &*at;
  }
  template <typename Value>
  void take_member(const Json& root, const char* name, Value& value) {
    if (const Json* const given = member(root, name)) take(*given, name, value);
  }

  void refuse(const std::string& where, std::string_view expected, const Json& found) {
    if (problem_.empty()) problem_ = fmt::format("{}: expected {}, found {}", printable(where), expected, found.type_name());
  }

  bool is_unknown(double value) const { return zero_is_unknown_ && value == 0; }

  void take(const Json& given, const std::string& where, std::string& value) {
    if (!given.is_string()) return refuse(where, "a text", given);
    value = given.get<std::string>();
  }
  void take(const Json& given, const std::string& where, Text& value) { take(given, where, value.emplace()); }
  void take(const Json& given, const std::string& where, Truth& value) {
    if (!given.is_boolean()) return refuse(where, "true or false", given);
    value = given.get<bool>();
  }
  void take(const Json& given, const std::string& where, Number& value) {
    if (!given.is_number() || !std::isfinite(given.get<double>())) return refuse(where, "a number", given);
    if (!is_unknown(given.get<double>())) value = given.get<double>();
  }
  void take(const Json& given, const std::string& where, std::uint64_t& value) {
    const double number = given.is_number() ? given.get<double>() : -1;
    if (!(number >= 0 && number <= static_cast<double>(largest_whole))) return refuse(where, "a count", given);
    value = given.is_number_unsigned() ? given.get<std::uint64_t>() : static_cast<std::uint64_t>(number);
  }
  void take(const Json& given, const std::string& where, Whole& value) {
    std::uint64_t number = 0;
    take(given, where, number);
    if (problem_.empty() && !is_unknown(static_cast<double>(number))) value = number;
  }
  void take(const Json& given, const std::string& where, std::uint32_t& value) {
    std::uint64_t number = 0;
    take(given, where, number);
    if (number > UINT32_MAX) return refuse(where, "a count below 2^32", given);
    value = static_cast<std::uint32_t>(number);
  }
  void take(const Json& given, const std::string& where, double& value) {
    Number number;
    take(given, where, number);
    value = number.value_or(0);
  }
  template <typename Value>
  void take(const Json& given, const std::string& where, std::vector<Value>& values) {
    if (!given.is_array() || given.size() > most_values) return refuse(where, "a list", given);
    for (const Json& one : given) take(one, where, values.emplace_back());
    if constexpr (std::is_arithmetic_v<Value>) {
      if (zero_is_unknown_ && std::ranges::all_of(values, [](Value value) { return value == 0; })) values.clear();
    }
  }
  void take(const Json& given, const std::string& where, Counts& counts) {
    if (!given.is_object()) return refuse(where, "an object", given);
    for (const auto& [name, count] : given.items()) take(count, where + "." + name, counts[name]);
  }

  void read_muda(const Json& root, std::vector<Muda>& muda) {
    const Json* const list = member(root, "muda");
    if (!list) return;
    if (!list->is_array() || list->size() > most_values) return refuse("muda", "a list", *list);
    for (const Json& one : *list) {
      if (!one.is_object()) return refuse("muda", "a list of objects", one);
      muda.push_back({text_of(one, "muda_type"), text_of(one, "source"), number_of(one, "impact_pct")});
    }
  }

  void read_provenance(const Json& root, std::map<std::string, std::string>& provenance) {
    const Json* const sources = member(root, "provenance");
    if (!sources) return;
    if (!sources->is_object()) return refuse("provenance", "an object", *sources);
    for (const auto& [field, source] : sources->items()) take(source, "provenance." + field, provenance[field]);
  }

  std::string_view name_;
  bool zero_is_unknown_;
  std::string problem_;
};

Result<std::string> version_in(std::string_view name, const Json& root) {
  const std::string version = text_of(root, "version");
  if (version.empty()) {
    return fail(ErrorKind::malformed, "expected a FullProfile, an object with a \"version\"")
        .at(std::string(name))
        .hint("frx kernel profile --export FILE writes one");
  }
  if (version != "2" && !version.starts_with("2."))
    return fail(ErrorKind::malformed, "version: expected 2.0 or a later 2.x, found '{}'", printable(version)).at(std::string(name));
  return version;
}

// What no measurement can be, so that no contract is kept by it.
Result<> expect_possible(std::string_view name, const model::FullProfile& profile) {
  constexpr std::size_t most_dimensions = 16;
  const auto refused = [&](std::string_view field, std::string_view expected) {
    return fail(ErrorKind::malformed, "{}: expected {}", field, expected).at(std::string(name));
  };
  const auto is_time = [](double value) { return value > 0; };
  if (profile.timing.wall_clock_time_us && !is_time(*profile.timing.wall_clock_time_us))
    return refused("timing.wall_clock_time_us", "a time above 0, or null where it was not measured");
  if (!std::ranges::all_of(profile.timing.samples_us, is_time)) return refused("timing.samples_us", "times above 0");
  const std::vector<std::uint32_t>& dimensions = profile.kernel.dimensions;
  if (dimensions.size() > most_dimensions || std::ranges::find(dimensions, 0U) != dimensions.end())
    return refused("kernel.dimensions", fmt::format("at most {} whole numbers above 0", most_dimensions));
  return {};
}

// The first version knows one GPU only, and one count of operations.
void note_constants(model::FullProfile& profile) {
  if (profile.hardware.gpu != gpu_of_cgp || !profile.roofline.peak_compute_tflops) return;
  profile.notes.push_back(
      "version 2.0 states this GPU, its peaks and 2N^3 operations whatever was measured: hardware, throughput and roofline are no "
      "evidence");
}

}  // namespace

bool may_be_full_profile(std::string_view head) {
  return head.find("\"version\"") != head.npos && head.find("\"2.") != head.npos && head.find("\"timing\"") != head.npos;
}

Result<model::FullProfile> read_full_profile(std::string_view name, std::string_view json) {
  const Json root = Json::parse(json, nullptr, false);
  if (root.is_discarded()) return fail(ErrorKind::malformed, "expected a FullProfile in JSON").at(std::string(name));
  model::FullProfile profile;
  TRY_ASSIGN(profile.version, version_in(name, root));
  const bool is_first_version = profile.version == "2" || profile.version == "2.0";
  Reader reader(name, is_first_version);
  visit_sections(profile, [&](std::string_view section, auto& value) { reader.read_section(root, section, value); });
  reader.read_rest(root, profile);
  TRY(reader.outcome());
  TRY(expect_possible(name, profile));
  if (is_first_version) note_constants(profile);
  return profile;
}

}  // namespace frx::report
