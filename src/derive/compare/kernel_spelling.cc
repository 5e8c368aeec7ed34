#include "derive/compare/kernel_spelling.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace frx::derive::compare {
namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Template arguments that a demangler may leave out, because they are what the library takes without them.
constexpr std::string_view defaults[] = {"std::allocator<", "std::char_traits<", "std::default_delete<", "std::less<",
                                         "std::hash<",      "std::equal_to<",    "std::__1::allocator<", "std::__1::char_traits<"};

constexpr std::string_view qualifiers[] = {"const", "volatile", "__restrict__", "__restrict", "restrict"};
// What may follow the first word of a type, or a list of parameters.
constexpr std::string_view further_words[] = {"unsigned", "signed", "char",     "short",    "int",     "long",
                                              "double",   "float",  "__int128", "_Complex", "noexcept"};

template <std::size_t size>
bool is_among(const std::string_view (&words)[size], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

class Canonical {
 public:
  explicit Canonical(std::string_view text) : text_(text) {}

  std::string made() {
    while (at_ < text_.size()) step();
    out_.resize(out_.find_last_not_of(' ') + 1);                                                  // npos + 1 is 0
    if (const std::size_t blank = out_.rfind(' '); blank != out_.npos) out_.erase(0, blank + 1);  // the return type
    std::size_t begin = 0;
    while (out_.compare(begin, 2, "::") == 0) begin += 2;
    out_.erase(0, begin);
    return std::move(out_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  bool take(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void step() {
    const char c = text_[at_];
    if (is_letter(c)) return word();
    if (c == '(') return skip_group();
    if (c == '[' || c == '{') return lambda();
    if (c == '\'' && rest().starts_with("'lambda")) return quoted_lambda();
    if (c == '<') return open();
    if (c == '>') return close();
    if (c == ',') return comma();
    ++at_;
    if (c != ' ') {
      out_ += c;
    } else if (arguments_.empty() && !out_.empty() && out_.back() != ' ' && out_.back() != ':') {
      out_ += ' ';
    } else if (!arguments_.empty() && is_behind_return_type()) {
      out_.resize(arguments_.back());
      take("::");
    }
  }

  // Of "void launch<float>(int)::[lambda(int) (instance 1)]", a lambda of a function template: one style writes its return type, the other
  // does not. Two words of "unsigned int" are one type.
  bool is_behind_return_type() const {
    if (out_.size() == arguments_.back()) return false;
    const char last = out_.back();
    if (!is_letter(last) && last != '>' && last != '*' && last != '&') return false;
    const std::string_view behind = rest();
    for (const std::string_view begin : {"<unnamed>::", "(anonymous namespace)::", "::"}) {
      if (behind.starts_with(begin)) return true;
    }
    const std::string_view next = behind.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(behind, is_letter) - behind.begin()));
    return !next.empty() && !is_among(qualifiers, next) && !is_among(further_words, next);
  }

  // An identifier, a keyword or a number.
  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    if (is_among(qualifiers, word)) return;
    if (word == "operator") return name_of_operator();
    const bool is_argument = !arguments_.empty();
    if (is_argument && word == "true") word = "1";
    if (is_argument && word == "false") word = "0";
    if (is_argument && is_digit(word.front())) {
      const std::size_t digits = word.find_first_not_of("0123456789");
      if (digits != word.npos && word.find_first_not_of("uUlL", digits) == word.npos) word = word.substr(0, digits);
    }
    out_ += word;
  }

  // "operator()", "operator<", "operator->": no brackets of arguments.
  void name_of_operator() {
    out_ += "operator";
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (take("()")) return;
    while (at_ < text_.size() && std::string_view("<>=-+*/%&|^!~[],").find(text_[at_]) != std::string_view::npos) out_ += text_[at_++];
  }

  // Parameters, a cast, an unnamed namespace: none of them is kept.
  void skip_group() {
    const bool is_unnamed = rest().starts_with("(anonymous");
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')' && --depth == 0) break;
    }
    at_ = std::min(at_ + 1, text_.size());
    if (is_unnamed) take("::");
  }

  // "[lambda(float) (instance 2)]" and "{lambda(float)#2}", which stand for the same one; other brackets are kept.
  void lambda() {
    const char closing = text_[at_] == '[' ? ']' : '}';
    if (rest().starts_with("[clone ")) {
      at_ = std::min(text_.find(']', at_), text_.size() - 1) + 1;
      return;
    }
    if (!text_.substr(at_ + 1).starts_with("lambda")) {
      out_ += text_[at_++];
      return;
    }
    int depth = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && --depth == 0 && c == closing) break;
    }
    const std::string_view inside = text_.substr(begin, at_ - begin);
    at_ = std::min(at_ + 1, text_.size());
    const std::size_t instance = inside.rfind("(instance "), number = inside.rfind('#');
    const std::size_t from = instance != inside.npos ? instance + 10 : number != inside.npos ? number + 1 : inside.size();
    std::size_t end = from;
    while (end < inside.size() && is_digit(inside[end])) ++end;
    add_lambda(inside.substr(from, end - from));
  }

  // "'lambda'(float)" is the first one, "'lambda0'(float)" the second.
  void quoted_lambda() {
    at_ += std::string_view("'lambda").size();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const std::string_view digits = text_.substr(begin, std::min<std::size_t>(at_ - begin, 6));
    take("'");
    add_lambda(digits.empty() ? "1" : std::to_string(std::stoul(std::string(digits)) + 2));
  }

  void add_lambda(std::string_view number) {
    out_ += "{lambda#";
    out_ += number;
    out_ += '}';
  }

  void open() {
    if (take("<unnamed>")) {
      take("::");
      return;
    }
    ++at_;
    out_ += '<';
    arguments_.push_back(out_.size());
  }

  void close() {
    ++at_;
    if (arguments_.empty()) {  // "void unnamed>::kernel": the opening was cut off
      out_.clear();
      return;
    }
    leave_out_default();
    arguments_.pop_back();
    out_ += '>';
  }

  void comma() {
    ++at_;
    if (!arguments_.empty()) {
      leave_out_default();
      if (out_.back() == '<' || out_.back() == ',') return;
    }
    out_ += ',';
    if (!arguments_.empty()) arguments_.back() = out_.size();
  }

  void leave_out_default() {
    const std::size_t begin = arguments_.back();
    const std::string_view argument = std::string_view(out_).substr(std::min(begin, out_.size()));
    const bool is_default = std::ranges::any_of(defaults, [&](std::string_view one) { return argument.starts_with(one); });
    if (is_default) out_.resize(begin);
    if (is_default && !out_.empty() && out_.back() == ',') out_.pop_back();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  std::vector<std::size_t> arguments_;  // where the last argument of each open list begins in `out_`
};

}  // namespace

std::string canonical_kernel_name(std::string_view name) {
  std::string made = Canonical(trim(name)).made();
  return made.empty() ? std::string(name) : made;
}

const std::string& KernelSpelling::operator()(std::string_view name) {
  const auto [at, is_new] = known_.try_emplace(std::string(name));
  if (!is_new) return at->second;
  const std::string readable = name.starts_with("_Z") ? demangled(name, budget_) : std::string();
  at->second = canonical_kernel_name(readable.empty() ? name : std::string_view(readable));
  return at->second;
}

}  // namespace frx::derive::compare
