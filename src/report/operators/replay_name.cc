#include "report/operators/replay_name.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/units.h"

namespace frx::report {
namespace {

using derive::trace::none;
using model::EventKind;
using model::Timeline;

constexpr std::size_t most_named = 3;

// "aten::mm, aten::t": some of them.
std::string listed(const std::set<std::string>& names) {
  std::vector<std::string> some;
  for (const std::string& name : names) {
    if (some.size() == most_named) break;
    some.push_back(printable(name));
  }
  return join(some, ", ");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "AddmmBackward0", and the call of it, "autograd::engine::evaluate_function: AddmmBackward0".
bool is_backward_node(std::string_view name) {
  if (name.starts_with("autograd::")) return true;
  if (name.find("::") != name.npos && !name.starts_with("torch::autograd::")) return false;
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name.ends_with("Backward") || name.ends_with("AccumulateGrad");
}

bool is_collective(std::string_view name) {
  return name.starts_with("c10d::") || name.starts_with("nccl:") || name.starts_with("_c10d_functional::") || name == "record_param_comms";
}

bool is_operator_name(std::string_view name) {
  const std::size_t at = name.find("::");
  return at != name.npos && at > 0 && at + 2 < name.size() && name.find("::", at + 2) == name.npos && name.find(' ') == name.npos;
}

class Names {
 public:
  Names(const OperatorProfile& profile, std::string_view wanted) : profile_(profile), timeline_(profile.timeline), wanted_(wanted) {
    for (std::uint32_t row = 0; row < timeline_.size(); ++row) {
      const std::string_view name = timeline_.name_of(row);
      if (timeline_.kind[row] == EventKind::cpu_op && is_operator_name(name) && !is_backward_node(name) && !is_collective(name))
        operators_.insert(name);
    }
  }

  Result<std::string> found() const {
    if (operators_.contains(wanted_)) return std::string(wanted_);
    if (const EventKind kind = kind_of_wanted(); kind != EventKind::other) return refused(kind);
    for (const std::string& ending : {"::" + std::string(wanted_), std::string(wanted_)}) {
      std::set<std::string> ending_so;
      for (const std::string_view name : operators_) {
        if (name.ends_with(ending)) ending_so.emplace(name);
      }
      if (ending_so.size() == 1) return *ending_so.begin();
      if (ending_so.size() > 1)
        return fail(ErrorKind::usage, "{} end in '{}'", count_text(ending_so.size(), "operator"), printable(wanted_))
            .at(timeline_.source)
            .hint("give one of them in full: " + listed(ending_so));
    }
    return unknown();
  }

 private:
  // Of an event that is called so and is no operator that can run by itself; `other`: there is none.
  EventKind kind_of_wanted() const {
    const std::uint32_t name = timeline_.names.find(wanted_);
    for (std::uint32_t row = 0; row < timeline_.size(); ++row) {
      if (timeline_.name[row] == name && timeline_.kind[row] != EventKind::other) return timeline_.kind[row];
    }
    return EventKind::other;
  }

  Failure refused(EventKind kind) const {
    const auto failure = [&](std::string_view what, std::string_view which, const std::set<std::string>& instead) {
      std::string hint = instead.empty() ? "frx operators report lists the operators that launched kernels"
                                         : fmt::format("{}: --operator {}", which, listed(instead));
      return fail(ErrorKind::usage, "'{}' is {}", printable(wanted_), what).at(timeline_.source).hint(std::move(hint));
    };
    switch (kind) {
      case EventKind::runtime:
      case EventKind::driver: return failure("a call of the runtime, no operator", "operators make such calls", operators_around());
      case EventKind::kernel: return failure("a kernel, no operator", "launched by", launching());
      case EventKind::cpu_op: break;
      default: return failure("no operator: a range, a function or work of the GPU", "operators within", operators_within());
    }
    if (is_collective(wanted_)) return failure("a collective, which needs all of its ranks", "", {});
    if (is_backward_node(wanted_))
      return failure("a node of the backward pass, which needs the graph of its forward pass", "it called, or was made by",
                     joined(operators_within(), makers()));
    return failure("no operator that torch.ops knows", "operators within", operators_within());
  }

  Failure unknown() const {
    const std::vector<std::string_view> names(operators_.begin(), operators_.end());
    std::string_view near = nearest(wanted_, names);
    if (near.empty()) near = nearest("aten::" + std::string(wanted_), names);
    return fail(ErrorKind::usage, "no operator is called '{}'", printable(wanted_))
        .at(timeline_.source)
        .hint(near.empty() ? std::string("frx operators report lists the operators that launched kernels")
                           : fmt::format("the nearest is --operator {}", printable(near)));
  }

  static std::set<std::string> joined(std::set<std::string> one, const std::set<std::string>& other) {
    one.insert(other.begin(), other.end());
    return one;
  }

  bool is_wanted(std::uint32_t row) const { return timeline_.name_of(row) == wanted_; }

  std::set<std::string> operators_within() const {
    std::set<std::string> found;
    for (std::uint32_t row = 0; row < timeline_.size(); ++row) {
      const std::uint32_t around = profile_.calls.enclosing[row];
      if (around != none && is_wanted(around) && operators_.contains(timeline_.name_of(row))) found.emplace(timeline_.name_of(row));
    }
    if (!found.empty()) return found;
    // "autograd::engine::evaluate_function: X" is around X, which is around its operators.
    for (std::uint32_t row = 0; row < timeline_.size(); ++row) {
      if (!operators_.contains(timeline_.name_of(row))) continue;
      for (std::uint32_t outer = profile_.calls.enclosing[row]; outer != none; outer = profile_.calls.enclosing[outer]) {
        if (is_wanted(outer)) found.emplace(timeline_.name_of(row));
      }
    }
    return found;
  }

  // Operators of the forward pass with the sequence number of the node.
  std::set<std::string> makers() const {
    std::set<std::uint32_t> numbers;
    for (std::size_t i = 0; i < timeline_.numbered_events.size(); ++i) {
      if (is_wanted(timeline_.numbered_events[i])) numbers.insert(timeline_.sequence[i]);
    }
    std::set<std::string> found;
    for (std::size_t i = 0; i < timeline_.numbered_events.size(); ++i) {
      const std::string_view name = timeline_.name_of(timeline_.numbered_events[i]);
      if (timeline_.forward_thread[i] == 0 && numbers.contains(timeline_.sequence[i]) && operators_.contains(name)) found.emplace(name);
    }
    return found;
  }

  std::set<std::string> launching() const {
    std::set<std::string> found;
    for (const derive::trace::OperatorKernel& kernel : profile_.calls.kernels) {
      if (!is_wanted(kernel.event) || kernel.range == none) continue;
      if (operators_.contains(timeline_.name_of(kernel.range))) found.emplace(timeline_.name_of(kernel.range));
    }
    return found;
  }

  std::set<std::string> operators_around() const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < timeline_.size(); ++row) {
      if (is_wanted(row)) rows.push_back(row);
    }
    std::set<std::string> found;
    for (const std::uint32_t row : derive::trace::innermost_operator(timeline_, rows)) {
      if (row != none && operators_.contains(timeline_.name_of(row))) found.emplace(timeline_.name_of(row));
    }
    return found;
  }

  const OperatorProfile& profile_;
  const Timeline& timeline_;
  const std::string_view wanted_;
  std::set<std::string_view> operators_;  // that can run by themselves
};

}  // namespace

Result<std::string> replayed_name(const OperatorProfile& profile, std::string_view wanted) { return Names(profile, wanted).found(); }

bool comes_with_torch(std::string_view name) {
  constexpr std::string_view spaces[] = {"aten::", "prims::", "prim::", "quantized::", "inductor::"};
  return std::ranges::any_of(spaces, [&](std::string_view space) { return name.starts_with(space); });
}

}  // namespace frx::report
