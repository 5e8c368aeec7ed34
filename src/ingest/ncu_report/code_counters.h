// Metrics of a report with one value per instruction, added up per kernel.
//
//   smsp__pcsamp_warps_issue_stalled_wait   {0x7f0012c04f10: 8, 0x7f0012c04f20: 31, ...}
//   launch__function_pcs                    {0: 0x7f0012c04f00}      where the code of the kernel began
//
// Names of stall samples come from data/metrics (stall_REASON_samples), so that every spelling is listed there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/ncu_report/launch.h"
#include "knowledge/metrics.h"
#include "model/code_profile.h"

namespace frx::ingest::nsight {

// The longest kernel seen has 20,046 instructions. The last limit bounds the memory to about 60 MB.
struct CodeLimits {
  // The stalls of a kernel are the same in every launch; a report may hold a hundred million values about them.
  std::uint64_t launches_of_kernel = 16;
  std::size_t kernels = 200;
  std::size_t instructions_of_kernel = 50'000;
  std::size_t instructions = 250'000;
};

class CodeCounters {
 public:
  explicit CodeCounters(const knowledge::MetricCatalogue& metrics, CodeLimits limits = {}) : metrics_(metrics), limits_(limits) {}

  // Takes the next name of the report's table. Names without a meaning here cost nothing later.
  void add_name(std::string_view metric);
  // How many names have a meaning.
  const std::vector<std::string>& names_used() const { return names_used_; }

  // Throws protozero::exception on damaged bytes: call inside decoding().
  void take(const Launch& launch, const std::string& kernel);

  // Code of one kernel, and the data that is needed to find its lines.
  struct Code {
    model::CodeProfile profile;
    std::uint64_t source = 0;                                         // Launch::source
    std::vector<std::uint64_t> begins;                                // addresses of the functions in the last launch, the kernel first
    std::vector<std::pair<std::uint64_t, std::uint32_t>> by_address;  // begins with their numbers
    std::unordered_map<std::uint64_t, std::uint32_t> index;           // function and offset -> instruction
    std::uint32_t function = 0;                                       // of the instruction that was found last
    std::uint64_t function_begin = 0, function_end = 0;               // its addresses in this launch; equal: none was found yet
    std::size_t next = 0;                                             // index after the instruction that was found last
    bool cut = false;                                                 // has more instructions than the limit
  };
  // The codes in order of appearance, with instructions in order. Leaves this object empty.
  std::vector<Code> finish();

  const CodeLimits& limits() const { return limits_; }
  // Launches beyond the first of their kernel, which are skipped.
  std::uint64_t launches_beyond() const { return launches_beyond_; }
  // Launches with code that is skipped, because there are more kernels than the limit.
  std::uint64_t launches_left_out() const { return launches_left_out_; }

 private:
  enum class What : std::uint8_t {
    nothing,
    function_begins,
    executed,
    samples,
    stall,
    threads,
    sectors,
    ideal_sectors,
    wavefronts,
    ideal_wavefronts,
    access
  };
  struct Role {
    What what = What::nothing;
    std::uint8_t reason = 0;
  };
  struct Wanted {
    Role role;
    const MetricResult* metric;
  };

  Role role_of(std::string_view metric);
  std::vector<Wanted> wanted_in(const Launch& launch) const;
  Code* code_of(const Launch& launch, const std::string& kernel, std::vector<std::uint64_t> begins);
  void add_up(Code& code, const std::vector<Wanted>& wanted);
  void add_metric(Code& code, const Wanted& wanted, bool stalls_are_samples);
  static bool move_to_function(Code& code, std::uint64_t address);
  model::CodeInstruction* instruction(Code& code, std::uint64_t address, bool create);
  model::CodeInstruction* other_instruction(Code& code, std::uint64_t offset, bool create);

  const knowledge::MetricCatalogue& metrics_;
  CodeLimits limits_;
  std::vector<Role> roles_;  // by name
  std::vector<std::string> names_used_;
  std::vector<std::string> reasons_;
  std::vector<Code> codes_;
  std::map<std::tuple<std::string, std::uint64_t, std::size_t>, std::size_t> known_;  // kernel, source, functions -> code
  std::size_t kept_instructions_ = 0;
  std::map<std::string, std::uint64_t> looked_at_;  // launches that were read, by kernel
  std::uint64_t launches_left_out_ = 0;
  std::uint64_t launches_beyond_ = 0;
};

}  // namespace frx::ingest::nsight
