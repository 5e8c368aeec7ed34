#include "derive/ptx/loads_together.h"

#include <algorithm>
#include <vector>

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;

// Local memory is private to the thread: a store to it does not change what other loads read.
bool may_change_memory(const model::Form& form) {
  return form.is_barrier || form.flow == model::Flow::call || (form.writes_memory && form.space != model::Space::local);
}

class Search {
 public:
  Search(const model::Module& module, const RegisterUses& uses) : module_(module), uses_(uses), loaded_(uses.count(), 0) {}

  void look_at(const model::Range& block) {
    begin();
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const model::Form& form = module_.form_of(module_.instructions[i]);
      if (may_change_memory(form))
        begin();
      else
        look_at(form, uses_.of(i));
    }
  }
  std::uint32_t most() const { return most_; }

 private:
  void begin() {
    together_ = 0;
    ++now_;
  }

  void look_at(const model::Form& form, std::span<const RegisterUse> uses) {
    const bool waits = std::ranges::any_of(uses, [&](const RegisterUse& use) { return !use.written && loaded_[use.value] == now_; });
    const bool loads = form.reads_memory && form.space != model::Space::parameter;
    for (const RegisterUse& use : uses) {
      if (!use.written) continue;
      if (waits || loads) loaded_[use.value] = now_;
      if (loads && !waits) together_ += uses_.width(use.value);
    }
    most_ = std::max(most_, together_);
  }

  const model::Module& module_;
  const RegisterUses& uses_;
  std::vector<std::uint32_t> loaded_;  // by value: where it was last loaded, or computed from a loaded value
  std::uint32_t now_ = 0, together_ = 0, most_ = 0;
};

}  // namespace

std::uint32_t loads_together(const model::Module& module, const FlowGraph& graph, const RegisterUses& uses) {
  Search search(module, uses);
  for (const model::Range& block : graph.blocks) search.look_at(block);
  return search.most();
}

}  // namespace frx::derive::ptx
