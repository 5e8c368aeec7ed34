#include "ingest/cuda/condition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace frx::ingest::cuda {
namespace {

// An interval for an unknown number; both ends are the same when it is known.
struct Range {
  std::int64_t low = 0, high = 0;
};
using Maybe = std::optional<Range>;

constexpr int deepest_brackets = 64;
constexpr Range yes{1, 1}, no{0, 0};

struct KnownName {
  std::string_view name;
  Range value;
};
// The toolkits and compute capabilities that are supported: 11 to 13, 7.5 to 12.1.
constexpr std::array<KnownName, 6> known_names{{{"__CUDA_ARCH__", {750, 1210}},
                                                {"CUDA_VERSION", {11000, 13999}},
                                                {"CUDART_VERSION", {11000, 13999}},
                                                {"__CUDACC_VER_MAJOR__", {11, 13}},
                                                {"__CUDACC__", yes},
                                                {"__NVCC__", yes}}};

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// A word between underscores identifies a macro of a compiler for other GPUs: USE_ROCM, __HIP_ARCH__.
bool is_of_another_compiler(std::string_view name) {
  constexpr std::array<std::string_view, 8> words{"HIP", "HIPCC", "HIPBLAS", "ROCM", "AMD", "AMDGCN", "MUSA", "MUSACC"};
  while (!name.empty()) {
    const std::size_t size = std::min(name.find('_'), name.size());
    if (std::ranges::find(words, name.substr(0, size)) != words.end()) return true;
    name.remove_prefix(std::min(size + 1, name.size()));
  }
  return false;
}

std::optional<bool> truth(const Maybe& value) {
  if (!value) return std::nullopt;
  if (value->low > 0 || value->high < 0) return true;
  return value->low == 0 && value->high == 0 ? std::optional(false) : std::nullopt;
}

Maybe as_range(std::optional<bool> value) { return value ? Maybe(*value ? yes : no) : std::nullopt; }

std::optional<bool> less(const Range& a, const Range& b) {
  if (a.high < b.low) return true;
  return a.low >= b.high ? std::optional(false) : std::nullopt;
}

std::optional<bool> inverted(std::optional<bool> value) { return value ? std::optional(!*value) : std::nullopt; }

class Reader {
 public:
  Reader(std::string_view text, const NumberOf& number_of, const IsDefined& is_defined, Compiler compiler, bool assumes)
      : rest_(text), number_of_(number_of), is_defined_(is_defined), is_nvcc_(compiler == Compiler::nvcc), assumes_(assumes) {}

  std::optional<bool> read() {
    const std::optional<bool> result = truth(read_or());
    skip();
    return rest_.empty() && !is_lost_ ? result : std::nullopt;
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }

  bool take(std::string_view sign) {
    skip();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  // Either operand may decide alone.
  Maybe read_or() {
    Maybe left = read_and();
    while (take("||")) {
      const auto a = truth(left), b = truth(read_and());
      left = a == true || b == true ? Maybe(yes) : a && b ? Maybe(no) : std::nullopt;
    }
    return left;
  }

  Maybe read_and() {
    Maybe left = read_comparison();
    while (take("&&")) {
      const auto a = truth(left), b = truth(read_comparison());
      left = a == false || b == false ? Maybe(no) : a && b ? Maybe(yes) : std::nullopt;
    }
    return left;
  }

  Maybe read_comparison() {
    const Maybe left = read_single();
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!take(sign)) continue;
      const Maybe right = read_single();
      return left && right ? as_range(compared(sign, *left, *right)) : std::nullopt;
    }
    return left;
  }

  static std::optional<bool> compared(std::string_view sign, const Range& a, const Range& b) {
    if (sign == "<") return less(a, b);
    if (sign == ">") return less(b, a);
    if (sign == ">=") return inverted(less(a, b));
    if (sign == "<=") return inverted(less(b, a));
    std::optional<bool> same;
    if (a.high < b.low || b.high < a.low) same = false;
    if (a.low == a.high && b.low == b.high && a.low == b.low) same = true;
    return sign == "==" ? same : inverted(same);
  }

  Maybe read_single() {
    if (++depth_ > deepest_brackets) is_lost_ = true;
    Maybe value;
    if (is_lost_) {
      rest_ = {};
    } else if (take("!")) {
      value = as_range(inverted(truth(read_single())));
    } else if (take("(")) {
      value = read_or();
      if (!take(")")) is_lost_ = true;
    } else {
      value = read_word();
    }
    --depth_;
    return value;
  }

  std::string_view take_word() {
    skip();
    std::size_t size = 0;
    while (size < rest_.size() && is_name_char(rest_[size])) ++size;
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  Maybe read_word() {
    const std::string_view word = take_word();
    if (word.empty()) {
      is_lost_ = true;
      return std::nullopt;
    }
    if (word == "defined") return read_defined();
    if (word == "true") return yes;
    if (word == "false") return no;
    if (word.front() >= '0' && word.front() <= '9') return number(word);
    if (take("(")) {  // a macro with arguments: unknown, like the tokens after it
      is_lost_ = true;
      return std::nullopt;
    }
    return value_of(word);
  }

  Maybe read_defined() {
    const bool in_brackets = take("(");
    const std::string_view name = take_word();
    if (in_brackets && !take(")")) is_lost_ = true;
    if (is_nvcc_ && is_of_another_compiler(name)) return no;
    // Code for the host exists beside code for the device, and both are read.
    if (name == "__CUDA_ARCH__") return assumes_ ? Maybe(yes) : std::nullopt;
    const bool is_known = is_nvcc_ && std::ranges::find(known_names, name, &KnownName::name) != known_names.end();
    const std::optional<bool> is_defined = !is_known && is_defined_ ? is_defined_(name) : std::nullopt;
    if (is_defined) return *is_defined ? yes : no;
    return is_known || assumes_ ? Maybe(yes) : std::nullopt;
  }

  Maybe value_of(std::string_view name) const {
    if (is_nvcc_) {
      if (const auto at = std::ranges::find(known_names, name, &KnownName::name); at != known_names.end()) return at->value;
      if (is_of_another_compiler(name)) return no;
    }
    const std::optional<std::int64_t> value = number_of_ ? number_of_(name) : std::nullopt;
    return value ? Maybe(Range{*value, *value}) : std::nullopt;
  }

  Maybe number(std::string_view digits) {
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    if (is_hex) digits.remove_prefix(2);
    std::int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value, is_hex ? 16 : 10);
    if (read.ec != std::errc() || std::string_view(read.ptr, end).find_first_not_of("uUlL") != std::string_view::npos) {
      is_lost_ = true;
      return std::nullopt;
    }
    return Range{value, value};
  }

  std::string_view rest_;
  const NumberOf& number_of_;
  const IsDefined& is_defined_;
  bool is_nvcc_;
  bool assumes_;
  bool is_lost_ = false;  // the condition has a form that is not supported
  int depth_ = 0;
};

}  // namespace

std::optional<bool> truth_of(std::string_view condition, const NumberOf& number_of, const IsDefined& is_defined, Compiler compiler) {
  return Reader(condition, number_of, is_defined, compiler, false).read();
}

std::optional<bool> likely_truth_of(std::string_view condition, const NumberOf& number_of, const IsDefined& is_defined, Compiler compiler) {
  return Reader(condition, number_of, is_defined, compiler, true).read();
}

}  // namespace frx::ingest::cuda
