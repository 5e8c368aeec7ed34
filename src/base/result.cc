#include "base/result.h"

namespace frx {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return 2;
    case ErrorKind::unreadable:
    case ErrorKind::malformed:
    case ErrorKind::negative:
    case ErrorKind::stopped: return 1;
    case ErrorKind::not_enough: return 3;
    case ErrorKind::environment: return 4;
  }
  return 1;
}

std::string to_string(const Error& error) {
  std::string text = error.where.empty() ? error.message : error.where + ": " + error.message;
  if (!error.hint.empty()) text += "\n  hint: " + error.hint;
  return text;
}

std::string in_one_line(const Error& error) { return error.message + (error.hint.empty() ? "" : "; " + error.hint); }

}  // namespace frx
