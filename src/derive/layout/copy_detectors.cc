#include "derive/layout/copy_detectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "derive/layout/operator_output.h"

namespace frx::derive::layout {
namespace {

using SiteGroups = std::map<std::uint32_t, std::vector<std::uint32_t>>;  // by site: indices of copies

SiteGroups by_site(const DetectorInput& input, bool (*wanted)(const Copy&)) {
  SiteGroups groups;
  for (std::uint32_t i = 0; i < input.copies.size(); ++i) {
    if (wanted(input.copies[i])) groups[input.sites.of(input.copies[i].node)].push_back(i);
  }
  return groups;
}

bool is_hidden(const Copy& copy) { return copy.origin == CopyOrigin::eager && copy.hot != none && is_of_layout(copy.kind); }
bool is_asked_for(const Copy& copy) { return copy.origin == CopyOrigin::eager && copy.hot == none && is_of_layout(copy.kind); }
// Of operands of convolutions, channels_last tells.
bool is_of_compiler(const Copy& copy) { return copy.origin == CopyOrigin::compiled && copy.hot == none && copy.node != none; }

// Was the tensor that is copied made right before, so that it is another one each time? Only where the operator before is known to
// have a result of another size is the tensor older, and may be the same in every iteration.
bool is_of_new_tensor(const DetectorInput& input, const Copy& copy) {
  const LayoutTrace& trace = input.trace;
  const auto chain = input.chain_to.find(copy.node);
  const std::uint32_t first = chain == input.chain_to.end() ? copy.node : input.chains[chain->second].views.front();
  const RecordedInputs* const inputs = trace.inputs(first);
  const RecordedTensor* const source = inputs ? tensor_at(*inputs, 0) : nullptr;
  const std::uint32_t before = trace.previous_sibling(first);
  if (!source || before == none) return true;
  const OperatorRole role = trace.nodes()[before].role;
  if (role == OperatorRole::view || role == OperatorRole::allocation) return true;  // of several tensors that one operator made
  const RecordedInputs* const inputs_before = trace.inputs(before);
  const std::optional<OperatorOutput> made = inputs_before ? output_of(trace.name(before), *inputs_before) : std::nullopt;
  return !made || element_count(made->sizes) == element_count(source->shape);
}

// The numbers that all findings about copies have.
Candidate summed(const DetectorInput& input, std::span<const std::uint32_t> members) {
  Candidate found;
  const LayoutTrace& trace = input.trace;
  double bytes = 0, time = 0, confidence = 0;
  std::size_t with_bytes = 0;
  for (const std::uint32_t member : members) {
    const Copy& copy = input.copies[member];
    found.nodes.push_back(copy.node);
    found.removed_work.insert(found.removed_work.end(), copy.work.begin(), copy.work.end());
    time += copy.time_ns * copy.layout_share();
    confidence += copy.confidence;
    if (!copy.bytes) continue;
    bytes += *copy.bytes * copy.layout_share();
    ++with_bytes;
  }
  found.node = found.nodes.front();
  found.count = trace.per_step(static_cast<double>(members.size()));
  found.time_ns = trace.per_step(time);
  if (with_bytes == members.size()) found.bytes = trace.per_step(bytes);
  found.confidence = confidence / static_cast<double>(members.size());
  return found;
}

bool knows_tensors(const DetectorInput& input, std::span<const std::uint32_t> members) {
  return std::ranges::all_of(members, [&](std::uint32_t member) { return input.same.is_known(member); });
}

// Of the copies at one site, the most that are of one tensor.
std::size_t most_of_one_tensor(const DetectorInput& input, std::span<const std::uint32_t> members) {
  std::map<std::uint32_t, std::size_t> counts;
  std::size_t most = 1;
  for (const std::uint32_t member : members) most = std::max(most, ++counts[input.same.tensor[member]]);
  return most;
}

// Of the copies at one site within one step and one module, the most that have equal inputs. Without inputs all are taken to be different.
std::size_t most_equal_in_a_step(const DetectorInput& input, std::span<const std::uint32_t> members) {
  if (knows_tensors(input, members)) return most_of_one_tensor(input, members);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> counts;  // step, signature, place
  std::size_t most = 1;
  for (const std::uint32_t member : members) {
    const Copy& copy = input.copies[member];
    const std::uint32_t signature = copy.leaf == none ? none : input.trace.signature(copy.leaf);
    if (signature != none) most = std::max(most, ++counts[{copy.step, signature, input.sites.place_of(copy.node)}]);
  }
  return most;
}

using PlaceCounts = std::map<std::uint32_t, double>;  // by place: copies in all steps

// Copies per step at the place of the group that has most of them.
double count_per_place(const DetectorInput& input, std::span<const std::uint32_t> members, const PlaceCounts& counts) {
  double most = 0;
  for (const std::uint32_t member : members) most = std::max(most, counts.at(input.sites.place_of(input.copies[member].node)));
  return input.trace.per_step(most);
}

// Where a change of the producer spares all copies, and copying once outside of a loop all but one of equal ones.
void add_saving(Candidate& found, double hoisted) {
  found.saving = SavedPerStep{found.time_ns * hoisted, found.time_ns, found.bytes.value_or(0) * hoisted, found.bytes.value_or(0), false};
}

double hoisted_share(std::size_t equal_in_a_step) { return 1 - 1 / static_cast<double>(equal_in_a_step); }

// The share of their time that copying each tensor once would spare here: the first copy of it may be at another site.
double shared_elsewhere(const DetectorInput& input, std::span<const std::uint32_t> members) {
  double spared = 0, all = 0;
  for (const std::uint32_t member : members) {
    all += input.copies[member].time_ns;
    if (!input.same.is_first[member]) spared += input.copies[member].time_ns;
  }
  return all > 0 ? spared / all : 0;
}

void describe_tensor(const DetectorInput& input, const Copy& copy, Candidate& found) {
  const CopyTensors tensors = tensors_of(input.trace, copy);
  if (!tensors.source) return;
  found.words["sizes"] = text_of(tensors.source->shape);
  if (!tensors.source->strides) return;
  found.words["strides"] = text_of(*tensors.source->strides);
  found.words["layout"] = std::string(name_of(layout_of(tensors.source->shape, *tensors.source->strides)));
}

// "transpose(1, 2)": what made the tensor that a copy or an operator takes.
std::string producers_of(const DetectorInput& input, std::uint32_t node) {
  const auto chain = input.chain_to.find(node);
  if (chain == input.chain_to.end()) return "the operator before it";
  std::vector<std::string> names;
  for (const std::uint32_t view : input.chains[chain->second].views) names.emplace_back(plain_name(input.trace.name(view)));
  return join(names, ", ");
}

std::uint32_t outermost_hot(const LayoutTrace& trace, std::uint32_t node) { return trace.outermost_around(node, is_hot); }

std::string_view hidden_pattern(CopyKind kind) {
  if (kind == CopyKind::materialise) return "hidden_expand";
  return kind == CopyKind::compact ? "hidden_slice" : "hidden_copy";
}

// The copy with the longest time stands for the others.
const Copy& longest(const DetectorInput& input, std::span<const std::uint32_t> members) {
  return input.copies[*std::ranges::max_element(members, {}, [&](std::uint32_t member) { return input.copies[member].time_ns; })];
}

// Sizes of the dimensions in the order in which the elements lie in memory.
Dimensions sizes_in_memory(const RecordedTensor& tensor) {
  Dimensions sizes;
  for (const std::uint32_t dimension : physical_order(tensor.shape, *tensor.strides)) sizes.push_back(tensor.shape[dimension]);
  return sizes;
}

struct MemoryOrder {
  Dimensions from, to;
};

std::optional<MemoryOrder> memory_order(const DetectorInput& input, const Copy& copy) {
  const CopyTensors tensors = tensors_of(input.trace, copy);
  if (!tensors.source || !tensors.destination || !tensors.source->strides || !tensors.destination->strides) return std::nullopt;
  return MemoryOrder{sizes_in_memory(*tensors.source), sizes_in_memory(*tensors.destination)};
}

// Numbers of the orders that copies change, so that equal inputs are looked at once.
class OrderNumbers {
 public:
  struct Change {
    std::uint32_t from = none, to = none;  // none: not known
  };
  explicit OrderNumbers(const DetectorInput& input) : input_(input) {}

