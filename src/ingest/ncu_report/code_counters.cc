#include "ingest/ncu_report/code_counters.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "ingest/ncu_report/fields.h"

namespace frx::ingest::nsight {
namespace {

using model::CodeAccess;
using model::CodeInstruction;

// The limit of functions that a kernel calls; no real report has more.
constexpr std::size_t max_functions = 1000;
// Memory operations of an instruction as bits: of the opcodes, LD, LDG, LDL and LDS have the first, their ST the second,
// LDGSTS both. This agrees with the counts per opcode in reports of 2019 to 2026.
constexpr std::uint64_t load_bit = 2, store_bit = 4;

template <typename Number>
void add_to(Number& sum, std::uint64_t value) {
  const std::uint64_t headroom = std::numeric_limits<Number>::max() - sum;
  sum = static_cast<Number>(sum + std::min(headroom, value));
}

bool round_to(double real, std::uint64_t& count) {
  if (!(real >= 0 && real < 1e18)) return false;
  count = static_cast<std::uint64_t>(real + 0.5);
  return true;
}

bool read_any_count(std::string_view message, std::uint64_t& count) {
  bool found = false;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 2:
      case 3: found = round_to(field.real(), count); break;
      case 4:
      case 5: count = field.integer(), found = true; break;
      default: field.skip();
    }
  }
  return found;
}

// False when the value is no number. The result is not an optional, which would cost as much as the reading.
[[gnu::always_inline]] inline bool read_count(std::string_view message, std::uint64_t& count) {
  double real = 0;
  if (read_whole_integer(message, count)) return true;
  return read_whole_double(message, real) ? round_to(real, count) : read_any_count(message, count);
}

struct KeyAndValue {
  std::string_view key, value;
};

KeyAndValue read_any_instance(std::string_view message) {
  KeyAndValue instance;
  for (Fields part(message); part.next();) {
    switch (part.number()) {
      case 1: instance.key = part.bytes(); break;
      case 2: instance.value = part.bytes(); break;
      default: part.skip();
    }
  }
  return instance;
}

[[gnu::always_inline]] inline KeyAndValue read_instance(std::string_view message) {
  // The key and then the value, and nothing else.
  constexpr char key_field = 1 << 3 | 2, value_field = 2 << 3 | 2;
  const char* const at = message.data();
  const std::size_t size = message.size();
  if (size >= 4 && at[0] == key_field && static_cast<unsigned char>(at[1]) <= size - 4) {
    const std::size_t key = static_cast<unsigned char>(at[1]);
    if (at[2 + key] == value_field && static_cast<unsigned char>(at[3 + key]) == size - 4 - key && size < 0x80) {
      return {message.substr(2, key), message.substr(4 + key)};
    }
  }
  return read_any_instance(message);
}

// Calls take(key, count) for the instances whose key is a whole number; nothing is allocated.
template <typename Take>
void each_count(const MetricResult& metric, bool zeros, const Take& take) {
  for (Fields field(metric.message); field.next();) {
    if (field.number() != 3) {
      field.skip();
      continue;
    }
    field.each_message([&](std::string_view message) {
      const auto [key, value] = read_instance(message);
      std::uint64_t count = 0, address = 0;
      if (!read_count(value, count) || (count == 0 && !zeros)) return;
      if (read_count(key, address)) take(address, count);
    });
  }
}

// Instances are in the order of their addresses.
std::uint64_t first_address(const MetricResult& metric) {
  for (Fields field(metric.message); field.next();) {
    if (field.number() != 3) {
      field.skip();
      continue;
    }
    std::uint64_t address = 0;
    for (Fields part(field.bytes()); part.next();) {
      if (part.number() != 1) {
        part.skip();
      } else if (read_count(part.bytes(), address)) {
        return address;
      }
    }
  }
  return std::numeric_limits<std::uint64_t>::max();
}

// The start addresses of functions, in the order of the report: the kernel is the first.
std::vector<std::uint64_t> begins_in(const MetricResult& metric) {
  std::vector<std::uint64_t> begins;
  each_count(metric, true, [&](std::uint64_t, std::uint64_t address) {
    if (begins.size() < max_functions) begins.push_back(address);
  });
  return begins;
}

using ByAddress = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

ByAddress sorted_by_address(const std::vector<std::uint64_t>& begins) {
  ByAddress sorted;
  for (std::uint32_t i = 0; i < begins.size(); ++i) sorted.emplace_back(begins[i], i);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

CodeAccess& access_of(model::CodeProfile& profile, CodeInstruction& instruction) {
  if (instruction.access == CodeInstruction::none) {
    instruction.access = static_cast<std::uint32_t>(profile.accesses.size());
    profile.accesses.emplace_back();
  }
  return profile.accesses[instruction.access];
}

}  // namespace

