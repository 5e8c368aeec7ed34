#include "http/message.h"

#include <algorithm>
#include <charconv>

#include "answer/json.h"
#include "base/text.h"

namespace frx::http {
namespace {

std::string_view value_of(const std::map<std::string, std::string, std::less<>>& all, std::string_view name) {
  const auto at = all.find(name);
  return at == all.end() ? std::string_view() : std::string_view(at->second);
}

}  // namespace

std::string_view Request::header(std::string_view name) const { return value_of(headers, name); }

std::string_view Request::parameter(std::string_view name) const { return value_of(query, name); }

std::string Request::media_type() const {
  const std::string_view type = header("content-type");
  return to_lower(trim(type.substr(0, type.find(';'))));
}

std::string_view reason_of(int status) {
  static const std::map<int, std::string_view> reasons = {
      {200, "OK"},
      {204, "No Content"},
      {304, "Not Modified"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {421, "Misdirected Request"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  };
  const auto at = reasons.find(status);
  return at == reasons.end() ? std::string_view() : at->second;
}

Response problem(int status, std::string_view detail, std::string_view hint, std::string_view where) {
  answer::Json body = {{"type", "about:blank"}, {"title", reason_of(status)}, {"status", status}, {"detail", detail}};
  if (!hint.empty()) body["hint"] = hint;
  if (!where.empty()) body["where"] = where;
  return {status, "application/problem+json", answer::json_text(body)};
}

Response problem(const Error& error) { return problem(status_of(error), error.message, error.hint, error.where); }

int status_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage: return 400;
    case ErrorKind::stopped: return 503;
    case ErrorKind::environment: return 501;
    case ErrorKind::unreadable:
    case ErrorKind::malformed:
    case ErrorKind::negative:
    case ErrorKind::not_enough: break;
  }
  return 422;
}

std::string event_text(std::string_view event, std::string_view data) {
  std::string text = fmt::format("event: {}\n", event);
  if (data.ends_with('\n')) data.remove_suffix(1);
  for (const std::string_view line : split(data, '\n')) text += fmt::format("data: {}\n", line);
  return text += '\n';
}

Result<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[i] == '%') {
      unsigned value = 0;
      const char* const begin = text.data() + i + 1;
      if (text.size() - i < 3 || std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2)
        return fail(ErrorKind::usage, "expected two hexadecimal digits behind '%' in the address");
      if (value == 0) return fail(ErrorKind::usage, "the address has a byte 0");
      decoded += static_cast<char>(value);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

Result<> read_target(std::string_view target, Request& request) {
  if (!target.starts_with('/')) return fail(ErrorKind::usage, "expected an address that begins with '/'");
  const std::size_t mark = target.find('?');
  TRY_ASSIGN(request.path, percent_decoded(target.substr(0, mark)));
  if (mark == target.npos) return {};
  for (const std::string_view pair : split(target.substr(mark + 1), '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    TRY_ASSIGN(std::string name, percent_decoded(pair.substr(0, equals), true));
    TRY_ASSIGN(std::string value, percent_decoded(equals == pair.npos ? "" : pair.substr(equals + 1), true));
    request.query[std::move(name)] = std::move(value);
  }
  return {};
}

}  // namespace frx::http
