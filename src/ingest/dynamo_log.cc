#include "ingest/dynamo_log.h"

#include <charconv>
#include <map>

#include "base/safe_text.h"
#include "base/text.h"
#include "ingest/line_reader.h"
#include "ingest/unpacked_source.h"

namespace frx::ingest {
namespace {

using model::GuardFailure;

constexpr std::size_t longest_text = 240;   // of a check or reason that is kept
constexpr std::size_t longest_name = 1024;  // of a function or file
constexpr std::size_t most_failures = 64;   // of one compilation
constexpr std::size_t most_ranks = 65'536;  // distinguished
constexpr std::string_view digits = "0123456789";

std::string kept(std::string_view text, std::size_t most) { return printable(shorten(trim(text), most)); }

// The number at the start of a text.
template <typename Number>
std::optional<Number> number_at(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

std::string_view behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == text.npos ? std::string_view() : text.substr(at + words.size());
}

// A line without what loggers put before the message.
struct Message {
  std::int64_t rank = -1;
  std::string_view compile_id;  // "0/1"; "": not said
  std::string_view text;
};

bool is_compile_id(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != text.npos && slash > 0 && text.find_first_not_of("0123456789/_!-") == text.npos;
}

// "V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] " of PyTorch 2.2 and later.
bool drop_glog(std::string_view& text) {
  const bool begins = text.size() > 5 && std::string_view("VDIWEC").find(text[0]) != std::string_view::npos &&
                      text.substr(1, 4).find_first_not_of(digits) == text.npos && text[5] == ' ';
  const std::size_t end = begins ? text.find(']') : text.npos;
  if (end == text.npos) return false;
  text.remove_prefix(end + 1);
  return true;
}

// "[...]" of a date, a compile id, an artifact or a rank.
bool drop_bracket(Message& message) {
  std::string_view& text = message.text;
  const std::size_t end = text.starts_with('[') ? text.find(']') : text.npos;
  if (end == text.npos) return false;
  const std::string_view inside = text.substr(1, end - 1);
  if (is_compile_id(inside)) {
    message.compile_id = inside;
  } else if (inside.starts_with("rank")) {
    message.rank = number_at<std::int64_t>(inside.substr(4)).value_or(message.rank);
  } else if (!inside.starts_with("__") && !inside.starts_with("20")) {
    return false;
  }
  text.remove_prefix(end + 1);
  if (text.starts_with(':')) text.remove_prefix(1);
  return true;
}

// "torch._dynamo.guards.__recompiles: [DEBUG] " and "WARNING:torch._inductor.utils:".
bool drop_logger(std::string_view& text) {
  const std::size_t level = text.find(": [");
  if (text.starts_with("torch") && level != text.npos && level < text.find(' ')) {
    const std::size_t end = text.find(']', level);
    if (end == text.npos) return false;
    text.remove_prefix(end + 1);
    return true;
  }
  for (const std::string_view word : {"DEBUG:torch", "INFO:torch", "WARNING:torch", "ERROR:torch"}) {
    const std::size_t end = text.starts_with(word) ? text.find(':', word.size()) : text.npos;
    if (end == text.npos) continue;
    text.remove_prefix(end + 1);
    return true;
  }
  return false;
}

Message message_of(std::string_view line) {
  constexpr int most_parts = 8;
  Message message{-1, {}, trim(line)};
  for (int i = 0; i < most_parts; ++i) {
    if (!drop_glog(message.text) && !drop_bracket(message) && !drop_logger(message.text)) break;
    message.text = trim(message.text);
  }
  return message;
}

// "/home/me/train.py:4".
void set_file(std::string_view text, model::LoggedPlace& place) {
  const std::size_t colon = text.rfind(':');
  const auto line = colon == text.npos ? std::nullopt : number_at<std::uint64_t>(text.substr(colon + 1));
  place.file = kept(line ? text.substr(0, colon) : text, longest_name);
  place.line = line.value_or(0);
}

// "fn in /home/me/train.py:4", "<graph break in fn> in train.py:4".
model::LoggedPlace place_of_function(std::string_view text) {
  model::LoggedPlace place;
  const std::size_t from = text.starts_with('<') ? text.find('>') : 0;
  const std::size_t in = text.find(" in ", from == text.npos ? 0 : from);
  place.function = kept(text.substr(0, in), longest_name);
  if (in != text.npos) set_file(text.substr(in + 4), place);
  return place;
}

// "'fn' (/home/me/train.py:4)".
model::LoggedPlace place_in_brackets(std::string_view text) {
  model::LoggedPlace place;
  const std::size_t bracket = text.find("' (");
  if (!text.starts_with('\'') || bracket == text.npos || bracket == 0) return place;
  place.function = kept(text.substr(1, bracket - 1), longest_name);
  set_file(text.substr(bracket + 3, text.rfind(')') - (bracket + 3)), place);
  return place;
}

struct MismatchWords {
  std::string_view words;
  GuardFailure::Kind kind;
};
constexpr MismatchWords mismatches[] = {
    {"' stride mismatch at index ", GuardFailure::Kind::stride},
    {"' strides mismatch at index ", GuardFailure::Kind::stride},
    {"' size mismatch at index ", GuardFailure::Kind::size},
    {"' rank mismatch", GuardFailure::Kind::rank},
    {"' dtype mismatch", GuardFailure::Kind::type},
    {"' requires_grad mismatch", GuardFailure::Kind::requires_grad},
};

// "0/0: tensor 'L['x']' stride mismatch at index 0. expected 8, actual 1", or a check that is written as code.
GuardFailure failure_of(std::string_view text) {
  GuardFailure failure;
  const std::size_t colon = text.find(": ");
  if (colon != text.npos && is_compile_id(text.substr(0, colon))) {
    failure.entry = text.substr(0, colon);
    text.remove_prefix(colon + 2);
  }
  failure.text = kept(text, longest_text);
  const std::string_view tensor = behind(text, "tensor '");
  for (const MismatchWords& one : mismatches) {
    const std::size_t end = tensor.find(one.words);
    if (end == tensor.npos) continue;
    failure.kind = one.kind;
    failure.tensor = kept(tensor.substr(0, end), longest_name);
    const std::string_view rest = tensor.substr(end + one.words.size());
    if (one.kind == GuardFailure::Kind::stride || one.kind == GuardFailure::Kind::size) {
      failure.index = number_at<std::int64_t>(rest);
      failure.expected = number_at<std::int64_t>(behind(rest, "expected "));
      failure.actual = number_at<std::int64_t>(behind(rest, "actual "));
    }
    break;
  }
  return failure;
}

// Why a graph is run without CUDA graphs; "" for another message.
std::string skip_reason(std::string_view text) {
  if (text.find("skipping cudagraphs for unknown reason") != text.npos) return "unknown reason";
  constexpr std::string_view words[] = {"skipping cudagraphs due to ", "skipping cudagraph due to "};
  std::string_view reason;
  for (const std::string_view one : words) {
    for (std::string_view rest = behind(text, one); !rest.empty(); rest = behind(rest, one)) reason = rest;
  }
  reason = reason.substr(0, reason.find(" Found from"));
  while (reason.ends_with('.') || reason.ends_with(' ')) reason.remove_suffix(1);
  return kept(reason, longest_text);
}

class LogReader {
 public:
  explicit LogReader(std::string name) { log_.name = std::move(name); }

