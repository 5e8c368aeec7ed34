// A small JSON Schema checker (2020-12), enough for data/schemas: what frx prints has to follow what
// it promises. A keyword it does not know is reported as a violation, never passed over.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace frx::testing {

using Json = nlohmann::json;

// "/kernels/0/name: expected string, found null"; empty when `value` is valid.
std::vector<std::string> violations(const Json& schema, const Json& value);

// Finds out which schema a text promises to follow: {"schema": "NAME"}, or that inside the documented
// {"mode": ..., "result": {...}} or a member of that, with data/schemas/NAME.json there. Empty when it promises nothing.
std::vector<std::string> schema_violations(const std::string& text);

}  // namespace frx::testing
