#include "ingest/ptx/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "ingest/ptx/literal.h"

namespace frx::ingest::ptx {
namespace {

constexpr std::size_t width_of_a_problem = 60;

std::string described(const Token& token) {
  if (token.kind == Token::end) return "the end of the file";
  return fmt::format("'{}'", shorten(printable(token.spelling.substr(0, 4 * width_of_a_problem)), width_of_a_problem));
}

}  // namespace

bool Reading::expected(std::string_view what) {
  if (problem_.empty() && module.problems.size() < problems_kept) {
    problem_ = fmt::format("{}:{}: expected {}, found {}", module.file.view(), lexer.now().line, what, described(lexer.now()));
  }
  return false;
}

bool Reading::take(char mark) { return lexer.skip_if(mark) || expected(fmt::format("'{}'", mark)); }

bool Reading::take_name(std::string_view& spelling, std::string_view what) {
  if (lexer.now().kind != Token::word) return expected(what);
  spelling = lexer.take().spelling;
  return true;
}

bool Reading::take_number(std::uint32_t& value) {
  const std::optional<Literal> literal = lexer.now().kind == Token::number ? parse_literal(lexer.now().spelling) : std::nullopt;
  if (!literal || literal->kind != Literal::integer || literal->bits > 0xFFFFFFFF) return expected("a number");
  value = static_cast<std::uint32_t>(literal->bits);
  lexer.skip();
  return true;
}

void Reading::keep_problem() {
  if (!problem_.empty()) module.problems.push_back(std::move(problem_));
  problem_.clear();
  ++module.skipped_statements;
}

void Reading::skip_statement() {
  keep_problem();
  while (lexer.now().kind != Token::end && !at_function() && !at_block()) {
    if (lexer.skip_if(';')) return;
    lexer.skip();
  }
}

// Is this the brace of a block, and not of a vector {a, b}, which ends before the statement does?
bool Reading::at_block() {
  if (lexer.now().is('{')) {
    const std::string_view rest = lexer.rest();
    if (stop_ == nullptr || stop_ < rest.data()) stop_ = rest.data() + std::min(rest.find_first_of(";}"), rest.size());
    return stop_ < rest.data() + rest.size() && *stop_ == ';';
  }
  if (!lexer.now().is('}')) return false;
  const char next = lexer.peek();
  return next != ',' && next != ';';
}

bool Reading::at_function() const {
  constexpr std::array<std::string_view, 9> outside = {".entry",  ".func",    ".visible", ".extern",      ".weak",
                                                       ".common", ".version", ".target",  ".address_size"};
  return lexer.now().kind == Token::directive && std::find(outside.begin(), outside.end(), lexer.now().spelling) != outside.end();
}

}  // namespace frx::ingest::ptx
