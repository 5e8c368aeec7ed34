#include "http/post.h"

#include <dlfcn.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>

#include "base/library_function.h"
#include "base/loopback.h"
#include "base/memory_budget.h"
#include "base/text.h"

namespace frx::http {
namespace {

// From the public documentation of libcurl, whose numbers never change.
constexpr int option_write_data = 10001, option_url = 10002, option_post_fields = 10015, option_user_agent = 10018, option_headers = 10023,
              option_write_function = 20011, option_post_size = 30120, option_no_signal = 99, option_time_limit = 155,
              option_connect_limit = 156, option_protocols = 181, option_error_buffer = 10010, option_no_progress = 43,
              option_progress_data = 10057, option_progress_function = 20219, option_open_socket = 20163, option_proxy = 10004;
constexpr int info_response_code = 0x200002, info_retry_after = 0x600039;
constexpr long http_and_https = 3;
constexpr long connect_limit_ms = 10'000;
constexpr std::size_t error_buffer_size = 256;

struct Taken {
  std::string body;
  std::size_t most = 0;
  bool is_too_large = false;
  std::exception_ptr thrown;  // no exception may leave through libcurl
};

std::size_t take_bytes(const char* bytes, std::size_t size, std::size_t count, void* into) {
  auto& taken = *static_cast<Taken*>(into);
  taken.is_too_large = size * count > taken.most - taken.body.size();
  if (taken.is_too_large) return 0;
  try {
    MemoryBudget::read(size * count);
    taken.body.append(bytes, size * count);
  } catch (...) {
    taken.thrown = std::current_exception();
    return 0;
  }
  return size * count;
}

// As libcurl declares it, up to the address.
struct SocketOfCurl {
  int family, type, protocol;
};

// Programs that are started meanwhile get nothing of it.
int open_socket(void*, int, const SocketOfCurl* wanted) { return ::socket(wanted->family, wanted->type | SOCK_CLOEXEC, wanted->protocol); }

// libcurl would send it to the proxy of the environment as to any other host, unencrypted and with its password.
bool is_unencrypted_to_itself(std::string_view lower_case_url) {
  return lower_case_url.starts_with("http://") && is_loopback(host_of(lower_case_url));
}

int look_whether_cancelled(void* flag, long long, long long, long long, long long) {
  return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0;
}

}  // namespace

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

std::string_view host_of(std::string_view url) {
  std::string_view rest = url.substr(url.find("://") + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) rest.remove_prefix(at + 1);
  if (rest.starts_with('[')) return rest.substr(1, rest.find(']') - 1);
  return rest.substr(0, rest.find(':'));
}

bool is_unencrypted_to_others(std::string_view lower_case_url) {
  return lower_case_url.starts_with("http://") && !is_loopback(host_of(lower_case_url));
}

std::string with_path(const std::string& url, std::string_view path) {
  const std::size_t end = std::min(url.size(), url.find_first_of("?#"));
  std::string made = url.substr(0, end);
  while (made.ends_with('/')) made.pop_back();
  if (!made.ends_with(path)) made += path;
  return made + url.substr(end);
}

std::string shown_url(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t end = std::min(url.size(), url.find_first_of("/?#", host));
  const std::size_t user = std::string_view(url).substr(0, end).rfind('@');
  const std::string place = url.substr(user != url.npos && user >= host ? user + 1 : host);
  return url.substr(0, host) + place.substr(0, place.find_first_of("?#"));
}

Result<HttpAnswer> post_by_http(const CurlFunctions& curl, const HttpPost& post) {
  const std::unique_ptr<void, void (*)(void*)> handle(curl.init(), curl.cleanup);
  if (!handle) return fail(ErrorKind::environment, "libcurl cannot be used");
  void* headers = nullptr;
  for (const std::string& header : post.headers) headers = curl.append(headers, header.c_str());
  const std::unique_ptr<void, void (*)(void*)> kept_headers(headers, curl.free_list);
  Taken taken{.body = {}, .most = post.most_answer, .thrown = nullptr};
  std::array<char, error_buffer_size> message{};
  curl.set(handle.get(), option_url, post.url.c_str());
  curl.set(handle.get(), option_protocols, http_and_https);
  curl.set(handle.get(), option_post_fields, post.body.data());
  curl.set(handle.get(), option_post_size, static_cast<long long>(post.body.size()));
  curl.set(handle.get(), option_headers, headers);
  curl.set(handle.get(), option_user_agent, "frx");
  curl.set(handle.get(), option_write_function, take_bytes);
  curl.set(handle.get(), option_write_data, static_cast<void*>(&taken));
  curl.set(handle.get(), option_no_signal, 1L);
  curl.set(handle.get(), option_time_limit, static_cast<long>(post.time_limit.count()));
  curl.set(handle.get(), option_connect_limit, connect_limit_ms);
  curl.set(handle.get(), option_error_buffer, message.data());
  curl.set(handle.get(), option_open_socket, open_socket);
  if (is_unencrypted_to_itself(to_lower(post.url))) curl.set(handle.get(), option_proxy, "");
  if (post.is_cancelled != nullptr) {
    curl.set(handle.get(), option_no_progress, 0L);
    curl.set(handle.get(), option_progress_function, look_whether_cancelled);
    curl.set(handle.get(), option_progress_data, const_cast<void*>(static_cast<const void*>(post.is_cancelled)));
  }
  const int code = curl.perform(handle.get());
  if (taken.thrown) std::rethrow_exception(taken.thrown);
  if (taken.is_too_large)
    return fail(ErrorKind::malformed, "the answer is larger than {} MiB", post.most_answer >> 20).at(shown_url(post.url));
  if (code != 0) {
    const std::string why = message[0] != '\0' ? message.data() : curl.error(code);
    return fail(ErrorKind::environment, "the endpoint did not answer: {}", printable(shorten(why, 160))).at(shown_url(post.url));
  }
  HttpAnswer answer{.body = std::move(taken.body)};
  curl.info(handle.get(), info_response_code, &answer.status);
  curl.info(handle.get(), info_retry_after, &answer.retry_after_s);
  return answer;
}

}  // namespace frx::http