CodeCounters::Role CodeCounters::role_of(std::string_view metric) {
  struct Name {
    std::string_view text;
    What what;
  };
  // Up to 2020 the sectors had shorter names. The meaning of their shared memory counters is uncertain: they are not used.
  constexpr Name names[] = {{"launch__function_pcs", What::function_begins},
                            {"inst_executed", What::executed},
                            {"smsp__pcsamp_sample_count", What::samples},
                            {"thread_inst_executed_true", What::threads},
                            {"memory_l2_theoretical_sectors_global", What::sectors},
                            {"memory_l2_theoretical_sectors_global_ideal", What::ideal_sectors},
                            {"memory_l2_sectors_global", What::sectors},
                            {"memory_l2_sectors_global_ideal", What::ideal_sectors},
                            {"memory_l1_wavefronts_shared", What::wavefronts},
                            {"memory_l1_wavefronts_shared_ideal", What::ideal_wavefronts},
                            {"memory_access_type", What::access}};
  for (const Name& name : names) {
    if (name.text == metric) return {name.what, 0};
  }
  if (metric.find("pcsamp") == metric.npos) return {};
  const std::optional<model::Metric> known = metrics_.called("", metric, std::nullopt);
  if (!known) return {};
  std::string_view id = metrics_[*known].id;
  if (!id.starts_with("stall_") || !id.ends_with("_samples") || id.ends_with("_not_issued_samples")) return {};
  id.remove_prefix(std::string_view("stall_").size());
  id.remove_suffix(std::string_view("_samples").size());
  const auto reason = std::find(reasons_.begin(), reasons_.end(), id);
  if (reason == reasons_.end() && reasons_.size() == CodeInstruction::max_reasons) return {};
  const auto at = static_cast<std::uint8_t>(reason - reasons_.begin());
  if (reason == reasons_.end()) reasons_.emplace_back(id);
  return {What::stall, at};
}

void CodeCounters::add_name(std::string_view metric) {
  roles_.push_back(role_of(metric));
  if (roles_.back().what != What::nothing) names_used_.emplace_back(metric);
}

// In the order of What, so that instructions exist before anything is added to them.
std::vector<CodeCounters::Wanted> CodeCounters::wanted_in(const Launch& launch) const {
  std::vector<Wanted> wanted;
  for (const MetricResult& metric : launch.metrics) {
    if (!metric.has_instances || metric.name >= roles_.size()) continue;
    const Role role = roles_[metric.name];
    if (role.what != What::nothing) wanted.push_back({role, &metric});
  }
  std::stable_sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.role.what < b.role.what; });
  return wanted;
}

void CodeCounters::take(const Launch& launch, const std::string& kernel) {
  std::vector<Wanted> wanted = wanted_in(launch);
  if (wanted.empty()) return;
  if (++looked_at_[kernel] > limits_.launches_of_kernel) {
    ++launches_beyond_;
    return;
  }
  std::vector<std::uint64_t> begins;
  if (wanted.front().role.what == What::function_begins) {
    begins = begins_in(*wanted.front().metric);
    std::erase_if(wanted, [](const Wanted& one) { return one.role.what == What::function_begins; });
  }
  if (wanted.empty()) return;
  if (begins.empty()) {  // the first instruction is always listed
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const Wanted& one : wanted) first = std::min(first, first_address(*one.metric));
    begins = {first};
  }
  if (Code* const code = code_of(launch, kernel, std::move(begins))) add_up(*code, wanted);
}

CodeCounters::Code* CodeCounters::code_of(const Launch& launch, const std::string& kernel, std::vector<std::uint64_t> begins) {
  const auto [known, is_new] = known_.try_emplace({kernel, launch.source, begins.size()}, codes_.size());
  if (is_new && codes_.size() >= limits_.kernels) {
    known_.erase(known);
    ++launches_left_out_;
    return nullptr;
  }
  if (is_new) {
    Code& code = codes_.emplace_back();
    code.profile.kernel = kernel;
    code.source = launch.source;
    code.profile.functions.resize(begins.size());
    code.profile.functions[0] = launch.mangled.empty() ? launch.function : launch.mangled;
  }
  Code& code = codes_[known->second];
  code.by_address = sorted_by_address(begins);
  code.begins = std::move(begins);
  code.function_begin = code.function_end = 0;
  ++code.profile.launches;
  return &code;
}

void CodeCounters::add_up(Code& code, const std::vector<Wanted>& wanted) {
  bool has[static_cast<std::size_t>(What::access) + 1] = {};
  const auto measured = [&](What what) -> bool& { return has[static_cast<std::size_t>(what)]; };
  bool every_reason = false;  // only the full set of reasons has the one that is not a stall
  for (const Wanted& one : wanted) {
    measured(one.role.what) = true;
    if (one.role.what == What::stall && reasons_[one.role.reason] == "selected") every_reason = true;
  }
  // A count without its ideal value means nothing.
  const bool sectors = measured(What::sectors) && measured(What::ideal_sectors);
  const bool wavefronts = measured(What::wavefronts) && measured(What::ideal_wavefronts);
  const bool stalls_are_samples = !measured(What::samples) && every_reason;
  code.profile.has_samples |= measured(What::samples) || stalls_are_samples;
  code.profile.has_executed |= measured(What::executed);
  for (const Wanted& one : wanted) {
    const What what = one.role.what;
    if ((what == What::sectors || what == What::ideal_sectors) && !sectors) continue;
    if ((what == What::wavefronts || what == What::ideal_wavefronts) && !wavefronts) continue;
    add_metric(code, one, stalls_are_samples);
  }
}

