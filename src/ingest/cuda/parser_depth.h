// The nesting limit of the parser, and the effect of brackets.
#pragma once

#include "ingest/cuda/parser.h"

namespace frx::ingest::cuda {

class Parser::Deeper {
 public:
  explicit Deeper(Parser& parser) : parser_(parser) { ++parser_.depth_; }
  ~Deeper() { --parser_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  explicit operator bool() const { return parser_.depth_ <= deepest && parser_.tokens_.work() <= parser_.byte_budget_; }

 private:
  static constexpr std::uint32_t deepest = 400;
  Parser& parser_;
};

// Within brackets a `>` is an operator again.
class Parser::InBrackets {
 public:
  explicit InBrackets(Parser& parser) : parser_(parser), was_(parser.angle_closes_) { parser_.angle_closes_ = false; }
  ~InBrackets() { parser_.angle_closes_ = was_; }
  InBrackets(const InBrackets&) = delete;
  InBrackets& operator=(const InBrackets&) = delete;

 private:
  Parser& parser_;
  bool was_;
};

}  // namespace frx::ingest::cuda
