// frx mcp: the analyses as tools of a language model's program, over standard input and output.

#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "report/expertise.h"
#include "serve/mcp/server.h"
#include "serve/mcp/tools.h"

namespace frx::cli {
namespace command_mcp {
namespace {

constexpr std::size_t longest_line = std::size_t{8} << 20;

struct Options {
  std::vector<std::string> roots;
  Syntax::Number workers = 2;
  bool json = false;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Serves the Model Context Protocol (2026-07-28, and the handshake of 2025-11-25 and before) over standard input and output: tools "
      "diagnose, "
      "explain_number, compare, next_measurement, source_hot_spots, check_change and search_kernels. Answers keep to the tokens that the "
      "caller names, "
      "and hand out a cursor for the rest. Files below the roots are read, and no others; nothing is run or written.");
  syntax.option("--root", "DIR", options.roots, "files below it may be read; may be given again; default: the current folder");
  syntax.option("--workers", "N", options.workers, "calls that are answered at a time");
  describe_analysis(syntax, options.analysis);
  syntax.flag("--json", options.json, "print what the tools take and answer, as JSON, and serve nothing");
  syntax.example("--root ~/project", "as the command of a server in the settings of an agent");
  syntax.exit_code(0, "the client closed standard input");
  syntax.exit_code(1, "--root is no folder, or --data cannot be read");
}

// Line by line until the client is gone. A line that is too long is refused, and passed over.
void read_lines(serve::McpServer& server) {
  std::string held;
  bool skips = false;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = ::read(0, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    std::string_view rest(buffer.data(), static_cast<std::size_t>(count));
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const std::string_view part = rest.substr(0, end);
      if (!skips) held += part;
      if (!skips && held.size() > longest_line) {
        server.refuse_line(fmt::format("expected messages of at most {} MiB", longest_line >> 20));
        held.clear();
        skips = true;
      }
      if (end == rest.npos) break;
      if (!skips) server.take(held);
      held.clear();
      skips = false;
      rest.remove_prefix(end + 1);
    }
  }
  if (!held.empty()) server.take(held);
}

Result<int> act(const Options& options, Io& io) {
  if (options.json) {
    write_json(io, "mcp", {{"tools", serve::tool_list()}});
    return 0;
  }
  if (*options.workers < 1 || *options.workers > 64)
    return fail(ErrorKind::usage, "expected a number from 1 to 64, found {}", *options.workers).at("--workers");
  TRY_ASSIGN(serve::Roots roots, serve::Roots::of(options.roots.empty() ? std::vector<std::string>{"."} : options.roots));
  TRY(report::Expertise::load(options.analysis.data_directory));
  const serve::ApiOptions api{.knowledge = options.analysis};
  serve::McpServer server(api, std::move(roots), FRX_VERSION, *options.workers, [&io](const std::string& line) {
    io.out.write_as_it_is(line + "\n");
    io.out.flush();
  });
  read_lines(server);
  server.finish();
  return 0;
}

}  // namespace
}  // namespace command_mcp

constinit const Command mcp_command =
    make_command<command_mcp::Options, command_mcp::describe, command_mcp::act>("mcp", "Answer agents, as tools over stdio", "Serve");

}  // namespace frx::cli
