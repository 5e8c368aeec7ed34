#include "ingest/ptxas_log.h"

#include <charconv>
#include <map>
#include <utility>

#include "base/text.h"
#include "ingest/observation.h"

namespace frx::ingest {
namespace {

// The text between `begin` and `end` in the line.
std::optional<std::string_view> between(std::string_view line, std::string_view begin, std::string_view end) {
  const std::size_t from = line.find(begin);
  if (from == line.npos) return std::nullopt;
  const std::size_t to = end.empty() ? line.size() : line.find(end, from + begin.size());
  if (to == line.npos) return std::nullopt;
  return line.substr(from + begin.size(), to - from - begin.size());
}

// The number before `words`: "16 bytes smem".
template <typename Number>
std::optional<Number> number_before(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == line.npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  Number number = 0;
  const auto [end, error] = std::from_chars(line.data() + begin, line.data() + at, number);
  if (error != std::errc() || end != line.data() + at) return std::nullopt;
  return number;
}

class Reader {
 public:
  void line(std::string_view line) {
    if (const auto name = between(line, "Compiling entry function '", "' for '")) {
      const std::string_view architecture = between(line, "' for '", "'").value_or("");
      entry_ = properties_ = function(*name, architecture);
      functions_[entry_].is_kernel = true;
    } else if (const auto named = between(line, "Function properties for ", "")) {
      const std::string_view of = trim(*named);
      properties_ = entry_ != none && functions_[entry_].name == of ? entry_ : function(of, "");
    } else if (line.find(" bytes stack frame") != line.npos && properties_ != none) {
      model::PtxasFunction& at = functions_[properties_];
      at.stack_bytes = number_before<std::uint64_t>(line, " bytes stack frame");
      at.spill_store_bytes = number_before<std::uint64_t>(line, " bytes spill stores");
      at.spill_load_bytes = number_before<std::uint64_t>(line, " bytes spill loads");
    } else if (line.find(": Used ") != line.npos && entry_ != none) {
      model::PtxasFunction& at = functions_[entry_];
      at.registers = number_before<std::uint32_t>(line, " registers");
      at.barriers = number_before<std::uint32_t>(line, " barriers");
      at.shared_bytes = number_before<std::uint64_t>(line, " bytes smem");
    }
  }

  std::vector<model::PtxasFunction> take() { return std::move(functions_); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t function(std::string_view name, std::string_view architecture) {
    const auto [at, is_new] = index_.emplace(std::pair(std::string(name), std::string(architecture)), functions_.size());
    if (is_new) {
      functions_.emplace_back();
      functions_.back().name = name;
      functions_.back().architecture = architecture;
    }
    return at->second;
  }

  std::vector<model::PtxasFunction> functions_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::size_t entry_ = none, properties_ = none;
};

constexpr std::uint64_t largest_log = std::uint64_t{256} << 20;

// "ptxas info    : Compiling entry function 'copy' for 'sm_90'", among whatever else a build prints.
Match recognises_log(const Look& look) { return look.head.find("ptxas info") != look.head.npos ? Match::certain : Match::no; }

Result<Observation> read_log(Source& source, const ReadOptions&) {
  TRY_ASSIGN(const std::string text, source.text(largest_log));
  return Observation{model::CompilerLog{source.name(), read_ptxas_log(text)}};
}

}  // namespace

constinit const Format compiler_log_format = {
    .id = "ptxas-log",
    .title = "a log of ptxas",
    .kind = Kind::compiler_log,
    .recognises = recognises_log,
    .read = read_log,
};

std::vector<model::PtxasFunction> read_ptxas_log(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.line(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return reader.take();
}

}  // namespace frx::ingest