  Change of(const Copy& copy) {
    if (copy.leaf == none) return {};
    const auto [at, is_new] = known_.try_emplace(input_.trace.same_call(copy.leaf));
    if (!is_new) return at->second;
    if (const std::optional<MemoryOrder> order = memory_order(input_, copy)) at->second = {number(order->from), number(order->to)};
    return at->second;
  }

 private:
  std::uint32_t number(const Dimensions& sizes) {
    return numbers_.try_emplace(sizes, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

  const DetectorInput& input_;
  std::map<Dimensions, std::uint32_t> numbers_;
  std::unordered_map<std::uint64_t, Change> known_;  // by LayoutTrace::same_call of a leaf
};

// Which copies restore the order that another copy of the same step and thread has changed; both of each pair.
std::vector<bool> ping_pong_pairs(const DetectorInput& input) {
  std::vector<bool> paired(input.copies.size());
  OrderNumbers orders(input);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> open;  // not restored yet: from, to
  std::uint32_t step = none;
  for (std::uint32_t i = 0; i < input.copies.size(); ++i) {
    const Copy& copy = input.copies[i];
    if (copy.origin != CopyOrigin::eager || copy.kind != CopyKind::relayout) continue;
    if (copy.step != step) open.clear();
    step = copy.step;
    const OrderNumbers::Change order = orders.of(copy);
    // Of a square matrix the sizes do not tell one order from the other.
    if (order.from == order.to) continue;
    std::vector<std::uint32_t>& before = open[{order.to, order.from}];
    if (before.empty()) {
      open[{order.from, order.to}].push_back(i);
      continue;
    }
    paired[before.back()] = paired[i] = true;
    before.pop_back();
  }
  return paired;
}

// Does the next operator take the source of the copy as it is? Products take transposed operands, and nothing else is assumed.
bool is_late(const DetectorInput& input, const Copy& copy) {
  const std::uint32_t next = input.trace.next_sibling(copy.node);
  if (next == none || input.trace.nodes()[next].role != OperatorRole::gemm) return false;
  const CopyTensors tensors = tensors_of(input.trace, copy);
  if (!tensors.source || !tensors.source->strides || !tensors.destination || copy.kind != CopyKind::relayout) return false;
  const RecordedInputs* const inputs = input.trace.inputs(next);
  if (!inputs || tensors.source->shape.size() < 2) return false;
  const bool takes_it = std::ranges::any_of(inputs->inputs, [&](const RecordedInput& one) {
    return one.kind == RecordedInput::Kind::tensor && one.tensors.front().shape == tensors.destination->shape &&
           one.tensors.front().strides == tensors.destination->strides;
  });
  const bool has_plain_batch = tensors.source->shape.size() <= 3;
  return takes_it && has_plain_batch && is_native_for_gemm(tensors.source->shape, *tensors.source->strides);
}

// By copy: another site that copies the same tensor; none.
std::vector<std::uint32_t> other_sites(const DetectorInput& input) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> sites;  // by tensor
  for (std::uint32_t i = 0; i < input.same.tensor.size(); ++i) {
    if (!input.same.is_known(i) || !is_asked_for(input.copies[i])) continue;
    std::vector<std::uint32_t>& of = sites[input.same.tensor[i]];
    const std::uint32_t site = input.sites.of(input.copies[i].node);
    if (std::ranges::find(of, site) == of.end()) of.push_back(site);
  }
  std::vector<std::uint32_t> others(input.copies.size(), none);
  for (std::uint32_t i = 0; i < input.same.tensor.size(); ++i) {
    const auto of = sites.find(input.same.tensor[i]);
    if (of == sites.end() || of->second.size() < 2 || !is_asked_for(input.copies[i])) continue;
    others[i] = of->second.front() != input.sites.of(input.copies[i].node) ? of->second.front() : of->second[1];
  }
  return others;
}

// What the copies that a program asks for are beside each other.
struct ChurnRelations {
  std::vector<bool> paired;             // see ping_pong_pairs
  std::vector<std::uint32_t> other_at;  // see other_sites
};

std::string_view churn_pattern(const DetectorInput& input, std::span<const std::uint32_t> members, const ChurnRelations& relations,
                               std::size_t equal) {
  const auto most = [&](auto holds) { return static_cast<std::size_t>(std::ranges::count_if(members, holds)) * 2 > members.size(); };
  if (most([&](std::uint32_t member) { return is_late(input, input.copies[member]); })) return "late";
  if (most([&](std::uint32_t member) { return relations.paired[member]; })) return "ping_pong";
  if (most([&](std::uint32_t member) { return relations.other_at[member] != none; })) return "fan_out";
  if (knows_tensors(input, members)) return equal >= 2 ? "loop" : "repeated";
  return equal >= 2 && !most([&](std::uint32_t member) { return is_of_new_tensor(input, input.copies[member]); }) ? "loop" : "repeated";
}

void describe_shared(const DetectorInput& input, std::span<const std::uint32_t> members, const ChurnRelations& relations,
                     Candidate& found) {
  std::uint32_t most = 0;
  for (const std::uint32_t member : members) {
    if (!input.same.is_known(member)) continue;
    most = std::max(most, input.same.copies[input.same.tensor[member]]);
    if (relations.other_at[member] != none) found.words.try_emplace("elsewhere", input.sites[relations.other_at[member]].text());
  }
  if (most > 0) found.facts["copies_of_tensor"] = most;
}

// Kernels of torch.compile that move elements and do nothing else.
void add_copies_of_compiler(const DetectorInput& input, std::vector<Candidate>& all) {
  const SiteGroups groups = by_site(input, is_of_compiler);
  std::size_t copies = 0;
  for (const auto& [site, members] : groups) copies += members.size();
  for (const auto& [site, members] : groups) {
    Candidate found = summed(input, members);
    found.detector = "contiguous_churn";
    found.pattern = "compiled";
    found.facts["count_per_place"] = found.count;
    found.facts["copies_at_all_sites"] = input.trace.per_step(static_cast<double>(copies));
    found.words["kernel"] = std::string(input.trace.kernel_name(longest(input, members).work.front()));
    add_saving(found, 0);
    all.push_back(std::move(found));
  }
}

}  // namespace

DetectorInput detector_input(const LayoutTrace& trace, std::span<const Copy> copies, std::span<const ViewChain> chains, const Sites& sites,
                             const TensorIdentities* identities) {
  DetectorInput input{trace, copies, chains, sites, {}, copies_of_same_tensor(trace, copies, identities)};
  for (std::uint32_t i = 0; i < chains.size(); ++i) {
    if (chains[i].consumer != none) input.chain_to.insert_or_assign(chains[i].consumer, i);
    if (chains[i].copy != none) input.chain_to.insert_or_assign(chains[i].copy, i);
  }
  return input;
}

std::vector<Candidate> hidden_copies(const DetectorInput& input) {
  std::vector<Candidate> all;
  for (const auto& [site, members] : by_site(input, is_hidden)) {
    Candidate found = summed(input, members);
    const Copy& sample = longest(input, members);
    const std::size_t repeated = most_equal_in_a_step(input, members);
    const bool is_sure = knows_tensors(input, members);
    const std::size_t equal = !is_sure && is_of_new_tensor(input, sample) ? 1 : repeated;
    found.detector = "non_contiguous";
    found.pattern = hidden_pattern(sample.kind);
    found.facts["equal_per_step"] = static_cast<double>(equal);
    const std::uint32_t outermost = outermost_hot(input.trace, sample.hot);
    found.words["operator"] = std::string(plain_name(input.trace.name(outermost)));
    found.words["producer"] = producers_of(input, outermost);
    describe_tensor(input, sample, found);
    add_saving(found, hoisted_share(equal));
    if (equal >= 2 && !is_sure)
      found.caveats.emplace_back("the copy can be made once only if the tensor is the same each time, which a trace does not record");
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<Candidate> contiguous_churn(const DetectorInput& input) {
  const SiteGroups groups = by_site(input, is_asked_for);
  const ChurnRelations relations{ping_pong_pairs(input), other_sites(input)};
  std::size_t all_copies = 0;
  PlaceCounts counts;
  for (const auto& [site, members] : groups) {
    all_copies += members.size();
    for (const std::uint32_t member : members) ++counts[input.sites.place_of(input.copies[member].node)];
  }
  std::vector<Candidate> all;
  for (const auto& [site, members] : groups) {
    Candidate found = summed(input, members);
    const Copy& sample = longest(input, members);
    const std::size_t equal = most_equal_in_a_step(input, members);
    found.detector = "contiguous_churn";
    found.pattern = churn_pattern(input, members, relations, equal);
    found.facts["equal_per_step"] = static_cast<double>(equal);
    found.facts["count_per_place"] = count_per_place(input, members, counts);
    found.facts["copies_at_all_sites"] = input.trace.per_step(static_cast<double>(all_copies));
    found.words["operator"] = std::string(plain_name(input.trace.name(sample.node)));
    found.words["producer"] = producers_of(input, sample.node);
    const std::uint32_t next = input.trace.next_sibling(sample.node);
    found.words["consumer"] = next != none ? std::string(plain_name(input.trace.name(next))) : "the next operator";
    describe_tensor(input, sample, found);
    add_saving(found, found.pattern == "fan_out" ? shared_elsewhere(input, members) : hoisted_share(found.pattern == "loop" ? equal : 1));
    describe_shared(input, members, relations, found);
    if (found.pattern == "loop" && !knows_tensors(input, members))
      found.caveats.emplace_back("the copies are of one tensor only if it does not change within the loop, which a trace does not record");
    all.push_back(std::move(found));
  }
  add_copies_of_compiler(input, all);
  return all;
}

}  // namespace frx::derive::layout
