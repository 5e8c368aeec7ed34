// POST over HTTP and TLS by libcurl, which is loaded when it is needed, as NVML is: nothing is linked against it.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::http {

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

// Environment: there is no libcurl.
Result<CurlFunctions> load_curl();

struct HttpPost {
  std::string url;                   // of http or https, checked by the caller
  std::vector<std::string> headers;  // "Content-Type: application/json"; never shown
  std::string_view body;             // has to outlive the call
  std::chrono::milliseconds time_limit{120'000};
  std::size_t most_answer = std::size_t{8} << 20;   // bytes
  const std::atomic<bool>* is_cancelled = nullptr;  // looked at about once a second while the request waits
};

struct HttpAnswer {
  long status = 0;
  long long retry_after_s = 0;  // what the answer asks for; 0: nothing
  std::string body;
};

// Follows no redirection. Environment: no answer, or not in time. Malformed: one that is too large.
Result<HttpAnswer> post_by_http(const CurlFunctions& curl, const HttpPost& post);

// The host of a URL, without user, port and path.
std::string_view host_of(std::string_view url);
// Whether what is sent there could be read on its way to another machine.
bool is_unencrypted_to_others(std::string_view lower_case_url);
// The URL with `path` behind its own, unless that ends so already; the query stays.
std::string with_path(const std::string& url, std::string_view path);
// For messages: without the user and the password that a URL may have, and without its query, which may be a key.
std::string shown_url(const std::string& url);

}  // namespace frx::http
