// The limits of the parser, and the effect of brackets.
#pragma once

#include <algorithm>

#include "ingest/cuda/parser.h"

namespace frx::ingest::cuda {

class Parser::Deeper {
 public:
  explicit Deeper(Parser& parser) : parser_(parser) {
    ++parser_.depth_;
    parser_.effort_.furthest = std::max(parser_.effort_.furthest, parser_.tokens_.now().end);
  }
  ~Deeper() { --parser_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  explicit operator bool() const {
    const Effort& effort = parser_.effort_;
    const std::uint64_t work = parser_.tokens_.work();
    const std::uint64_t most = least_work + std::uint64_t{effort.furthest - effort.begin} * work_of_byte;
    return parser_.depth_ <= deepest && work - effort.work <= most && work <= parser_.most_work_;
  }

 private:
  static constexpr std::uint32_t deepest = 400;
  static constexpr std::uint64_t least_work = 10'000, work_of_byte = 32;
  Parser& parser_;
};

// While a declaration is read, the effort is its own.
class Parser::Item {
 public:
  explicit Item(Parser& parser) : parser_(parser), around_(parser.effort_) {
    parser_.effort_ = {parser_.tokens_.now().begin, parser_.tokens_.now().end, parser_.tokens_.work()};
  }
  ~Item() {
    const std::uint32_t furthest = std::max(around_.furthest, parser_.effort_.furthest);
    parser_.effort_ = {around_.begin, furthest, around_.work};
  }
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;

 private:
  Parser& parser_;
  Effort around_;
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
