// The C ABI of include/frx/frx.h: each function is a few lines around the functions that the commands use.

#include "frx/frx.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/answer.h"
#include "answer/json.h"
#include "base/memory_budget.h"
#include "cli/run.h"
#include "http/message.h"
#include "serve/api.h"

namespace frx::capi {
namespace {

using answer::Json;

struct Reply {
  int code = 0;
  std::string json;
};

char* copy_of(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string error_json(std::string_view message, std::string_view hint) {
  return answer::json_text(Json{{"error", {{"message", message}, {"hint", hint}}}});
}

Reply refused(const Error& error) {
  const std::string message = error.where.empty() ? error.message : error.where + ": " + error.message;
  return {exit_code(error.kind), error_json(message, error.hint)};
}

// No exception of a library may leave: the caller may be written in any language.
template <typename Work>
int answered(char** reply, Work work) noexcept {
  if (reply == nullptr) return -1;
  *reply = nullptr;
  try {
    Reply made;
    static const bool limited = (MemoryBudget::start({}), true);
    static_cast<void>(limited);
    try {
      made = work();
    } catch (const std::bad_alloc&) {
      made = refused(MemoryBudget::error());
    } catch (const std::exception& error) {
      made = {1, error_json(error.what(), "")};
    }
    *reply = copy_of(made.json);
    return *reply == nullptr ? -1 : made.code;
  } catch (...) {
    return -1;
  }
}

std::string_view view_of(const char* text, std::size_t size) { return text == nullptr ? std::string_view() : std::string_view(text, size); }

report::AnalysisOptions options_for(const char* gpu_model) {
  report::AnalysisOptions options;
  if (gpu_model != nullptr) options.gpu_model = gpu_model;
  return options;
}

// The `result` of what `frx analyze FILE --json` prints about a text of this format.
Result<std::string> result_of(std::string_view text, const char* name, const ingest::Format* format, const char* gpu_model) {
  analyse::Context context(analyse::Options{.knowledge = options_for(gpu_model)});
  std::vector<analyse::Input> inputs;
  inputs.push_back({ingest::Source::of(name, std::string(text)), format});
  TRY_ASSIGN(const analyse::Analysis analysis, analyse::analyse(std::move(inputs), context));
  const auto* code = analysis.as<analyse::CodeReport>();
  if (const Error* error = code ? code->only_error() : nullptr) return Failure{*error};
  return answer::json_text_of(analyse::answer_of(analysis).payload);
}

Reply reply_of(Result<std::string> result) { return result ? Reply{0, std::move(*result)} : refused(result.error()); }

Reply call_reply(int code, std::string output, std::string messages) {
  return {code, answer::json_text(Json{{"exit_code", code}, {"output", std::move(output)}, {"messages", std::move(messages)}})};
}

// {"arguments": [text, ...]}
std::optional<std::vector<std::string>> arguments_in(const Json& json) {
  if (!json.is_object() || !json.contains("arguments") || !json["arguments"].is_array()) return std::nullopt;
  std::vector<std::string> arguments;
  for (const Json& one : json["arguments"]) {
    if (!one.is_string()) return std::nullopt;
    arguments.push_back(one.get<std::string>());
  }
  return arguments;
}

// {"path": "/reconcile", "body": {...}}: what POST of that path answers.
std::optional<Reply> posted(const Json& request) {
  if (!request.is_object() || !request.contains("path") || !request["path"].is_string() || !request.contains("body")) return std::nullopt;
  static const serve::ApiOptions options;
  const std::string path = request["path"].get<std::string>();
  http::Request asked{.method = "POST"};
  asked.headers["content-type"] = "application/json";
  if (const Result<> read = http::read_target(path, asked); !read) return call_reply(2, "", cli::error_text(read.error(), "frx"));
  std::string body = request["body"].dump(-1, ' ', true, Json::error_handler_t::replace);
  asked.parts.push_back({.content_type = "application/json", .bytes = std::move(body)});
  asked.parts.back().size = asked.parts.back().bytes.size();
  const std::vector<const serve::Endpoint*> endpoints = serve::endpoints();
  const auto at = std::ranges::find(endpoints, asked.path, &serve::Endpoint::path);
  if (at == endpoints.end()) return call_reply(2, "", fmt::format("frx_call: there is no {}\n", printable(asked.path)));
  http::Response response = (*at)->handler(asked, options);
  if (response.status < 400) return call_reply(0, std::move(response.body), "");
  const Json problem = Json::parse(response.body, nullptr, false);
  const auto text = [&](const char* name) { return problem.is_object() ? problem.value(name, std::string()) : std::string(); };
  const std::string where = text("where"), hint = text("hint");
  return call_reply(response.status == 400   ? 2
                    : response.status == 501 ? 4
                                             : 1,
                    "",
                    fmt::format("frx: {}{}\n{}", where.empty() ? "" : where + ": ", text("detail"),
                                hint.empty() ? "" : fmt::format("  hint: {}\n", hint)));
}

Reply call(std::string_view text) {
  const Json request = Json::parse(text, nullptr, false);
  if (std::optional<Reply> answer = posted(request)) return std::move(*answer);
  const std::optional<std::vector<std::string>> arguments = arguments_in(request);
  if (!arguments) return call_reply(2, "", "frx_call: expected {\"arguments\": [text, ...]} or {\"path\": text, \"body\": object}\n");
  cli::StringSink out, err;
  cli::Io io{.out = out, .err = err};
  const int code = cli::run(*arguments, io);
  return call_reply(code, out.text(), err.text());
}

}  // namespace
}  // namespace frx::capi

extern "C" {

int frx_call(const char* request, size_t size, char** reply) {
  return frx::capi::answered(reply, [&] { return frx::capi::call(frx::capi::view_of(request, size)); });
}

int frx_analyze_ptx_text(const char* text, size_t size, const char* gpu_model, char** reply) {
  return frx::capi::answered(reply, [&] {
    return frx::capi::reply_of(frx::capi::result_of(frx::capi::view_of(text, size), "text.ptx", &frx::ingest::ptx_format, gpu_model));
  });
}

int frx_analyze_ncu_csv_text(const char* text, size_t size, const char* gpu_model, char** reply) {
  return frx::capi::answered(
      reply, [&] { return frx::capi::reply_of(frx::capi::result_of(frx::capi::view_of(text, size), "text.csv", nullptr, gpu_model)); });
}

const char* frx_version(void) { return FRX_VERSION; }

void frx_free(char* reply) { std::free(reply); }
}
