// Which rows of two captures are the same.

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "derive/compare/operator_names.h"
#include "report/operators/capture_comparison.h"

namespace frx::report {
namespace {

using MatchKind = RowMatch::Kind;
using Rows = std::vector<std::uint32_t>;

class Matcher {
 public:
  Matcher(const OperatorCapture& before, const OperatorCapture& after, bool by_shapes)
      : before_(before), after_(after), by_shapes_(by_shapes) {}

  std::vector<RowMatch> matched() {
    match_by_key();
    find_fused(MatchKind::fused);
    find_fused(MatchKind::split);
    std::erase_if(matches_, [](const RowMatch& match) { return match.before.empty() && match.after.empty(); });
    return std::move(matches_);
  }

 private:
  struct Sides {
    Rows before, after;
  };
  void match_by_key();
  void match_left(const Sides& left);

  const CapturedOperator& first_of(const RowMatch& match) const {
    return match.before.empty() ? after_.operators[match.after.front()] : before_.operators[match.before.front()];
  }
  double launches(const OperatorCapture& capture, const Rows& rows) const {
    double kernels = 0;
    for (const std::uint32_t row : rows) kernels += static_cast<double>(capture.operators[row].kernels);
    return kernels / capture.iterations();
  }
  void find_fused(MatchKind kind);
  const CapturedOperator* fused_operator(const RowMatch& match, MatchKind kind) const;
  std::vector<std::size_t> parts_of(const CapturedOperator& fused, std::size_t match, MatchKind kind) const;
  void join(const Rows& members, const std::set<std::size_t>& fused, MatchKind kind);

  const OperatorCapture& before_;
  const OperatorCapture& after_;
  bool by_shapes_;
  std::vector<RowMatch> matches_;
};

void Matcher::match_by_key() {
  std::map<std::pair<std::string_view, std::string_view>, Sides> by_key;
  const auto key_of = [&](const CapturedOperator& one) {
    return std::pair(std::string_view(one.name), by_shapes_ ? std::string_view(one.shapes) : std::string_view());
  };
  for (std::uint32_t i = 0; i < before_.operators.size(); ++i) by_key[key_of(before_.operators[i])].before.push_back(i);
  for (std::uint32_t i = 0; i < after_.operators.size(); ++i) by_key[key_of(after_.operators[i])].after.push_back(i);
  std::map<std::string_view, Sides> left;  // by name
  for (auto& [key, sides] : by_key) {
    if (!sides.before.empty() && !sides.after.empty()) {
      matches_.push_back({std::move(sides.before), std::move(sides.after), MatchKind::plain});
      continue;
    }
    Sides& of_name = left[key.first];
    of_name.before.insert(of_name.before.end(), sides.before.begin(), sides.before.end());
    of_name.after.insert(of_name.after.end(), sides.after.begin(), sides.after.end());
  }
  for (auto& [name, sides] : left) {
    std::ranges::sort(sides.before);
    std::ranges::sort(sides.after);
    match_left(sides);
  }
}

// Of one name, with shapes that the other side does not have.
void Matcher::match_left(const Sides& left) {
  if (left.before.size() == left.after.size()) {
    for (std::size_t i = 0; i < left.before.size(); ++i) matches_.push_back({{left.before[i]}, {left.after[i]}, MatchKind::plain});
    return;
  }
  if (!left.before.empty() && !left.after.empty()) {
    matches_.push_back({left.before, left.after, MatchKind::plain});
    return;
  }
  for (const std::uint32_t row : left.before) matches_.push_back({{row}, {}, MatchKind::plain});
  for (const std::uint32_t row : left.after) matches_.push_back({{}, {row}, MatchKind::plain});
}

// The operator that may be fused, of a match; nullptr where there is none.
const CapturedOperator* Matcher::fused_operator(const RowMatch& match, MatchKind kind) const {
  const bool is_after = kind == MatchKind::fused;
  const Rows& rows = is_after ? match.after : match.before;
  if (match.kind != MatchKind::plain || rows.empty()) return nullptr;
  const CapturedOperator& one = (is_after ? after_ : before_).operators[rows.front()];
  const bool is_alone = is_after ? match.before.empty() : match.after.empty();
  return !one.fused_with.empty() || (is_alone && derive::compare::is_fused_name(one.name)) ? &one : nullptr;
}

// The matches whose operators the fused one computes, and that are launched less often on its side than on the other.
std::vector<std::size_t> Matcher::parts_of(const CapturedOperator& fused, std::size_t match, MatchKind kind) const {
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i < matches_.size(); ++i) {
    if (i == match || matches_[i].kind != MatchKind::plain) continue;
    const double before = launches(before_, matches_[i].before), after = launches(after_, matches_[i].after);
    if (kind == MatchKind::fused ? after >= before : before >= after) continue;
    const std::string& part = first_of(matches_[i]).name;
    const bool is_listed = std::ranges::find(fused.fused_with, part) != fused.fused_with.end();
    if (is_listed || derive::compare::is_fused_of(fused.name, part)) parts.push_back(i);
  }
  return parts;
}

// The fused ones stand first, so that the row has their name.
void Matcher::join(const Rows& members, const std::set<std::size_t>& fused, MatchKind kind) {
  RowMatch joined;
  joined.kind = kind;
  for (const bool is_fused : {true, false}) {
    for (const std::uint32_t i : members) {
      if (fused.contains(i) != is_fused) continue;
      joined.before.insert(joined.before.end(), matches_[i].before.begin(), matches_[i].before.end());
      joined.after.insert(joined.after.end(), matches_[i].after.begin(), matches_[i].after.end());
      matches_[i] = {};
    }
  }
  matches_.push_back(std::move(joined));
}

// What fused operators have in common cannot be divided between them: they become one match.
void Matcher::find_fused(MatchKind kind) {
  std::vector<std::size_t> parent(matches_.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root_of = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::set<std::size_t> fused;
  std::size_t found = 0;
  for (std::size_t i = 0; i < matches_.size(); ++i) {
    const CapturedOperator* const one = fused_operator(matches_[i], kind);
    if (!one) continue;
    if (++found > derive::compare::most_fused_operators) break;
    const std::vector<std::size_t> parts = parts_of(*one, i, kind);
    if (!parts.empty()) fused.insert(i);
    for (const std::size_t part : parts) parent[root_of(part)] = root_of(i);
  }
  std::map<std::size_t, Rows> members;
  for (std::size_t i = 0; i < parent.size(); ++i) members[root_of(i)].push_back(static_cast<std::uint32_t>(i));
  for (const auto& [root, of_root] : members) {
    if (of_root.size() > 1) join(of_root, fused, kind);
  }
}

}  // namespace

std::vector<RowMatch> match_rows(const OperatorCapture& before, const OperatorCapture& after, bool by_shapes) {
  return Matcher(before, after, by_shapes).matched();
}

}  // namespace frx::report