void CodeCounters::add_metric(Code& code, const Wanted& wanted, bool stalls_are_samples) {
  model::CodeProfile& profile = code.profile;
  const Role role = wanted.role;
  // Most instructions have most numbers 0; `executed` lists them all.
  each_count(*wanted.metric, role.what == What::executed, [&](std::uint64_t address, std::uint64_t count) {
    if (role.what == What::samples || (role.what == What::stall && stalls_are_samples)) add_to(profile.samples, count);
    if (role.what == What::executed) add_to(profile.executed, count);
    CodeInstruction* const at = instruction(code, address, role.what != What::access);
    if (!at) return;
    switch (role.what) {
      case What::executed: add_to(at->executed, count); break;
      case What::samples: add_to(at->samples, count); break;
      case What::stall:
        add_to(at->stalls[role.reason], count);
        if (stalls_are_samples) add_to(at->samples, count);
        break;
      case What::threads: add_to(at->threads, count); break;
      case What::sectors: add_to(access_of(profile, *at).sectors, count), access_of(profile, *at).has_sectors = true; break;
      case What::ideal_sectors: add_to(access_of(profile, *at).ideal_sectors, count); break;
      case What::wavefronts: add_to(access_of(profile, *at).wavefronts, count), access_of(profile, *at).has_wavefronts = true; break;
      case What::ideal_wavefronts: add_to(access_of(profile, *at).ideal_wavefronts, count); break;
      case What::access:
        if (at->access == CodeInstruction::none) break;
        profile.accesses[at->access].loads = (count & load_bit) != 0;
        profile.accesses[at->access].stores = (count & store_bit) != 0;
        break;
      case What::nothing:
      case What::function_begins: break;
    }
  });
}

bool CodeCounters::move_to_function(Code& code, std::uint64_t address) {
  // The address lies in the function with the nearest begin before it.
  const auto behind = std::upper_bound(code.by_address.begin(), code.by_address.end(), std::pair{address, CodeInstruction::none});
  if (behind == code.by_address.begin()) return false;
  code.function = std::prev(behind)->second;
  code.function_begin = std::prev(behind)->first;
  code.function_end = behind == code.by_address.end() ? std::numeric_limits<std::uint64_t>::max() : behind->first;
  return true;
}

CodeInstruction* CodeCounters::instruction(Code& code, std::uint64_t address, bool create) {
  const bool same_function = address >= code.function_begin && address < code.function_end;
  if (!same_function && !move_to_function(code, address)) return nullptr;
  const std::uint64_t offset = address - code.function_begin;
  if (offset >= CodeInstruction::none) return nullptr;
  // Usually the instruction after the last one: the metrics list them in the same order.
  std::vector<CodeInstruction>& all = code.profile.instructions;
  if (code.next < all.size() && all[code.next].function == code.function && all[code.next].offset == offset) return &all[code.next++];
  return other_instruction(code, offset, create);
}

CodeInstruction* CodeCounters::other_instruction(Code& code, std::uint64_t offset, bool create) {
  std::vector<CodeInstruction>& all = code.profile.instructions;
  const std::uint64_t key = std::uint64_t{code.function} << 32 | offset;
  if (const auto known = code.index.find(key); known != code.index.end()) {
    code.next = known->second + 1;
    return &all[known->second];
  }
  if (!create) return nullptr;
  if (all.size() >= limits_.instructions_of_kernel || kept_instructions_ >= limits_.instructions) {
    code.cut = true;
    return nullptr;
  }
  ++kept_instructions_;
  code.index.emplace(key, static_cast<std::uint32_t>(all.size()));
  CodeInstruction& added = all.emplace_back();
  added.function = code.function;
  added.offset = static_cast<std::uint32_t>(offset);
  return &added;
}

std::vector<CodeCounters::Code> CodeCounters::finish() {
  for (Code& code : codes_) {
    code.profile.reasons = reasons_;
    code.index = {};
    std::vector<CodeInstruction>& all = code.profile.instructions;
    std::sort(all.begin(), all.end(), [](const CodeInstruction& a, const CodeInstruction& b) {
      return a.function != b.function ? a.function < b.function : a.offset < b.offset;
    });
  }
  known_.clear();
  return std::move(codes_);
}

}  // namespace frx::ingest::nsight
