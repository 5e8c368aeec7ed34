#include "capture/endpoint.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/text.h"
#include "capture/gpu/driver_library.h"

namespace frx::capture {
namespace {

constexpr std::size_t largest_answer = std::size_t{8} << 20;
constexpr std::string_view path_of_chat = "/chat/completions";

// From the public documentation of libcurl, whose numbers never change.
constexpr int option_write_data = 10001, option_url = 10002, option_post_fields = 10015, option_user_agent = 10018, option_headers = 10023,
              option_write_function = 20011, option_post_size = 30120, option_no_signal = 99, option_time_limit = 155,
              option_connect_limit = 156, option_protocols = 181, option_error_buffer = 10010;
constexpr int info_response_code = 0x200002;
constexpr long http_and_https = 3;
constexpr long connect_limit_ms = 10'000;
constexpr std::size_t error_buffer_size = 256;

struct CurlFunctions {
  void* (*init)();
  void (*cleanup)(void*);
  int (*set)(void*, int, ...);
  int (*perform)(void*);
  int (*info)(void*, int, ...);
  const char* (*error)(int);
  void* (*append)(void*, const char*);
  void (*free_list)(void*);
};

Result<CurlFunctions> load_curl() {
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"}) {
    if ((library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  }
  if (!library) return fail(ErrorKind::environment, "calling an endpoint needs libcurl").hint("apt-get install libcurl4");
  CurlFunctions curl{};
  find_function(library, curl.init, {"curl_easy_init"});
  find_function(library, curl.cleanup, {"curl_easy_cleanup"});
  find_function(library, curl.set, {"curl_easy_setopt"});
  find_function(library, curl.perform, {"curl_easy_perform"});
  find_function(library, curl.info, {"curl_easy_getinfo"});
  find_function(library, curl.error, {"curl_easy_strerror"});
  find_function(library, curl.append, {"curl_slist_append"});
  find_function(library, curl.free_list, {"curl_slist_free_all"});
  const bool complete = curl.init && curl.cleanup && curl.set && curl.perform && curl.info && curl.error && curl.append && curl.free_list;
  if (!complete) return fail(ErrorKind::environment, "the libcurl of this machine lacks a function");
  return curl;
}

// The host of a URL, without user, port and path.
std::string_view host_of(std::string_view url) {
  std::string_view rest = url.substr(url.find("://") + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) rest.remove_prefix(at + 1);
  if (rest.starts_with('[')) return rest.substr(1, rest.find(']') - 1);
  return rest.substr(0, rest.find(':'));
}

Result<std::string> checked_url(const EndpointRequest& request) {
  const std::string lower = to_lower(request.url);
  const bool is_http = lower.starts_with("http://");
  if (!is_http && !lower.starts_with("https://"))
    return fail(ErrorKind::usage, "expected http:// or https:// as --endpoint, found '{}'", printable(shorten(request.url, 80)));
  const std::string_view host = host_of(lower);
  const bool is_here = host == "localhost" || host.starts_with("127.") || host == "::1";
  if (is_http && !is_here && !request.api_key.empty()) {
    return fail(ErrorKind::usage, "a key does not go unencrypted to another machine ({})", printable(shorten(std::string(host), 80)))
        .hint("use https, or leave the key out");
  }
  const std::size_t end_of_path = std::min(request.url.size(), request.url.find_first_of("?#"));
  std::string url = request.url.substr(0, end_of_path);
  while (url.ends_with('/')) url.pop_back();
  if (!url.ends_with(path_of_chat)) url += path_of_chat;
  return url + request.url.substr(end_of_path);
}

std::size_t take_bytes(const char* bytes, std::size_t size, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > largest_answer) return 0;
  body.append(bytes, size * count);
  return size * count;
}

// For messages: without the user and the password that a URL may have, and without its query, which may be a key.
std::string shown_url(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t end = std::min(url.size(), url.find_first_of("/?#", host));
  const std::size_t user = std::string_view(url).substr(0, end).rfind('@');
  const std::string place = url.substr(user != url.npos && user >= host ? user + 1 : host);
  return url.substr(0, host) + place.substr(0, place.find_first_of("?#"));
}

struct HttpAnswer {
  long status = 0;
  std::string body;
};

Result<HttpAnswer> post_once(const CurlFunctions& curl, const std::string& url, const EndpointRequest& request) {
  const std::unique_ptr<void, void (*)(void*)> handle(curl.init(), curl.cleanup);
  if (!handle) return fail(ErrorKind::environment, "libcurl cannot be used");
  void* headers = curl.append(nullptr, "Content-Type: application/json");
  const std::string key = "Authorization: Bearer " + request.api_key;
  if (!request.api_key.empty()) headers = curl.append(headers, key.c_str());
  const std::unique_ptr<void, void (*)(void*)> kept_headers(headers, curl.free_list);
  HttpAnswer answer;
  std::array<char, error_buffer_size> message{};
  curl.set(handle.get(), option_url, url.c_str());
  curl.set(handle.get(), option_protocols, http_and_https);
  curl.set(handle.get(), option_post_fields, request.body.c_str());
  curl.set(handle.get(), option_post_size, static_cast<long long>(request.body.size()));
  curl.set(handle.get(), option_headers, headers);
  curl.set(handle.get(), option_user_agent, "frx");
  curl.set(handle.get(), option_write_function, take_bytes);
  curl.set(handle.get(), option_write_data, static_cast<void*>(&answer.body));
  curl.set(handle.get(), option_no_signal, 1L);
  curl.set(handle.get(), option_time_limit, static_cast<long>(request.time_limit.count()));
  curl.set(handle.get(), option_connect_limit, connect_limit_ms);
  curl.set(handle.get(), option_error_buffer, message.data());
  const int code = curl.perform(handle.get());
  if (code != 0) {
    const std::string why = message[0] != '\0' ? message.data() : curl.error(code);
    return fail(ErrorKind::environment, "the endpoint did not answer: {}", printable(shorten(why, 160))).at(shown_url(url));
  }
  curl.info(handle.get(), info_response_code, &answer.status);
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
  TRY_ASSIGN(const CurlFunctions curl, load_curl());
  std::chrono::milliseconds pause{500};
  for (int attempt = 1;; ++attempt) {
    TRY_ASSIGN(HttpAnswer answer, post_once(curl, url, request));
    if (answer.status >= 200 && answer.status < 300) return std::move(answer.body);
    const bool may_pass = answer.status == 429 || answer.status >= 500;
    if (!may_pass || attempt >= request.attempts)
      return fail(ErrorKind::environment, "the endpoint answers with status {}: {}", answer.status, complaint_in(answer.body))
          .at(shown_url(url));
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
  if (!text_at) return fail(ErrorKind::environment, "expected choices[0].message.content of a chat completion").at(shown_url(url));
  return text_at->get<std::string>();
}

}  // namespace frx::capture
