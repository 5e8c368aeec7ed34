// The whole program as a function: main, tests and other programs call the same code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/io.h"

namespace frx::cli {

// `args` without the name of the program. Returns the exit code; prints everything itself.
int run(std::span<const std::string> args, Io& io);

// The options before the command: -v, --debug, --color, --memory, --threads, --config, --no-config, --version.
class Syntax;
struct GlobalOptions {
  bool verbose = false;
  bool debug = false;
  bool version = false;
  std::string memory;  // "8G"; "": by the input
  std::optional<std::uint64_t> threads;
  std::string config;  // a file instead of the project's
  bool no_config = false;
  std::string colour = "auto";
};
void describe_global(Syntax& syntax, GlobalOptions& options);

// "frx 0.1.0" and what it was made of.
std::string version_text(std::string_view program);

// "frx: file:3: message" and its hint, as errors are shown.
std::string error_text(const Error& error, std::string_view program);

}  // namespace frx::cli
