#include "report/hot_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace frx::report {
namespace {

using model::CodeAccess;
using model::CodeInstruction;
using model::CodeProfile;

constexpr std::size_t max_hot = 10, few_hot = 3, max_wasteful = 3;
constexpr double min_share_pct = 1, min_waste_pct = 5;
// With fewer samples chance decides: a line that takes half the time shows 36 to 64 % of 50 samples.
constexpr std::uint64_t min_samples = 50;

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// Transfers of one kind by some instructions.
struct Transfers {
  double count = 0, ideal = 0, executed = 0;
  bool loads = false, stores = false, atomics = false;

  void add(std::uint64_t transfers, std::uint64_t best, const CodeAccess& access, std::uint64_t times) {
    count += static_cast<double>(transfers);
    ideal += static_cast<double>(best);
    executed += static_cast<double>(times);
    loads |= access.loads;
    stores |= access.stores;
    atomics |= !access.loads && !access.stores;
  }
};

// The sums of a line or of all lines; those with waste are separate from the others.
struct Traffic {
  Transfers good, wasteful;
  bool measured = false;

  void add(std::uint64_t count, std::uint64_t ideal, const CodeAccess& access, std::uint64_t executed) {
    measured = true;
    (count > ideal ? wasteful : good).add(count, ideal, access, executed);
  }
  double count() const { return good.count + wasteful.count; }
  double excess() const { return wasteful.count - wasteful.ideal; }
};

struct Totals {
  Traffic sectors, wavefronts;
  bool copies = false;  // from global to shared memory
  double executed = 0;
  double threads = 0, executed_by_threads = 0;  // where threads are counted; barriers and the like have none

  void add(const CodeProfile& profile, const CodeInstruction& instruction) {
    executed += static_cast<double>(instruction.executed);
    threads += static_cast<double>(instruction.threads);
    if (instruction.threads > 0) executed_by_threads += static_cast<double>(instruction.executed);
    if (instruction.access == CodeInstruction::none) return;
    const CodeAccess& access = profile.accesses[instruction.access];
    copies |= access.has_sectors && access.has_wavefronts && access.loads && access.stores;
    if (access.has_sectors) sectors.add(access.sectors, access.ideal_sectors, access, instruction.executed);
    if (access.has_wavefronts) wavefronts.add(access.wavefronts, access.ideal_wavefronts, access, instruction.executed);
  }
};

// A copy from global to shared memory is counted with both.
std::string_view access_words(const Transfers& of, bool is_copy) {
  if (is_copy) return "copies";
  return of.atomics || of.loads == of.stores ? "accesses" : of.loads ? "loads" : "stores";
}

std::optional<LineWaste> waste_of(const Traffic& line, const Traffic& kernel, bool is_copy) {
  if (!line.measured) return std::nullopt;
  const Transfers& told = line.excess() > 0 ? line.wasteful : line.good;
  LineWaste waste;
  waste.access = access_words(told, is_copy);
  waste.excess = line.excess();
  waste.of_line_pct = percent(line.excess(), line.count());
  waste.of_kernel_pct = percent(line.excess(), kernel.count());
  if (told.executed > 0) {
    waste.each = told.count / told.executed;
    waste.ideal_each = told.ideal / told.executed;
  }
  return waste;
}

LineStall stall_of(const knowledge::MetricCatalogue& metrics, std::string_view reason) {
  const knowledge::StallReason* const known = metrics.stall_reason(reason);
  return known ? LineStall{known->id, known->state, 0} : LineStall{};
}

class LineBuilder {
 public:
  LineBuilder(const CodeProfile& profile, const knowledge::MetricCatalogue& metrics) : profile_(profile), metrics_(metrics) {
    for (const CodeInstruction& instruction : profile.instructions) kernel_.add(profile, instruction);
  }

  // `instructions`: those of the line, at least one.
  HotLine line(const std::vector<const CodeInstruction*>& instructions) const {
    HotLine line;
    Totals totals;
    std::vector<std::uint64_t> stalls(CodeInstruction::max_reasons);
    for (const CodeInstruction* one : instructions) {
      line.samples += one->samples;
      totals.add(profile_, *one);
      for (std::size_t i = 0; i < stalls.size(); ++i) stalls[i] += one->stalls[i];
    }
    line.instructions = static_cast<std::uint32_t>(instructions.size());
    set_place(*instructions.front(), line);
    set_counts(totals, line);
    if (profile_.has_samples) set_samples(stalls, line);
    return line;
  }

 private:
  void set_place(const CodeInstruction& instruction, HotLine& line) const {
    line.function = printable(profile_.functions[instruction.function]);
    line.in_callee = instruction.function > 0;
    if (instruction.place == CodeInstruction::none) return;
    const model::CodePlace& place = profile_.places[instruction.place];
    line.place = source_place(place);
    line.text = place.text;
    for (std::uint32_t at = place.called_from; at != CodeInstruction::none; at = profile_.places[at].called_from) {
      line.called_from.push_back(source_place(profile_.places[at]));
    }
  }

  SourcePlace source_place(const model::CodePlace& place) const { return {profile_.files[place.file], place.line}; }

  void set_counts(const Totals& totals, HotLine& line) const {
    if (profile_.has_executed) {
      line.executed = totals.executed;
      line.executed_share_pct = percent(totals.executed, static_cast<double>(profile_.executed));
      if (totals.executed_by_threads > 0) line.active_threads = totals.threads / totals.executed_by_threads;
    }
    line.sectors = waste_of(totals.sectors, kernel_.sectors, totals.copies);
    line.wavefronts = waste_of(totals.wavefronts, kernel_.wavefronts, totals.copies);
  }

