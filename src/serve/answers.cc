#include "serve/answers.h"

#include <algorithm>
#include <array>

#include "answer/json_object.h"
#include "base/safe_text.h"
#include "base/text.h"
#include "render/html.h"
#include "render/render.h"

namespace frx::serve {
namespace {

struct Form {
  std::string_view format, media_type;
};
constexpr std::array<Form, 5> forms = {{{"json", "application/json"},
                                        {"text", "text/plain"},
                                        {"markdown", "text/markdown"},
                                        {"html", "text/html"},
                                        {"sarif", "application/sarif+json"}}};

// The first of what a client accepts that there is; JSON where it says nothing, or */*.
Result<std::string> format_asked(const Asked& asked, const http::Request& request) {
  TRY_ASSIGN(std::string format, asked.option("format"));
  if (!format.empty()) return format;
  const std::string_view accepted = request.header("accept");
  if (accepted.empty()) return std::string("json");
  for (const std::string_view one : split(accepted, ',')) {
    const std::string type = to_lower(trim(one.substr(0, one.find(';'))));
    if (type == "*/*" || type == "application/*") return std::string("json");
    const auto* const form = std::ranges::find(forms, std::string_view(type), &Form::media_type);
    if (form != forms.end()) return std::string(form->format);
  }
  return std::string("json");
}

std::string_view media_type_of(std::string_view format) {
  const auto* const form = std::ranges::find(forms, format, &Form::format);
  return form == forms.end() ? "text/plain" : form->media_type;
}

// An event for each hundredth of a file that was read.
std::function<void(std::uint64_t)> progress_of(const http::Request& request, const std::string& name, std::uint64_t bytes) {
  return [emit = request.emit, name, bytes, told = std::uint64_t{0}](std::uint64_t read) mutable {
    const std::uint64_t percent = bytes == 0 ? 0 : std::min<std::uint64_t>(read * 100 / bytes, 100);
    if (percent <= told) return;
    told = percent;
    emit("progress", answer::compact_json([&](answer::JsonObject& out) { out.add("file", name, "bytes_read", read, "bytes", bytes); }));
  };
}

}  // namespace

Result<analyse::Options> options_of(const Asked& asked, const http::Request& request, const ApiOptions& api) {
  analyse::Options options{.knowledge = api.knowledge, .stop = request.stop};
  TRY_ASSIGN(const std::string format, format_asked(asked, request));
  options.knowledge.with_figures = render::draws_figures(format);
  if (request.emit) {
    options.progress = [&request](const std::string& name, std::uint64_t bytes) { return progress_of(request, name, bytes); };
    options.files_done = [&request](std::size_t done, std::size_t all) {
      request.emit("progress", answer::compact_json([&](answer::JsonObject& out) { out.add("files_done", done, "files", all); }));
    };
  }
  TRY_ASSIGN(std::string gpu, asked.option("gpu_model"));
  if (gpu.empty() && asked.has_json() && asked.json().contains("environment") && asked.json()["environment"].is_object()) {
    TRY_ASSIGN(const std::optional<std::string> named, text_in(asked.json()["environment"], {"gpu_model", "gpu_type"}));
    gpu = named.value_or("");
  }
  if (!gpu.empty()) {
    options.knowledge.gpu_model = std::move(gpu);
    options.knowledge.gpu_is_fallback = false;
  }
  TRY_ASSIGN(options.knowledge.pedantic, asked.flag("pedantic"));
  TRY_ASSIGN(const std::string scope, asked.option("scope"));
  if (!scope.empty()) options.scope = scope;
  if (options.scope != "run" && options.scope != "steady_state" && options.scope != "auto")
    return fail(ErrorKind::usage, "expected run, steady_state or auto, found {}", printable(options.scope)).at("scope");
  return options;
}

http::Response result_of(const answer::Answer& answer) {
  // Answers of one kind are about as long as each other: the memory for the next one is asked for at once.
  constexpr std::size_t most = std::size_t{1} << 20;
  thread_local std::size_t length_of_last = 0;
  http::Response response{.body = answer::json_text_of(answer.payload, std::min(most, length_of_last))};
  length_of_last = response.body.size();
  return response;
}

Result<http::Response> result_or_page(const answer::Answer& answer, const Asked& asked, const http::Request& request) {
  TRY_ASSIGN(const std::string format, format_asked(asked, request));
  if (format == "json") return result_of(answer);
  return rendered(answer, asked, request);
}

Result<http::Response> rendered(const answer::Answer& answer, const Asked& asked, const http::Request& request) {
  TRY_ASSIGN(const std::string format, format_asked(asked, request));
  http::Response response;
  const bool is_text = media_type_of(format).starts_with("text/");
  response.content_type = fmt::format("{}{}", media_type_of(format), is_text ? "; charset=utf-8" : "");
  TRY(render::render(answer, format, {80, false, answer::Detail::brief}, [&](std::string_view text) { response.body += text; }));
  if (format == "html") {
    // The page carries its style and its script inside.
    response.headers.emplace_back("Content-Security-Policy", render::content_security_policy() + "; frame-ancestors 'none'");
  } else if (is_text) {
    response.body = safe_text(response.body);
  }
  return response;
}

}  // namespace frx::serve
