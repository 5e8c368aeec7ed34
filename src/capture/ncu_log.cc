#include "capture/ncu_log.h"

#include <array>
#include <charconv>

#include "base/text.h"

namespace frx::capture {
namespace {

constexpr std::size_t kept_errors = 20;
constexpr std::size_t kept_kernels = 20;

class LogReader {
 public:
  void line(std::string_view text) {
    text = trim(text);
    if (text.starts_with("==ERROR==")) {
      error(trim(text.substr(9)));
    } else if (text.starts_with("==WARNING==") && text.find("No kernels were profiled") != text.npos) {
      log_.no_kernels = true;
    } else if (text.starts_with("Available Kernels:")) {
      in_kernels_ = true;
    } else if (in_kernels_) {
      kernel(text);
    } else if (text.starts_with("\"ID\"")) {
      has_header_ = true;
    } else if (has_header_ && text.size() > 1 && text[0] == '"' && text[1] >= '0' && text[1] <= '9') {
      log_.has_table = true;  // a row of a launch, not the row of units
    }
  }

  NcuLog take() { return std::move(log_); }

 private:
  void error(std::string_view text) {
    constexpr std::string_view unknown = "Failed to find metric";
    constexpr std::string_view code = "The application returned an error code (";
    if (text.starts_with(unknown)) {
      log_.unknown_counters.push_back(printable(trim(text.substr(unknown.size()))));
    } else if (text.starts_with(code)) {
      int value = 0;
      std::from_chars(text.data() + code.size(), text.data() + text.size(), value);
      log_.application_code = value;
    }
    if (log_.errors.size() < kept_errors) log_.errors.push_back(printable(text));
  }

  // "1. vector_add"
  void kernel(std::string_view text) {
    const std::size_t dot = text.find(". ");
    in_kernels_ = dot != text.npos && text.find_first_not_of("0123456789") == dot;
    if (in_kernels_ && log_.available_kernels.size() < kept_kernels) {
      log_.available_kernels.push_back(printable(text.substr(dot + 2)));
    }
  }

  NcuLog log_;
  bool has_header_ = false;
  bool in_kernels_ = false;
};

// The plain beginning of "regex:^smsp__nothing\.(sum|avg)$": "smsp__nothing."
std::string plain_prefix(std::string_view pattern) {
  std::string prefix;
  for (std::size_t i = pattern.starts_with('^') ? 1 : 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      prefix += pattern[++i];
    } else if (std::string_view("()[]*+?|$.").find(pattern[i]) != std::string_view::npos) {
      break;
    } else {
      prefix += pattern[i];
    }
  }
  while (prefix.ends_with('.')) prefix.pop_back();
  return prefix;
}

}  // namespace

bool NcuLog::mentions(std::string_view words) const {
  for (const std::string& error : errors) {
    if (contains_ignoring_case(error, words)) return true;
  }
  return false;
}

Result<NcuLog> read_ncu_log(ByteSource& log) {
  LogReader reader;
  std::string line;
  std::array<char, 65536> buffer;
  constexpr std::size_t enough = 4096;  // of a line: only its beginning matters
  while (true) {
    TRY_ASSIGN(const std::size_t got, log.read(buffer));
    if (got == 0) break;
    std::string_view rest(buffer.data(), got);
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      line.append(rest.substr(0, std::min(end, enough)));
      reader.line(line);
      line.clear();
      rest.remove_prefix(end + 1);
    }
    if (line.size() < enough) line.append(rest.substr(0, enough));
  }
  if (!line.empty()) reader.line(line);
  return reader.take();
}

bool is_meant(std::string_view unknown, std::string_view counter) {
  if (!unknown.starts_with("regex:")) return unknown == counter;
  const std::string prefix = plain_prefix(unknown.substr(6));
  return !prefix.empty() && (counter == prefix || (counter.starts_with(prefix) && counter[prefix.size()] == '.'));
}

}  // namespace frx::capture
