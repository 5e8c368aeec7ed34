// Hides what looks like a credential before it is written into a bundle, which people hand on: passwords, tokens and keys in arguments,
// addresses and settings.
//
// A value is hidden for its name (--api-key X, WANDB_API_KEY=X, password: X), for its form (hf_..., ghp_..., AKIA..., a JSON web token) or
// for its place (curl -u me:X, https://me:X@host, Authorization: Bearer X). `--max-tokens 2048`, `--tokenizer gpt2` and `pad_token_id: 0`
// are none: a switch is no secret, and a number only behind the name of a password or a key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/run_bundle/yaml_text.h"

namespace frx::capture {

// What is written in place of a secret.
inline constexpr std::string_view hidden = "***";

// The text without what has the form of a secret.
std::string without_known_secrets(std::string_view text);
// The arguments of a program, the program first.
std::vector<std::string> without_secrets(const std::vector<std::string>& arguments);
// Settings, by the names of their keys.
OrderedJson without_secrets(const OrderedJson& settings);
// The text of a YAML file of such settings. Where a secret cannot be taken out of its text, a comment stands for all of it.
std::string yaml_without_secrets(const std::string& text, const OrderedJson& settings);

}  // namespace frx::capture
