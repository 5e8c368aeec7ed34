// Facts by name, with the places that show them: each place once, and only a few of them.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

class Places {
 public:
  explicit Places(const KernelView& view) : view_(view) {}

  // Code from a macro has no place of its own.
  void add(NodeRef at) {
    ++count_;
    if (std::ranges::find(seen_, at) != seen_.end()) {
      --count_;
      return;
    }
    if (seen_.size() < 64) seen_.push_back(at);
    model::TextPlace place = view_.place_of(at);
    if (place.line != 0 && all_.size() < most) all_.push_back(std::move(place));
  }
  bool any() const { return count_ > 0; }
  double count() const { return static_cast<double>(count_); }
  std::vector<model::TextPlace> take() { return std::move(all_); }

  static constexpr std::size_t most = 32;

 private:
  const KernelView& view_;
  std::vector<NodeRef> seen_;
  std::vector<model::TextPlace> all_;
  std::size_t count_ = 0;
};

// An access as it is written, cut where it is long.
std::string access_text(const KernelView& view, const Access& access);

// The facts of each subject: facts_memory.cc, facts_guards.cc, facts_control.cc, facts_shared.cc, facts_arithmetic.cc, facts_threads.cc,
// facts_sync.cc, accumulators.cc, reloads.cc.
void add_memory_facts(const KernelView& view, model::CodeSubject& into);
void add_guard_facts(const KernelView& view, model::CodeSubject& into);
void add_control_facts(const KernelView& view, model::CodeSubject& into);
void add_branch_facts(const KernelView& view, model::CodeSubject& into);
void add_shared_facts(const KernelView& view, const model::cuda::Kernel& kernel, model::CodeSubject& into);
void add_arithmetic_facts(const KernelView& view, model::CodeSubject& into);
void add_accumulator_facts(const KernelView& view, model::CodeSubject& into);
void add_reload_facts(const KernelView& view, model::CodeSubject& into);
void add_thread_facts(const KernelView& view, model::CodeSubject& into);
void add_synchronization_facts(const KernelView& view, model::CodeSubject& into);
void add_matmul_facts(const KernelView& view, const model::cuda::Kernel& kernel, model::CodeSubject& into);

}  // namespace frx::derive::cuda
