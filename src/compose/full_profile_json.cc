#include "compose/full_profile_json.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using namespace model::full_profile;

void put_field(JsonObject& out, std::string_view name, const Number& number) { out.add(name, answer::exact(number)); }
void put_field(JsonObject& out, std::string_view name, const Counts& counts) {
  out.object(name, [&](JsonObject& inner) {
    for (const auto& [key, count] : counts) inner.add(std::string_view(key), count);
  });
}
void put_field(JsonObject& out, std::string_view name, const Numbers& numbers) {
  std::vector<answer::Rounded> exact;
  exact.reserve(numbers.size());
  for (const double number : numbers) exact.push_back(answer::exact(number));
  out.add(name, exact);
}
template <typename Value>
void put_field(JsonObject& out, std::string_view name, const Value& value) {
  out.add(name, value);
}

template <typename Section>
void put_section(JsonObject& out, std::string_view name, const Section& section) {
  if (!is_collected(section)) return;
  out.object(name, [&](JsonObject& inner) {
    visit_fields(section, [&](std::string_view field, const auto& value) {
      if (is_given(value)) put_field(inner, field, value);
    });
  });
}

}  // namespace

void put_full_profile(JsonObject& out, const model::FullProfile& profile) {
  out.add("schema", "full_profile_v2", "version", model::full_profile_version);
  if (!profile.timestamp.empty()) out.add("timestamp", profile.timestamp);
  if (!profile.source.empty()) out.add("source", profile.source);
  if (profile.estimated) out.add("estimated", *profile.estimated);
  visit_sections(profile, [&](std::string_view name, const auto& section) { put_section(out, name, section); });
  if (!profile.muda.empty()) {
    out.list("muda", profile.muda, [](JsonObject& one, const Muda& muda) {
      one.add("muda_type", muda.muda_type, "source", muda.source);
      if (muda.impact_pct) one.add("impact_pct", answer::exact(muda.impact_pct));
    });
  }
  if (!profile.notes.empty()) out.add("notes", profile.notes);
  if (profile.provenance.empty()) return;
  out.object("provenance", [&](JsonObject& inner) {
    for (const auto& [field, source] : profile.provenance) inner.add(std::string_view(field), source);
  });
}

}  // namespace frx::compose