  void set_samples(const std::vector<std::uint64_t>& stalls, HotLine& line) const {
    line.share_pct = percent(static_cast<double>(line.samples), static_cast<double>(profile_.samples));
    for (std::size_t i = 0; i < profile_.reasons.size(); ++i) {
      if (stalls[i] == 0 || profile_.reasons[i] == "selected") continue;
      line.stalls.push_back(stall_of(metrics_, profile_.reasons[i]));
      line.stalls.back().pct = percent(static_cast<double>(stalls[i]), static_cast<double>(line.samples));
    }
    std::stable_sort(line.stalls.begin(), line.stalls.end(), [](const LineStall& a, const LineStall& b) { return a.pct > b.pct; });
  }

  const CodeProfile& profile_;
  const knowledge::MetricCatalogue& metrics_;
  Totals kernel_;
};

bool hotter(const HotLine& a, const HotLine& b, bool by_samples) {
  if (by_samples && a.samples != b.samples) return a.samples > b.samples;
  return a.executed.value_or(0) > b.executed.value_or(0);
}

double waste_of(const HotLine& line) {
  const auto pct = [](const std::optional<LineWaste>& waste) { return waste ? waste->of_kernel_pct : 0.0; };
  return std::max(pct(line.sectors), pct(line.wavefronts));
}

// Those with a notable share; where it is spread over many, the first few.
std::size_t count_hot(const std::vector<HotLine>& lines, bool by_samples) {
  const auto share = [&](const HotLine& line) { return line.share(by_samples).value_or(0); };
  std::size_t hot = 0;
  while (hot < std::min(max_hot, lines.size()) && share(lines[hot]) >= min_share_pct) ++hot;
  if (hot > 0) return hot;
  while (hot < std::min(few_hot, lines.size()) && share(lines[hot]) > 0) ++hot;
  return hot;
}

// The hottest lines, then those of the others with most waste: a store makes no warp wait, and may still cost bandwidth.
std::vector<HotLine> worth_showing(std::vector<HotLine> lines, bool by_samples) {
  std::stable_sort(lines.begin(), lines.end(), [&](const HotLine& a, const HotLine& b) { return hotter(a, b, by_samples); });
  // The number of executions of an instruction without a line is of no use.
  const bool tells = by_samples || (!lines.empty() && !lines.front().offset);
  const std::size_t hot = tells ? count_hot(lines, by_samples) : 0;
  const auto cold = lines.begin() + static_cast<std::ptrdiff_t>(hot);
  std::vector<HotLine> rest(std::make_move_iterator(cold), std::make_move_iterator(lines.end()));
  lines.erase(cold, lines.end());
  std::stable_sort(rest.begin(), rest.end(), [](const HotLine& a, const HotLine& b) { return waste_of(a) > waste_of(b); });
  for (std::size_t i = 0; i < rest.size() && i < max_wasteful && waste_of(rest[i]) >= min_waste_pct; ++i) {
    lines.push_back(std::move(rest[i]));
  }
  return lines;
}

// One name may have run different code; the one with most samples is analysed.
const CodeProfile* profile_of(const std::vector<CodeProfile>& profiles, std::string_view kernel) {
  const CodeProfile* best = nullptr;
  for (const CodeProfile& profile : profiles) {
    if (profile.kernel != kernel) continue;
    if (!best || std::tie(profile.samples, profile.executed) > std::tie(best->samples, best->executed)) best = &profile;
  }
  return best;
}

}  // namespace

std::vector<HotLine> code_lines(const CodeProfile& profile, const knowledge::MetricCatalogue& metrics) {
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // place, and the function where there is none
  std::map<Key, std::vector<const CodeInstruction*>> groups;
  for (const CodeInstruction& instruction : profile.instructions) {
    const bool placed = instruction.place != CodeInstruction::none;
    groups[{instruction.place, placed ? 0 : instruction.function}].push_back(&instruction);
  }
  const LineBuilder builder(profile, metrics);
  std::vector<HotLine> lines;
  for (const auto& [key, instructions] : groups) lines.push_back(builder.line(instructions));
  return lines;
}

std::vector<HotLine> code_instructions(const CodeProfile& profile, const knowledge::MetricCatalogue& metrics) {
  const LineBuilder builder(profile, metrics);
  std::vector<HotLine> lines;
  for (const CodeInstruction& instruction : profile.instructions) {
    lines.push_back(builder.line({&instruction}));
    lines.back().offset = instruction.offset;
  }
  return lines;
}

HotCode hot_code(const std::vector<CodeProfile>& profiles, std::string_view kernel, const knowledge::MetricCatalogue& metrics) {
  HotCode code;
  const CodeProfile* const profile = profile_of(profiles, kernel);
  if (!profile || (!profile->has_samples && !profile->has_executed)) return code;
  code.samples = profile->samples;
  code.by_samples = profile->has_samples && (profile->samples >= min_samples || !profile->has_executed);
  code.has_places = !profile->places.empty();
  std::vector<HotLine> lines = code.has_places ? code_lines(*profile, metrics) : code_instructions(*profile, metrics);
  code.of_lines = lines.size();
  code.lines = worth_showing(std::move(lines), code.by_samples);
  return code;
}

}  // namespace frx::report