  void line(std::string_view line, std::uint64_t number) {
    log_.lines = number;
    const Message message = message_of(line);
    State& state = states_[states_.size() < most_ranks ? message.rank : -1];
    if (begins(message, number, state) || message.text.empty()) return;
    switch (state.within) {
      case Within::recompilation: return in_recompilation(message, state);
      case Within::limit: return in_limit(message, state);
      case Within::skip: return in_stack(message, state);
      case Within::nothing: return;
    }
  }

  model::DynamoLog take() {
    for (auto& [rank, state] : states_) end(state);
    return std::move(log_);
  }

 private:
  enum class Within : std::uint8_t { nothing, recompilation, limit, skip };
  // What the last message of a rank was about.
  struct State {
    Within within = Within::nothing;
    std::size_t at = 0;           // in the list of such messages
    bool is_source_line = false;  // of a stack: the line below `File "..."`
    model::GraphSkip skip;        // until its stack is read
  };

  bool begins(const Message& message, std::uint64_t number, State& state) {
    const std::string_view text = message.text;
    if (const std::string_view function = behind(text, "Recompiling function "); !function.empty()) {
      end(state);
      if (!has_room()) return true;
      state.within = Within::recompilation;
      state.at = log_.recompilations.size();
      log_.recompilations.push_back({place_of_function(function), std::string(message.compile_id), message.rank, number, {}});
      return true;
    }
    if (text.find("dynamo hit config.") != text.npos) return begins_limit(text, number, state);
    if (text.find("kipping cudagraph") != text.npos) return begins_skip(text, number, state);
    note_recording(text);
    return false;
  }

