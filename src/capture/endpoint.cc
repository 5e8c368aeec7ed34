#include "capture/endpoint.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/text.h"
#include "http/post.h"

namespace frx::capture {
namespace {

constexpr std::string_view path_of_chat = "/chat/completions";

Result<std::string> checked_url(const EndpointRequest& request) {
  const std::string lower = to_lower(request.url);
  if (!lower.starts_with("http://") && !lower.starts_with("https://"))
    return fail(ErrorKind::usage, "expected http:// or https:// as --endpoint, found '{}'", printable(shorten(request.url, 80)));
  if (http::is_unencrypted_to_others(lower) && !request.api_key.empty()) {
    return fail(ErrorKind::usage, "a key does not go unencrypted to another machine ({})", printable(shorten(http::host_of(lower), 80)))
        .hint("use https, or leave the key out");
  }
  return http::with_path(request.url, path_of_chat);
}

Result<http::HttpAnswer> post_once(const http::CurlFunctions& curl, const std::string& url, const EndpointRequest& request) {
  http::HttpPost post{.url = url, .headers = {"Content-Type: application/json"}, .body = request.body, .time_limit = request.time_limit};
  if (!request.api_key.empty()) post.headers.push_back("Authorization: Bearer " + request.api_key);
  Result<http::HttpAnswer> answer = http::post_by_http(curl, post);
  // An answer without end is none.
  if (!answer && answer.error().kind == ErrorKind::malformed)
    return fail(ErrorKind::environment, "the endpoint did not answer: {}", answer.error().message).at(answer.error().where);
  return answer;
}

// "message" of an error in JSON, else the first line.
std::string complaint_in(const std::string& body) {
  const nlohmann::json value = nlohmann::json::parse(body, nullptr, false);
  if (value.is_object() && value.contains("error")) {
    const nlohmann::json& error = value["error"];
    if (error.is_string()) return shorten(printable(error.get<std::string>()), 200);
    if (error.is_object() && error.contains("message") && error["message"].is_string())
      return shorten(printable(error["message"].get<std::string>()), 200);
  }
  return shorten(printable(trim(std::string_view(body).substr(0, body.find('\n')))), 200);
}

}  // namespace

Result<std::string> ask_endpoint(const EndpointRequest& request) {
  TRY_ASSIGN(const std::string url, checked_url(request));
  TRY_ASSIGN(const http::CurlFunctions curl, http::load_curl());
  std::chrono::milliseconds pause{500};
  for (int attempt = 1;; ++attempt) {
    TRY_ASSIGN(http::HttpAnswer answer, post_once(curl, url, request));
    if (answer.status >= 200 && answer.status < 300) return std::move(answer.body);
    const bool may_pass = answer.status == 429 || answer.status >= 500;
    if (!may_pass || attempt >= request.attempts)
      return fail(ErrorKind::environment, "the endpoint answers with status {}: {}", answer.status, complaint_in(answer.body))
          .at(http::shown_url(url));
    std::this_thread::sleep_for(pause);
    pause *= 2;
  }
}

Result<std::string> reply_in(const std::string& body, const std::string& url) {
  const nlohmann::json value = nlohmann::json::parse(body, nullptr, false);
  const auto text_at = [&]() -> const nlohmann::json* {
    if (!value.is_object() || !value.contains("choices") || !value["choices"].is_array() || value["choices"].empty()) return nullptr;
    const nlohmann::json& choice = value["choices"][0];
    if (!choice.is_object() || !choice.contains("message") || !choice["message"].is_object()) return nullptr;
    const auto content = choice["message"].find("content");
    return content != choice["message"].end() && content->is_string() ? &*content : nullptr;
  }();
  if (!text_at) return fail(ErrorKind::environment, "expected choices[0].message.content of a chat completion").at(http::shown_url(url));
  return text_at->get<std::string>();
}

}  // namespace frx::capture
