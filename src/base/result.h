// How a failure travels: as a value that says what kind it is, where it happened and what to do.
//
// Every function that can fail returns Result<T>. TRY and TRY_ASSIGN pass a failure on.
// Nothing of ours throws; exceptions of third-party libraries stop in the adapter that calls them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace frx {

// What the caller can do about it; decides the exit code of the program.
enum class ErrorKind {
  usage,        // the command line is wrong: exit 2
  unreadable,   // a file cannot be opened or read: exit 1
  malformed,    // a file is not what it should be: exit 1
  negative,     // the documented "no" of a command (no winner, a gate not met): exit 1
  stopped,      // the caller stopped the analysis: exit 1
  not_enough,   // evidence is missing or not comparable: exit 3
  environment,  // a tool, a driver or a permission is missing: exit 4
};

int exit_code(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::malformed;
  std::string message;  // what was expected, what was found; lower case, no full stop
  std::string where;    // "file", "file:line" or empty
  std::string hint;     // the next step for the person, or empty
};

// "where: message" and, on a second line, "  hint: ..." when there is one.
std::string to_string(const Error& error);
// "message; hint" on one line, for a report that goes on without what failed.
std::string in_one_line(const Error& error);

// A wrapper so that `return malformed(...)` converts to any Result<T>.
struct Failure {
  Error error;

  Failure&& hint(std::string text) && {
    error.hint = std::move(text);
    return std::move(*this);
  }
  Failure&& at(std::string place) && {
    error.where = std::move(place);
    return std::move(*this);
  }
};

template <typename... Args>
Failure fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Failure{Error{kind, fmt::format(format, std::forward<Args>(args)...), {}, {}}};
}

// A class, not an alias, so that [[nodiscard]] sticks and a Failure converts without ceremony.
template <typename T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Failure failure)  // NOLINT(google-explicit-constructor)
      : tl::expected<T, Error>(tl::unexpect, std::move(failure.error)) {}
};

}  // namespace frx

#define FRX_CONCAT_IMPL(a, b) a##b
#define FRX_CONCAT(a, b) FRX_CONCAT_IMPL(a, b)

// Runs `expression`; on failure returns its error to our own caller.
#define TRY(expression)                                  \
  do {                                                   \
    if (auto result_ = (expression); !result_) {         \
      return ::frx::Failure{std::move(result_).error()}; \
    }                                                    \
  } while (false)

// `TRY_ASSIGN(const Session session, load(path));`
#define TRY_ASSIGN(declaration, expression) TRY_ASSIGN_IMPL(FRX_CONCAT(result_, __LINE__), declaration, expression)
#define TRY_ASSIGN_IMPL(result, declaration, expression)         \
  auto result = (expression);                                    \
  if (!result) return ::frx::Failure{std::move(result).error()}; \
  declaration = std::move(*result)
