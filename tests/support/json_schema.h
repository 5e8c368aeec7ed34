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

// Every object of a text that names its schema ({"schema": "NAME"}, with data/schemas/NAME.json there), held against it; its members
// must be described there, too. The text may be the output of several commands, each behind a line "$ frx ...". Empty when it names no
// schema.
std::vector<std::string> schema_violations(const std::string& text);

}  // namespace frx::testing
