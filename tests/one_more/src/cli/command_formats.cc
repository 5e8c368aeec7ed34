// frx formats: what can be read.

#include "cli/command.h"
#include "ingest/format.h"

namespace frx::cli {
namespace command_formats {
namespace {

struct Options {};

void describe(Syntax& syntax, Options&) { syntax.exit_code(0, "always"); }

Result<int> act(const Options&, Io& io) {
  for (const ingest::Format* format : ingest::formats()) io.out.write(fmt::format("{}: {}\n", format->id, format->title));
  return 0;
}

}  // namespace
}  // namespace command_formats

constinit const Command formats_command =
    make_command<command_formats::Options, command_formats::describe, command_formats::act>("formats", "List what can be read", "Setup");

}  // namespace frx::cli
