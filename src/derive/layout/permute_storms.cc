// Detector "permute_storm" (derive/layout/copy_detectors.h).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "derive/layout/copy_detectors.h"

namespace frx::derive::layout {
namespace {

// Nothing: the chain is as chains usually are.
std::string_view storm_pattern(const ViewChain& chain, bool has_cost) {
  constexpr std::size_t long_chain = 3;
  if (chain.permutations == 0) return {};
  // One view and its copy are a matter of the copy ("contiguous_churn").
  if (has_cost) return chain.views.size() >= 2 ? "ends_in_copy" : "";
  if (chain.composed && is_identity(*chain.composed) && chain.permutations >= 2) return "identity";
  return chain.views.size() >= long_chain ? "long" : "frequent";
}

// transpose(1, 2), view(8, 128): as a program would write the views, where their values were recorded.
std::string text_of_views(const LayoutTrace& trace, const ViewChain& chain) {
  constexpr std::size_t most_shown = 6;
  std::vector<std::string> texts;
  for (const std::uint32_t view : chain.views) {
    if (texts.size() == most_shown) {
      texts.emplace_back("...");
      break;
    }
    std::vector<std::string> values;
    if (const RecordedInputs* const inputs = trace.inputs(view)) {
      for (const RecordedInput& one : inputs->inputs) {
        if (one.kind == RecordedInput::Kind::value) values.push_back(one.text);
      }
    }
    texts.push_back(fmt::format("{}({})", plain_name(trace.name(view)), fmt::join(values, ", ")));
  }
  return join(texts, " > ");
}

class StormFinder {
 public:
  explicit StormFinder(const DetectorInput& input) : input_(input) {
    for (std::uint32_t i = 0; i < input.copies.size(); ++i) {
      if (is_of_layout(input.copies[i].kind)) copy_at_.emplace(input.copies[i].node, i);
    }
  }

  std::vector<Candidate> find() {
    std::map<std::pair<std::uint32_t, std::string_view>, std::vector<const ViewChain*>> groups;  // site, pattern
    for (const ViewChain& chain : input_.chains) {
      const std::string_view pattern = storm_pattern(chain, copy_of(chain) != nullptr);
      if (!pattern.empty()) groups[{input_.sites.of(chain.views.front()), pattern}].push_back(&chain);
    }
    std::vector<Candidate> all;
    for (const auto& [key, chains] : groups) all.push_back(of_group(key.second, chains));
    return all;
  }

 private:
  const Copy* copy_of(const ViewChain& chain) const {
    const auto at = chain.copy == none ? copy_at_.end() : copy_at_.find(chain.copy);
    return at == copy_at_.end() ? nullptr : &input_.copies[at->second];
  }

  Candidate of_group(std::string_view pattern, const std::vector<const ViewChain*>& chains) const {
    Candidate found;
    const LayoutTrace& trace = input_.trace;
    double views = 0, permutations = 0, cpu = 0;
    for (const ViewChain* const chain : chains) {
      found.nodes.insert(found.nodes.end(), chain->views.begin(), chain->views.end());
      views += static_cast<double>(chain->views.size());
      permutations += static_cast<double>(chain->permutations);
      cpu += chain->cpu_ns;
    }
    found.detector = "permute_storm";
    found.pattern = pattern;
    found.node = chains.front()->views.front();
    found.count = trace.per_step(static_cast<double>(chains.size()));
    found.confidence = trace.has_shapes() ? (trace.has_values() ? 0.9 : 0.7) : 0.5;
    found.facts["views_per_chain"] = views / static_cast<double>(chains.size());
    found.facts["permutes_per_step"] = trace.per_step(permutations);
    found.facts["cpu_us_per_step"] = trace.per_step(cpu) / 1000;
    found.words["chain"] = text_of_views(trace, *chains.front());
    if (const auto& composed = chains.front()->composed) found.words["net"] = fmt::format("permute({})", fmt::join(*composed, ", "));
    const std::uint32_t next = chains.front()->copy != none ? chains.front()->copy : chains.front()->consumer;
    found.words["consumer"] = next != none ? std::string(plain_name(trace.name(next))) : "the next operator";
    found.words["first"] = std::string(plain_name(trace.name(found.node)));
    if (pattern == "ends_in_copy") {
      add_copies(chains, found);
    } else {
      found.saving = SavedPerStep{0, trace.per_step(cpu), 0, 0, true};
      found.bytes = 0;
    }
    return found;
  }

  void add_copies(const std::vector<const ViewChain*>& chains, Candidate& found) const {
    double bytes = 0, time = 0;
    bool knows_bytes = true;
    std::set<std::uint32_t> seen;
    for (const ViewChain* const chain : chains) {
      const Copy* const copy = copy_of(*chain);
      if (!copy || !seen.insert(copy->node).second) continue;
      found.nodes.push_back(copy->node);
      found.removed_work.insert(found.removed_work.end(), copy->work.begin(), copy->work.end());
      time += copy->time_ns * copy->layout_share();
      knows_bytes = knows_bytes && copy->bytes.has_value();
      bytes += copy->bytes.value_or(0) * copy->layout_share();
    }
    std::ranges::sort(found.nodes);
    found.time_ns = input_.trace.per_step(time);
    if (knows_bytes) found.bytes = input_.trace.per_step(bytes);
    found.saving = SavedPerStep{0, found.time_ns, 0, found.bytes.value_or(0), false};
  }

  const DetectorInput& input_;
  std::unordered_map<std::uint32_t, std::uint32_t> copy_at_;
};

}  // namespace

std::vector<Candidate> permute_storms(const DetectorInput& input) { return StormFinder(input).find(); }

}  // namespace frx::derive::layout
