// What torch.compile wrote about itself: why it compiled a function again, where it gave up, and which graphs CUDA did not capture
// (TORCH_LOGS=recompiles,cudagraphs).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace frx::model {

// A check that a compiled graph relies on, and that an input did not pass.
struct GuardFailure {
  enum class Kind : std::uint8_t { stride, size, rank, type, requires_grad, other };
  Kind kind = Kind::other;
  std::string entry;                             // whose check it is, "0/1"; "": the log does not say
  std::string tensor;                            // as the program calls it, "L['x']"; "": not of a tensor
  std::optional<std::int64_t> index;             // which dimension; of strides and sizes
  std::optional<std::int64_t> expected, actual;  // of a dimension; absent where they are no numbers
  std::string text;                              // the message, shortened
};

struct LoggedPlace {
  std::string function, file;
  std::uint64_t line = 0;  // 0: not said
  friend auto operator<=>(const LoggedPlace&, const LoggedPlace&) = default;
};

struct Recompilation {
  LoggedPlace place;       // of the function that was compiled again
  std::string compile_id;  // "0/2"; "": the log does not say
  std::int64_t rank = -1;  // -1: not said
  std::uint64_t log_line = 0;
  std::vector<GuardFailure> failures;  // of each graph that was there before
};

// torch.compile gave up on a function, which runs without it from then on.
struct CompileLimit {
  LoggedPlace place;
  std::string setting;  // "recompile_limit"
  std::uint64_t limit = 0;
  std::optional<GuardFailure> reason;  // the last one
  std::uint64_t log_line = 0;
};

// A graph that is run without CUDA graphs.
struct GraphSkip {
  std::string reason;          // "mutated inputs (1 instances)"
  LoggedPlace place;           // innermost, where the log has a stack; else empty
  std::uint64_t log_line = 0;  // of the first
  std::uint64_t times = 1;     // the same reason at the same place
};

struct DynamoLog {
  std::string name;                           // of the file
  std::vector<Recompilation> recompilations;  // in the order of the log
  std::vector<CompileLimit> limits;
  std::vector<GraphSkip> skips;
  std::map<std::uint64_t, std::uint64_t> recordings;  // function of the tree of CUDA graphs: how often it was recorded
  std::uint64_t lines = 0;
  std::uint64_t left_out = 0;  // messages beyond `most_messages`
};

inline constexpr std::size_t most_messages = 100'000;

}  // namespace frx::model
