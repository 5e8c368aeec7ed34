#include "knowledge/facts.h"

namespace frx::knowledge {
namespace {

Result<> read_kind(const Value& kind, FactDefinition& fact) {
  if (kind.text() == "truth") {
    fact.type = FactDefinition::truth;
    fact.max = 1;
  } else if (kind.text() == "text") {
    fact.type = FactDefinition::text;
  } else if (kind.text() == "share") {
    fact.max = 1;
  } else if (kind.text() == "count") {
    fact.is_whole = true;
  } else {
    return fail(ErrorKind::malformed, "expected truth, text, count or share for 'is', found '{}'", kind.text()).at(kind.where());
  }
  fact.min = 0;
  return {};
}

}  // namespace

Result<FactDefinition> read_fact(const Value& entry) {
  FactDefinition fact;
  fact.id = entry["id"].text();
  fact.meaning = entry["meaning"].text();
  if (fact.id.empty()) return fail(ErrorKind::malformed, "expected a fact with an id").at(entry.where());
  if (entry["is"]) TRY(read_kind(entry["is"], fact));
  if (entry["min"]) fact.min = entry["min"].number();
  if (entry["max"]) fact.max = entry["max"].number();
  const std::optional<Unit> unit = parse_unit(entry["unit"] ? entry["unit"].text() : "");
  if (!unit) return fail(ErrorKind::malformed, "unknown unit '{}'", entry["unit"].text()).at(entry["unit"].where());
  fact.unit = *unit;
  return fact;
}

}  // namespace frx::knowledge
