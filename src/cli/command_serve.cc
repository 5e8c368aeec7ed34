// frx serve: the analyses over HTTP.

#include <chrono>

#include "base/byte_size.h"
#include "base/files.h"
#include "base/loopback.h"
#include "base/memory_budget.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "http/server.h"
#include "report/expertise.h"
#include "serve/api.h"
#include "serve/mcp/roots.h"

namespace frx::cli {
namespace command_serve {
namespace {

struct Options {
  std::string address = "127.0.0.1";
  Syntax::Number port = 8765;
  std::string token_file;
  std::vector<std::string> hosts;
  std::string max_upload = "1G";
  Syntax::Number timeout = 300, receive_timeout = 30, workers = 0, queue = 64;
  std::string feedback;
  std::vector<std::string> tool_roots;
  bool json = false;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Answers over HTTP what the other commands answer on the command line: profiles, traces, run bundles and code are sent to it, and "
      "analysed "
      "by the same code. It listens to this machine alone unless told otherwise, and nothing that is sent to it is kept.");
  syntax.option("--host", "ADDRESS", options.address, "listen there; any but this machine's own needs a token");
  syntax.option("-p,--port", "PORT", options.port, "0: any port that is free");
  syntax.option("--token-file", "FILE", options.token_file,
                "who asks has to send the first line of this file; FRX_SERVE_TOKEN may hold it instead");
  syntax.option("--allow-host", "NAME", options.hosts, "a name by which the server may be called, besides localhost and addresses");
  syntax.option("--max-upload", "SIZE", options.max_upload, "the largest body, such as 512M");
  syntax.option("--timeout", "SECONDS", options.timeout, "give up an analysis that takes longer");
  syntax.option("--receive-timeout", "SECONDS", options.receive_timeout,
                "give up a request that does not arrive; 64 KiB earn it a second more");
  syntax.option("--workers", "N", options.workers, "analyses at a time; 0: one for each core");
  syntax.option("--queue", "N", options.queue, "requests that may wait for one; more are refused with 429");
  syntax.option("--feedback", "FILE", options.feedback, "append what POST /feedback tells to this file");
  syntax.option("--mcp-root", "DIR", options.tool_roots,
                "also answer agents at /mcp (frx mcp), from files below this folder; may be given again");
  describe_analysis(syntax, options.analysis);
  syntax.flag("--json", options.json, "print JSON: where it listens");
  syntax.example("", "then: curl --data-binary @report.ncu-rep 'http://localhost:8765/analyze?filename=report.ncu-rep&format=text'");
  syntax.example("--host 0.0.0.0 --token-file token --allow-host gpu1.example.com", "for other machines, behind a proxy with TLS");
  syntax.exit_code(0, "it was told to end (SIGINT, SIGTERM)");
  syntax.exit_code(1, "it cannot listen there");
}

Result<std::string> token_of(const Options& options, const Io& io) {
  if (options.token_file.empty()) return io.environment("FRX_SERVE_TOKEN").value_or("");
  TRY_ASSIGN(const std::string text, read_file(options.token_file, 1 << 16));
  const std::string token(trim(std::string_view(text).substr(0, text.find('\n'))));
  if (token.empty()) return fail(ErrorKind::usage, "the file of the token is empty").at(options.token_file);
  return token;
}

Result<> check(const Options& options) {
  const auto in_range = [](std::string_view name, Syntax::Number value, std::uint64_t least, std::uint64_t most) -> Result<> {
    if (*value >= least && *value <= most) return {};
    return fail(ErrorKind::usage, "expected a number from {} to {}, found {}", least, most, *value).at(std::string(name));
  };
  TRY(in_range("--port", options.port, 0, 65535));
  TRY(in_range("--timeout", options.timeout, 1, 86400));
  TRY(in_range("--receive-timeout", options.receive_timeout, 1, 86400));
  TRY(in_range("--workers", options.workers, 0, 1024));
  return in_range("--queue", options.queue, 0, 100'000);
}

Result<http::ServerOptions> settings_of(const Options& options, const std::string& folder, Io& io) {
  TRY(check(options));
  http::ServerOptions settings;
  settings.address = options.address;
  settings.port = static_cast<std::uint16_t>(*options.port);
  settings.guard.hosts = options.hosts;
  settings.guard.open_paths = serve::open_paths();
  TRY_ASSIGN(settings.guard.token, token_of(options, io));
  if (settings.guard.token.empty() && !is_loopback(options.address)) {
    return fail(ErrorKind::usage, "serve: {} can be reached from other machines, and there is no token", printable(options.address))
        .hint("--token-file FILE, or FRX_SERVE_TOKEN; such as: openssl rand -hex 32 > token");
  }
  Result<std::uint64_t> size = parse_byte_size(options.max_upload);
  if (!size)
    return fail(ErrorKind::usage, "expected a size such as 512M or 2G, found {}", printable(options.max_upload)).at("--max-upload");
  settings.most_bytes = *size;
  settings.answer_time = std::chrono::seconds(*options.timeout);
  settings.receive_time = std::chrono::seconds(*options.receive_timeout);
  settings.workers = *options.workers;
  settings.most_waiting = *options.queue;
  settings.upload_folder = folder;
  settings.headers = {
      {"Server", "frx"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"},
      {"Cache-Control", "no-store"}};
  settings.log = [&io](const std::string& line) { io.log(LogLevel::info, "serve", line); };
  return settings;
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const TemporaryDirectory uploads, TemporaryDirectory::make(io.environment("TMPDIR").value_or("/tmp")));
  TRY_ASSIGN(http::ServerOptions settings, settings_of(options, uploads.path(), io));
  TRY(report::Expertise::load(options.analysis.data_directory));  // what is wrong with it is told now, and not with each request
  TRY(serve::Roots::of(options.tool_roots));
  serve::ApiOptions api{
      .knowledge = options.analysis, .feedback_file = options.feedback, .tool_roots = options.tool_roots, .version = FRX_VERSION};
  const std::string address = settings.address;
  TRY_ASSIGN(const std::unique_ptr<http::Server> server, http::Server::listen(std::move(settings), serve::api_routes(api)));
  api.metrics = [&server] { return server->metrics().text(server->now(), FRX_VERSION); };
  api.is_closing = [&server] { return server->is_closing(); };
  MemoryBudget::share_out();
  server->end_on_signals();  // who reads where it listens may end it from then on
  const bool is_v6 = address.find(':') != address.npos;
  const std::string url = fmt::format("http://{}{}{}:{}/", is_v6 ? "[" : "", address, is_v6 ? "]" : "", server->port());
  if (options.json) {
    write_json(io, "serve", {{"url", url}, {"address", address}, {"port", server->port()}});
  } else {
    io.out.write(url + "\n");
  }
  io.out.flush();
  server->run();
  return 0;
}

}  // namespace
}  // namespace command_serve

constinit const Command serve_command =
    make_command<command_serve::Options, command_serve::describe, command_serve::act>("serve", "Answer over HTTP", "Serve");

}  // namespace frx::cli
