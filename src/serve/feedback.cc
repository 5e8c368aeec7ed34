#include "serve/feedback.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

constexpr std::size_t longest_text = 10'000;
constexpr std::uint64_t largest_file = std::uint64_t{64} << 20;

Failure nowhere() { return fail(ErrorKind::environment, "this server keeps no feedback").hint("start it with --feedback FILE"); }

Result<Json> entry_in(const Json& given) {
  Json entry = Json::object();
  for (const std::string_view member : {"run_id", "rec_id", "outcome", "notes"}) {
    TRY_ASSIGN(const std::optional<std::string> text, text_in(given, member));
    if (!text && member != "notes") return fail(ErrorKind::usage, "expected a text").at(std::string(member));
    if (text && text->size() > longest_text)
      return fail(ErrorKind::usage, "expected at most {} bytes", longest_text).at(std::string(member));
    entry[std::string(member)] = text ? Json(*text) : Json();
  }
  return entry;
}

// One write behind a lock: lines of two servers do not mix.
Result<> append(const std::string& file, const std::string& line) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail(ErrorKind::unreadable, "cannot keep the feedback: {}", std::strerror(errno));
  ::flock(descriptor, LOCK_EX);
  const ssize_t written = ::write(descriptor, line.data(), line.size());
  const int closed = ::close(descriptor);
  if (written == static_cast<ssize_t>(line.size()) && closed == 0) return {};
  return fail(ErrorKind::unreadable, "cannot keep the feedback: {}", std::strerror(errno));
}

}  // namespace

http::Response keep_feedback(http::Request& request, const std::string& file) {
  return answered([&]() -> Result<http::Response> {
    if (file.empty()) return nowhere();
    TRY_ASSIGN(const Asked asked, Asked::in(request));
    if (!asked.has_json()) return fail(ErrorKind::usage, "expected a JSON object");
    TRY_ASSIGN(Json entry, entry_in(asked.json()));
    const std::string id = sha256(entry.dump(-1, ' ', true, Json::error_handler_t::replace)).substr(0, 16);
    entry["id"] = id;
    TRY(append(file, entry.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n"));
    return http::Response{.body = answer::json_text(Json{{"ok", true}, {"id", id}})};
  });
}

http::Response show_feedback(const std::string& file) {
  return answered([&]() -> Result<http::Response> {
    if (file.empty()) return nowhere();
    Json all = Json::array();
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) {
      TRY_ASSIGN(const std::string text, read_file(file, largest_file));
      for (const std::string_view line : split(text, '\n')) {
        Json entry = Json::parse(line, nullptr, false);
        if (entry.is_object()) all.push_back(std::move(entry));
      }
    }
    return http::Response{.body = answer::json_text(Json{{"feedback", std::move(all)}})};
  });
}

}  // namespace frx::serve
