// frx agent-guide: how an agent uses frx, as a skill file.

#include "cli/command.h"
#include "cli/json_output.h"

namespace frx::cli {

// src/cli/agent_guide.md
extern const std::string_view agent_guide_text;

namespace command_agent_guide {
namespace {

struct Options {
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text("Prints a short guide for coding agents: which command answers what, in which order, and what not to claim.");
  syntax.flag("--json", options.json, "print JSON");
  syntax.example("> skills/frx/SKILL.md", "as a skill of an agent that reads such files");
  syntax.exit_code(0, "always");
}

Result<int> act(const Options& options, Io& io) {
  if (options.json) {
    write_json(io, "agent_guide", {{"guide", agent_guide_text}});
  } else {
    io.out.write(agent_guide_text);
  }
  return 0;
}

}  // namespace
}  // namespace command_agent_guide

constinit const Command agent_guide_command =
    make_command<command_agent_guide::Options, command_agent_guide::describe, command_agent_guide::act>(
        "agent-guide", "Print a guide for coding agents", "Set up");

}  // namespace frx::cli
