// Names of values that are credentials: of options, variables, settings and headers.
#pragma once

#include <string_view>

namespace frx::capture {

// Whether a value of this name is a secret, whatever it looks like: "api_key", "--hf-token", "wandb.apiKey", "DB_PASSWORD", "PGPASSWORD".
bool names_a_secret(std::string_view name);
// Whether this value of a secret's name is none: a switch, or a number (`--token 7`), which only passwords and keys may be.
bool is_harmless(std::string_view name, std::string_view value);

}  // namespace frx::capture
