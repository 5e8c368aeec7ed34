// How an expression is read; expression_value.cc computes its value.
#include "knowledge/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/text.h"

namespace frx::knowledge {
namespace {

constexpr std::size_t max_nesting = 100;
constexpr std::size_t max_text = 4096;
constexpr std::size_t max_steps = 1u << 16;  // names of nested expressions grow quickly

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return is_name_start(c) || is_digit(c) || c == '.'; }

}  // namespace

// Recursive descent; each production returns the type of what it pushed.
class ExpressionParser {
 public:
  using Op = Expression::Op;
  struct Type {
    Dimension dimension;
    bool is_truth = false;
    bool any = false;  // a bare 0 fits every dimension
  };

  ExpressionParser(std::string_view text, const Scope& scope, const std::string& where) : text_(text), scope_(scope), where_(where) {}

  Result<Expression> parse() {
    if (text_.size() > max_text) return error("an expression of at most 4096 characters");
    TRY_ASSIGN(const Type type, either());
    skip_space();
    if (at_ != text_.size()) return error("an operator or the end");
    memory_.text = written_out();
    return made(type);
  }

 private:
  Failure error(std::string_view expected) const {
    const std::string found = at_ < text_.size() ? fmt::format("'{}'", text_.substr(at_, 20)) : "the end";
    return fail(ErrorKind::malformed, "column {}: expected {}, found {} in '{}'", at_ + 1, expected, found, shorten(text_, 100)).at(where_);
  }
  Failure mismatch(const Type& left, const Type& right, std::string_view verb) const {
    return fail(ErrorKind::malformed, "column {}: cannot {} '{}' and '{}' in '{}'", at_ + 1, verb, name(left), name(right),
                shorten(text_, 100))
        .at(where_);
  }
  static std::string name(const Type& type) {
    if (type.is_truth) return "a condition";
    const std::string unit = to_string(type.dimension);
    return unit.empty() ? "a plain number" : unit;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    // Most tokens that are tried differ in their first character.
    if (at_ == text_.size() || text_[at_] != token[0] || !text_.substr(at_).starts_with(token)) return false;
    if (is_name_start(token[0]) && at_ + token.size() < text_.size() && is_name(text_[at_ + token.size()])) return false;
    at_ += token.size();
    return true;
  }
  bool is_next(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  void emit(Op op, std::uint32_t argument = 0, double value = 0) {
    memory_.code.push_back({op, argument, value});
    pushed_ -= operands_of(op, argument);
    ++pushed_;
    most_pushed_ = std::max(most_pushed_, pushed_);
  }
  // The rest is irrelevant when the value on the stack already decides; `join` marks where it ends.
  std::size_t leave_out_from(Op op) {
    memory_.code.push_back({op, 0, 0});
    return memory_.code.size();
  }
  void join(Op op, std::size_t left_out_from) {
    emit(op);
    memory_.code[left_out_from - 1].argument = static_cast<std::uint32_t>(memory_.code.size() - left_out_from);
  }
  void load(const Operand& operand) {
    emit(Op::load, operand.slot, operand.unit.scale);
    mention(operand.slot);
  }
  void mention(std::uint32_t slot) {
    if (std::ranges::find(memory_.slots, slot) == memory_.slots.end()) memory_.slots.push_back(slot);
  }
  // The expression with this name.
  void insert(const Expression& meaning) {
    memory_.code.insert(memory_.code.end(), meaning.steps().begin(), meaning.steps().end());
    most_pushed_ = std::max(most_pushed_, pushed_ + meaning.depth());
    ++pushed_;
    for (const std::uint32_t slot : meaning.slots()) mention(slot);
  }
  // How many values a step takes off the stack; it always pushes one.
  static std::size_t operands_of(Op op, std::uint32_t argument) {
    switch (op) {
      case Op::literal:
      case Op::nothing:
      case Op::load:
      case Op::unless_false:
      case Op::unless_true: return 0;
      case Op::negate:
      case Op::inverse: return 1;
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
      case Op::both:
      case Op::either: return 2;
      default: return argument;  // a call
    }
  }

  Result<Type> either() {
    TRY_ASSIGN(Type left, both());
    while (take("or")) {
      const std::size_t begin = leave_out_from(Op::unless_true);
      TRY_ASSIGN(const Type right, both());
      if (!left.is_truth || !right.is_truth) return mismatch(left, right, "join with 'or'");
      join(Op::either, begin);
    }
    return left;
  }
  Result<Type> both() {
    TRY_ASSIGN(Type left, inverse());
    while (take("and")) {
      const std::size_t begin = leave_out_from(Op::unless_false);
      TRY_ASSIGN(const Type right, inverse());
      if (!left.is_truth || !right.is_truth) return mismatch(left, right, "join with 'and'");
      join(Op::both, begin);
    }
    return left;
  }
  Result<Type> inverse() {
    if (!take("not")) return comparison();
    if (++depth_ > max_nesting) return error("less nesting");
    TRY_ASSIGN(const Type type, inverse());
    --depth_;
    if (!type.is_truth) return error("a condition after 'not'");
    emit(Op::inverse);
    return type;
  }
  Result<Type> comparison() {
    TRY_ASSIGN(Type left, sum());
    struct Sign {
      std::string_view text;
      Op op;
    };
    constexpr Sign signs[] = {{"<=", Op::less_equal}, {">=", Op::greater_equal}, {"<", Op::less}, {">", Op::greater}};
    if (!is_next('<') && !is_next('>')) return left;
    for (const Sign& sign : signs) {
      if (!take(sign.text)) continue;
      TRY_ASSIGN(const Type right, sum());
      if (!compatible(left, right)) return mismatch(left, right, "compare");
      emit(sign.op);
      return Type{{}, true, false};
    }
    return left;
  }
  Result<Type> sum() {
    TRY_ASSIGN(Type left, product());
    while (true) {
      const bool plus = take("+");
      if (!plus && !take("-")) return left;
      TRY_ASSIGN(const Type right, product());
      if (!compatible(left, right)) return mismatch(left, right, plus ? "add" : "subtract");
      if (left.any) left = right;
      emit(plus ? Op::add : Op::subtract);
    }
  }
  Result<Type> product() {
    TRY_ASSIGN(Type left, factor());
    while (true) {
      const bool times = take("*");
      if (!times && !take("/")) return left;
      TRY_ASSIGN(const Type right, factor());
      if (left.is_truth || right.is_truth) return mismatch(left, right, times ? "multiply" : "divide");
      left.any = false;
      left.dimension = times ? left.dimension * right.dimension : left.dimension / right.dimension;
      emit(times ? Op::multiply : Op::divide);
    }
  }
  Result<Type> factor() {
    if (++depth_ > max_nesting) return error("less nesting");
    Result<Type> type = primary();
    --depth_;
    return type;
  }
  Result<Type> primary() {
    if (take("(")) {
      TRY_ASSIGN(const Type type, either());
      if (!take(")")) return error("')'");
      return type;
    }
    if (take("-")) {
      TRY_ASSIGN(const Type type, factor());
      if (type.is_truth) return error("a number after '-'");
      emit(Op::negate);
      return type;
    }
    skip_space();
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return literal();
    if (at_ < text_.size() && is_name_start(text_[at_])) return name_or_call();
    return error("a number, a name or '('");
  }

  // 80%, 4, 1.5 GB/s, 8 sector/request: the unit is the longest text after the number that is one.
  Result<Type> literal() {
    double value = 0;
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (parsed.ec != std::errc()) return error("a number");
    at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
    std::size_t begin = at_;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    const std::string_view rest = text_.substr(begin);
    std::size_t end = 0;
    if (rest.starts_with("%")) {
      end = 1;
    } else {
      while (end < rest.size() &&
             (is_name(rest[end]) || (rest[end] == '/' && end > 0 && end + 1 < rest.size() && is_name_start(rest[end + 1]))))
        ++end;
    }
    for (std::size_t size = end; size > 0;
         size = rest.substr(0, size).rfind('/') == std::string_view::npos ? 0 : rest.substr(0, size).rfind('/')) {
      if (const std::optional<Unit> unit = parse_unit(rest.substr(0, size)); unit && !unit->dimension.is_plain_number()) {
        at_ = begin + size;
        emit(Op::literal, 0, value * unit->scale);
        return Type{unit->dimension, false, false};
      }
    }
    emit(Op::literal, 0, value);
    return Type{{}, false, value == 0};
  }

  struct Function {
    std::string_view name;
    Op op;
    std::size_t least, most;
  };

  Result<Type> name_or_call() {
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    constexpr Function functions[] = {
        {"known", Op::known, 1, 1}, {"first", Op::first, 1, 64}, {"min", Op::min, 1, 64},  {"max", Op::max, 1, 64},
        {"sum", Op::sum, 1, 64},    {"total", Op::total, 1, 64}, {"abs", Op::abs, 1, 1},   {"clamp", Op::clamp, 3, 3},
        {"log2", Op::log2, 1, 1},   {"if", Op::choose, 3, 3},    {"ramp", Op::ramp, 3, 3}, {"ceil", Op::ceil, 1, 1},
    };
    const bool is_called = end < text_.size() && text_[end] == '(';
    for (const Function& function : functions) {
      if (is_called && function.name == word) {
        at_ = end + 1;
        return call(function);
      }
    }
    if (word == "unknown") {
      at_ = end;
      emit(Op::nothing);
      return Type{{}, false, true};
    }
    const std::optional<Operand> operand = meaning_of(word);
    if (!operand) return error("the name of a metric or a defined value");
    if (!operand->each.empty()) return error("one value, or first, min, max, sum or total of several");
    if (operand->meaning == nullptr) {
      at_ = end;
      load(*operand);
      return Type{operand->unit.dimension, operand->is_truth, false};
    }
    if (memory_.code.size() + operand->meaning->steps().size() > max_steps) return error("a shorter expression");
    at_ = end;
    insert(*operand->meaning);
    return Type{operand->meaning->dimension(), operand->meaning->is_truth(), false};
  }

  // The first operand of many functions is looked at twice.
  const std::optional<Operand>& meaning_of(std::string_view word) {
    if (word.data() != looked_up_) {
      looked_up_ = word.data();
      meaning_ = scope_(word);
    }
    return meaning_;
  }

  // Several values under one name, as operands of a function of any number of them; false where there is no such name.
  bool take_several(const Function& function, std::vector<Type>& types) {
    skip_space();
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const bool takes_any_number = function.most > function.least;
    const auto operand =
        takes_any_number && end > at_ && is_name_start(text_[at_]) ? meaning_of(text_.substr(at_, end - at_)) : std::nullopt;
    if (!operand || operand->each.empty()) return false;
    several_.push_back({at_, end, operand->each});
    at_ = end;
    for (const Operand& one : operand->each) {
      load(one);
      types.push_back({one.unit.dimension, one.is_truth, false});
    }
    return true;
  }

  // The text, with the values themselves in place of a name of several.
  std::string written_out() const {
    std::string text;
    std::size_t done = 0;
    for (const Several& one : several_) {
      text += text_.substr(done, one.begin - done);
      for (std::size_t i = 0; i < one.values.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", one.values[i].name);
      done = one.end;
    }
    return text + std::string(text_.substr(done));
  }

  Result<Type> call(const Function& function) {
    std::vector<Type> types;
    do {
      if (take_several(function, types)) continue;
      TRY_ASSIGN(const Type type, either());
      types.push_back(type);
    } while (take(","));
    if (!take(")")) return error("')'");
    if (types.size() < function.least || types.size() > function.most) {
      return fail(ErrorKind::malformed, "{}() takes {} operands, found {} in '{}'", function.name, function.least, types.size(),
                  shorten(text_, 100))
          .at(where_);
    }
    emit(function.op, static_cast<std::uint32_t>(types.size()));
    if (function.op == Op::known) return Type{{}, true, false};
    const std::size_t begin = function.op == Op::choose ? 1 : 0;
    if (begin == 1 && !types[0].is_truth) return error("a condition as the first operand of if()");
    Type result = types[begin];
    for (std::size_t i = begin + 1; i < types.size(); ++i) {
      if (!compatible(result, types[i])) return mismatch(result, types[i], "combine");
      if (result.any) result = types[i];
    }
    if (function.op == Op::ramp || function.op == Op::log2) return Type{};
    return result;
  }

  static bool compatible(const Type& a, const Type& b) {
    if (a.is_truth != b.is_truth) return false;
    return a.any || b.any || a.dimension == b.dimension;
  }

  // What the expression refers to, and keeps.
  struct Memory {
    std::vector<Expression::Step> code;
    std::vector<std::uint32_t> slots;
    std::string text;
  };
  Expression made(const Type& type) {
    const auto kept = std::make_shared<const Memory>(std::move(memory_));
    Expression expression({kept->code, kept->slots, kept->text, type.dimension, static_cast<std::uint32_t>(most_pushed_), type.is_truth});
    expression.memory_ = kept;
    return expression;
  }

  struct Several {
    std::size_t begin, end;  // of the name in the text
    std::span<const Operand> values;
  };

  std::string_view text_;
  const char* looked_up_ = nullptr;  // the name whose meaning is in `meaning_`, by its place in the text
  std::optional<Operand> meaning_;
  std::vector<Several> several_;
  const Scope& scope_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t pushed_ = 0;  // values on the stack after the last step
  std::size_t most_pushed_ = 0;
  Memory memory_;
};

Result<Expression> Expression::parse(std::string_view text, const Scope& scope, std::string where) {
  return ExpressionParser(text, scope, where).parse();
}

}  // namespace frx::knowledge