  bool begins_limit(std::string_view text, std::uint64_t number, State& state) {
    end(state);
    const std::string_view setting = behind(text, "dynamo hit config.");
    const std::size_t bracket = setting.find(" (");
    if (bracket == setting.npos || !has_room()) return true;
    state.within = Within::limit;
    state.at = log_.limits.size();
    model::CompileLimit limit;
    limit.setting = kept(setting.substr(0, bracket), longest_text);
    limit.limit = number_at<std::uint64_t>(setting.substr(bracket + 2)).value_or(0);
    limit.log_line = number;
    log_.limits.push_back(std::move(limit));
    return true;
  }

  bool begins_skip(std::string_view text, std::uint64_t number, State& state) {
    std::string reason = skip_reason(text);
    if (reason.empty()) return false;
    end(state);
    state.within = Within::skip;
    state.skip = {std::move(reason), {}, number, 1};
    return true;
  }

  // "Recording function 0 of graph recording id 3", "Recording function 1 (f) of graph recording id 1".
  void note_recording(std::string_view text) {
    const std::string_view rest = behind(text, "Recording function ");
    const auto function = number_at<std::uint64_t>(rest);
    if (!function || rest.find(" of graph recording id ") == rest.npos) return;
    if (log_.recordings.contains(*function) || log_.recordings.size() < model::most_messages) ++log_.recordings[*function];
  }

  void in_recompilation(const Message& message, State& state) {
    const std::string_view text = message.text;
    if (text.starts_with("triggered by") || text.starts_with("guard ")) return;
    if (!text.starts_with("- ")) return end(state);
    std::vector<GuardFailure>& failures = log_.recompilations[state.at].failures;
    if (failures.size() < most_failures) failures.push_back(failure_of(trim(text.substr(2))));
  }

  void in_limit(const Message& message, State& state) {
    const std::string_view text = message.text;
    model::CompileLimit& limit = log_.limits[state.at];
    if (text.starts_with("function: ")) {
      limit.place = place_in_brackets(text.substr(10));
    } else if (text.starts_with("last reason: ") || text.starts_with("reasons:")) {
      limit.reason = failure_of(trim(text.substr(text.find(':') + 1)));
    } else {
      end(state);
    }
  }

  // `File "/home/me/model.py", line 12, in forward`, then a line of that file; the last one is where it happened.
  void in_stack(const Message& message, State& state) {
    const std::string_view text = message.text;
    const std::size_t quote = text.starts_with("File \"") ? text.find('"', 6) : text.npos;
    if (quote != text.npos) {
      const std::string_view rest = text.substr(quote);
      state.skip.place = {kept(behind(rest, ", in "), longest_name), kept(text.substr(6, quote - 6), longest_name),
                          number_at<std::uint64_t>(behind(rest, ", line ")).value_or(0)};
      state.is_source_line = true;
      return;
    }
    if (!state.is_source_line) return end(state);
    state.is_source_line = false;
  }

  void end(State& state) {
    if (state.within == Within::skip) put(std::move(state.skip));
    state = {};
  }

  void put(model::GraphSkip skip) {
    const auto [at, is_new] = skip_index_.try_emplace({skip.reason, skip.place}, log_.skips.size());
    if (!is_new) {
      ++log_.skips[at->second].times;
    } else if (has_room()) {
      log_.skips.push_back(std::move(skip));
    } else {
      skip_index_.erase(at);
    }
  }

  bool has_room() {
    if (log_.recompilations.size() + log_.limits.size() + log_.skips.size() < model::most_messages) return true;
    ++log_.left_out;
    return false;
  }

  model::DynamoLog log_;
  std::map<std::int64_t, State> states_;  // by rank
  std::map<std::pair<std::string, model::LoggedPlace>, std::size_t> skip_index_;
};

Result<model::DynamoLog> read_lines(const std::string& name, ByteSource& source) {
  UnpackedSource bytes(source);
  TRY(bytes.head());
  LineReader lines(bytes);
  LogReader reader(name);
  std::string_view line;
  while (true) {
    TRY_ASSIGN(const bool more, lines.next(line));
    if (!more) return reader.take();
    reader.line(line, lines.line_number());
  }
}

}  // namespace

Result<model::DynamoLog> read_dynamo_log(const std::string& name, ByteSource& source) {
  Result<model::DynamoLog> log = read_lines(name, source);
  if (!log && log.error().where.empty()) log.error().where = name;
  return log;
}

}  // namespace frx::ingest
