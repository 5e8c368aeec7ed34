#include "derive/ptx/subject.h"

namespace frx::derive::ptx {
namespace {

using ::frx::model::CodeFactId;
using ::frx::model::CodeSubject;
using Id = CodeFactId;
using ::frx::model::TextPlace;
using ::frx::model::ptx::Category;
using ::frx::model::ptx::Module;

// From this ratio of values that must be kept to registers of the budget on, a kernel is expected to spill. It was measured on the
// kernels with launch bounds of docs/validation/ptx.md (nvcc 13.0 and two versions of clang, sm_75 to sm_120): 757 of the 871 that
// spill are found, and 1 of the 512 that do not. On kernels that it was not chosen on, limited to 24 to 64 registers: 23 of 30,
// and 1 of 781.
constexpr double estimate_margin = 1.0;

// Sets counted facts; a count points at the first instruction that was counted.
class Counter {
 public:
  Counter(const Module& module, const KernelFacts& facts, CodeSubject& subject) : module_(module), facts_(facts), subject_(subject) {}

  void set(CodeFactId name, Category category) { set(name, facts_.of(category), {category}); }
  void set(CodeFactId name, std::uint64_t count, std::initializer_list<Category> shown_by) {
    std::uint32_t first = none;
    for (const Category category : shown_by) first = std::min(first, facts_.first[static_cast<std::size_t>(category)]);
    subject_.set(name, static_cast<double>(count), places(first));
  }
  std::vector<TextPlace> places(std::uint32_t instruction) const {
    if (instruction == none) return {};
    return {place_of(module_, instruction)};
  }

 private:
  const Module& module_;
  const KernelFacts& facts_;
  CodeSubject& subject_;
};

void add_registers(const KernelFacts& facts, const Compiled* compiled, const Counter& counter, CodeSubject& subject) {
  subject.set(Id::virtual_registers, static_cast<double>(facts.virtual_registers));
  if (facts.pressure.known) subject.set(Id::live_registers, static_cast<double>(facts.pressure.registers));
  if (const auto registers = registers_of(facts, compiled)) {
    const bool measured = compiled && compiled->registers;
    subject.set(Id::registers, static_cast<double>(*registers), counter.places(measured ? none : facts.pressure.instruction));
    subject.set(Id::registers_source, measured ? compiled->source : std::string("estimated from the values alive at once"));
  }
  if (facts.register_budget > 0) subject.set(Id::register_budget, static_cast<double>(facts.register_budget));
}

void add_spills(const KernelFacts& facts, const Compiled* compiled, Counter& counter, CodeSubject& subject) {
  subject.set(Id::local_bytes, static_cast<double>(facts.local_bytes));
  counter.set(Id::local_accesses, facts.local_accesses(), {Category::local_load, Category::local_store});
  const bool known = compiled && compiled->spill_store_bytes && compiled->spill_load_bytes;
  if (known) {
    subject.set(Id::spill_bytes, static_cast<double>(*compiled->spill_store_bytes + *compiled->spill_load_bytes));
    subject.set(Id::compiled_by, compiled->source);
  }
  subject.set(Id::spills_unknown, !known);
  subject.set(Id::probably_spills, probably_spills(facts, compiled), counter.places(facts.pressure.instruction));
}

// The accesses whose neighbours use the rest of the sectors, or the others.
void add_costly(const Module& module, const std::vector<CostlyAccess>& costly, bool neighbours, std::uint64_t count, CodeFactId count_name,
                CodeFactId sentence_name, CodeSubject& subject) {
  std::vector<TextPlace> places;
  for (const CostlyAccess& one : costly) {
    if (!one.in_all_shapes || one.neighbours_use_rest != neighbours) continue;
    if (places.empty()) subject.set(sentence_name, one.access.sentence);
    places.push_back(place_of(module, one.access.instruction));
  }
  subject.set(count_name, static_cast<double>(count), std::move(places));
}

}  // namespace

std::optional<std::uint32_t> registers_of(const KernelFacts& facts, const Compiled* compiled) {
  if (compiled && compiled->registers) return compiled->registers;
  return facts.pressure.known ? std::optional(estimated_registers(facts.pressure)) : std::nullopt;
}

bool probably_spills(const KernelFacts& facts, const Compiled* compiled) {
  if (compiled && compiled->spill_store_bytes) return false;  // it is known
  return facts.pressure.known && facts.register_budget > 0 && facts.pressure.registers > estimate_margin * facts.register_budget;
}

CodeSubject subject_of(const Module& module, const KernelFacts& facts, const Compiled* compiled) {
  CodeSubject subject;
  subject.kernel = facts.name;
  subject.place.file = module.file;
  subject.place.line = facts.function->line;
  Counter counter(module, facts, subject);
  subject.set(Id::instructions, static_cast<double>(facts.instructions));
  counter.set(Id::global_loads, Category::global_load);
  counter.set(Id::global_stores, Category::global_store);
  counter.set(Id::shared_accesses, facts.shared_accesses(), {Category::shared_load, Category::shared_store});
  counter.set(Id::fp64_instructions, Category::fp64);
  subject.set(Id::fp64_memory_operations, static_cast<double>(facts.fp64_memory_operations));
  counter.set(Id::sfu_instructions, Category::sfu);
  counter.set(Id::tensor_instructions, Category::tensor);
  counter.set(Id::atomics, Category::atomic);
  subject.set(Id::conditional_branches, static_cast<double>(facts.conditional_branches));
  subject.set(Id::divergent_branches, static_cast<double>(facts.divergent_branches), counter.places(facts.first_divergent_branch));
  subject.set(Id::loops, static_cast<double>(facts.loops));
  subject.set(Id::global_memory_ratio, facts.global_ratio());
  subject.set(Id::conditional_branch_density, facts.conditional_branch_density());
  subject.set(Id::divergent_branch_density, facts.divergent_branch_density());
  add_costly(module, facts.accesses.uncoalesced, false, facts.accesses.uncoalesced_count, Id::uncoalesced_accesses,
             Id::uncoalesced_sentence, subject);
  add_costly(module, facts.accesses.uncoalesced, true, facts.accesses.blocked_count, Id::thread_blocked_accesses,
             Id::thread_blocked_sentence, subject);
  add_costly(module, facts.accesses.conflicting, false, facts.accesses.conflicting_count, Id::bank_conflict_accesses,
             Id::bank_conflict_sentence, subject);
  add_registers(facts, compiled, counter, subject);
  add_spills(facts, compiled, counter, subject);
  return subject;
}

}  // namespace frx::derive::ptx
