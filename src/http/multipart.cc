#include "http/multipart.h"

#include <algorithm>

#include "base/text.h"

namespace frx::http {
namespace {

constexpr std::size_t most_of_headers = 16 << 10;

// The value of a parameter: name="a \"b\".cu" or name=a. Browsers write a quote in a name as %22.
std::string parameter(std::string_view header, std::string_view name) {
  for (std::size_t at = header.find(';'); at < header.size();) {
    ++at;
    while (at < header.size() && header[at] == ' ') ++at;
    const std::size_t equals = std::min(header.find_first_of("=;", at), header.size());
    const bool is_it = to_lower(trim(header.substr(at, equals - at))) == name;
    at = equals;
    if (equals == header.size() || header[equals] == ';') continue;
    std::string value;
    if (++at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size() && (header[at + 1] == '"' || header[at + 1] == '\\')) ++at;
        value += header[at];
      }
      at = std::min(header.find(';', at), header.size());
    } else {
      const std::size_t end = std::min(header.find(';', at), header.size());
      value = trim(header.substr(at, end - at));
      at = end;
    }
    if (is_it) return value;
  }
  return "";
}

Part part_of(std::string_view headers) {
  Part part;
  for (std::string_view line : split(headers, '\n')) {
    line = trim(line);
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string name = to_lower(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "content-disposition") {
      part.field = parameter(value, "name");
      part.filename = parameter(value, "filename");
    } else if (name == "content-type") {
      part.content_type = to_lower(trim(value.substr(0, value.find(';'))));
    }
  }
  return part;
}

Failure no_form(std::string_view what) { return fail(ErrorKind::usage, "the form is damaged: {}", what); }

}  // namespace

std::string boundary_of(std::string_view content_type) {
  std::string boundary = parameter(content_type, "boundary");
  const bool is_allowed =
      !boundary.empty() && boundary.size() <= 70 && std::ranges::all_of(boundary, [](char c) { return c >= ' ' && c < '\x7F'; });
  return is_allowed ? boundary : "";
}

MultipartReader::MultipartReader(std::string_view boundary, Receiver receiver)
    : mark_(fmt::format("\r\n--{}", boundary)), receiver_(std::move(receiver)) {}

Result<> MultipartReader::read(std::string_view bytes) {
  held_ += bytes;
  for (bool goes_on = true; goes_on;) {
    TRY_ASSIGN(goes_on, step());
  }
  held_.erase(0, at_);
  at_ = 0;
  return {};
}

// Whether there may be more to do with what is held.
Result<bool> MultipartReader::step() {
  switch (state_) {
    case State::before: return read_boundary();
    case State::headers: return read_headers();
    case State::content: return read_content();
    case State::behind: at_ = held_.size(); return false;
  }
  return false;
}

Result<bool> MultipartReader::read_boundary() {
  const std::string_view all = rest();
  if (all.size() < mark_.size() + 2) return false;
  if (!all.starts_with(mark_)) return no_form("it does not begin with its boundary");
  const std::string_view behind = all.substr(mark_.size(), 2);
  if (behind != "--" && behind != "\r\n") return no_form("a boundary is not alone on its line");
  at_ += mark_.size();  // the line feed stays: a part may have no headers
  state_ = behind == "--" ? State::behind : State::headers;
  return true;
}

Result<bool> MultipartReader::read_headers() {
  const std::size_t end = rest().find("\r\n\r\n");
  if (std::min(end, rest().size()) > most_of_headers) return no_form("the headers of a part are too long");
  if (end == std::string_view::npos) return false;
  TRY(receiver_.begin(part_of(rest().substr(0, end))));
  at_ += end + 2;  // nothing may stand between the headers and the next boundary
  state_ = State::content;
  to_leave_out_ = 2;
  return true;
}

// All but what may be the begin of a boundary is passed on.
Result<bool> MultipartReader::read_content() {
  const std::string_view all = rest();
  const std::size_t found = all.find(mark_), least = found + mark_.size() + 2;
  if (found != all.npos && all.size() < least) return false;  // what stands behind it decides
  const std::string_view behind = found == all.npos ? "" : all.substr(found + mark_.size(), 2);
  const bool is_boundary = behind == "--" || behind == "\r\n";
  const std::size_t passed = is_boundary ? found : found != all.npos ? found + 2 : all.size() - std::min(all.size(), mark_.size() - 1);
  TRY(pass_on(all.substr(0, passed)));
  at_ += passed;
  if (is_boundary) state_ = State::before;
  return found != all.npos;
}

// Without the line feed that ends the headers.
Result<> MultipartReader::pass_on(std::string_view bytes) {
  const std::size_t left_out = std::min(bytes.size(), to_leave_out_);
  to_leave_out_ -= left_out;
  bytes.remove_prefix(left_out);
  return bytes.empty() ? Result<>() : receiver_.bytes(bytes);
}

Result<> MultipartReader::end() const {
  if (state_ == State::behind) return {};
  return no_form("its last boundary is missing");
}

}  // namespace frx::http
