// The subset of YAML for the configuration in bundles: maps indented by two blanks, lists as "- item", text always quoted as in JSON,
// numbers, null, true, false, [] and {}.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/document.h"

namespace frx::capture {

using OrderedJson = nlohmann::ordered_json;

// `value` is a map.
std::string yaml_text(const OrderedJson& value);
// The content of a YAML document; plain scalars become null, booleans and numbers where they are such.
OrderedJson json_of(const Value& value);
// Merges `over` into `into`: maps are merged, anything else is replaced.
void merge(OrderedJson& into, const OrderedJson& over);

}  // namespace frx::capture
