#include "report/layout/layout_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.h"

namespace frx::report {
namespace {

// Means of steps differ by rounding, bytes by steps of other shapes; times of one recording by much more.
constexpr double same_count_pct = 1, same_bytes_pct = 2, same_time_pct = 10;

// What makes two findings one, from the strictest to the loosest. "": such a finding has no key of this kind.
using KeyOf = std::string (*)(const LayoutRecordFinding&);

std::string key_with(const LayoutRecordFinding& one, std::initializer_list<std::string_view> parts) {
  std::string key = fmt::format("{}\n{}\n{}", one.detector, one.site.op_path, one.site.backward);
  for (const std::string_view part : parts) key.append("\n").append(part);
  return key;
}

// With the same line, or between the same operators with the same shapes.
std::string whole_key(const LayoutRecordFinding& one) {
  return key_with(one, {one.pattern, one.site.module, one.site.file, std::to_string(one.site.line), one.site.beside, one.site.shapes});
}
// Lines and shapes may differ.
std::string moved_key(const LayoutRecordFinding& one) {
  return key_with(one, {one.pattern, one.site.module, one.site.file, one.site.function, one.site.beside});
}
std::string module_key(const LayoutRecordFinding& one) { return one.site.module.empty() ? "" : key_with(one, {one.site.module}); }
std::string file_key(const LayoutRecordFinding& one) { return one.site.file.empty() ? "" : key_with(one, {one.site.file}); }
// Where there is no place in the program, the path of operators and what they are called on.
std::string shape_key(const LayoutRecordFinding& one) {
  return !one.site.file.empty() || !one.site.module.empty() ? "" : key_with(one, {one.pattern, one.site.shapes});
}

struct KeyStage {
  KeyOf key;
  bool is_whole;
};
constexpr std::array<KeyStage, 5> key_stages = {
    {{whole_key, true}, {moved_key, false}, {module_key, false}, {file_key, false}, {shape_key, false}}};

bool differs(double before, double after, double least_pct) { return std::abs(after - before) > least_pct / 100 * std::max(before, after); }

// The default name of a program is that of its trace.
bool is_named(const LayoutRecord& record) { return !record.model.empty() && record.model != file_name_in(record.trace); }

class LayoutDiffer {
 public:
  LayoutDiffer(LayoutRecord before, LayoutRecord after) {
    diff_.before = std::move(before);
    diff_.after = std::move(after);
  }

  LayoutDiff diff() {
    compare_sides();
    match();
    compare_totals();
    std::ranges::stable_sort(diff_.findings, {}, &LayoutFindingChange::change);
    return std::move(diff_);
  }

 private:
  const LayoutRecord& before() const { return diff_.before; }
  const LayoutRecord& after() const { return diff_.after; }

  void compare_sides() {
    if (is_named(before()) && is_named(after()) && before().model != after().model) {
      other_model_ = fmt::format("the programs are {} and {}", before().model, after().model);
      diff_.inconclusive.push_back(other_model_ + ": new and gone findings may be those of another program, and totals are not compared");
    }
    const bool knows_gpus = !before().gpu.empty() && !after().gpu.empty();
    if ((knows_gpus && before().gpu != after().gpu) || before().is_cpu_only != after().is_cpu_only) {
      other_gpu_ = fmt::format("the GPUs are {} and {}", gpu_of(before()), gpu_of(after()));
      diff_.inconclusive.push_back(other_gpu_ + ": times are not compared, nor what depends on the kernels of a GPU");
    } else if (!knows_gpus && !before().is_cpu_only) {
      diff_.notes.emplace_back("the GPU is not known of both sides: times are compared as if it were one");
    }
    if (before().level != after().level)
      diff_.inconclusive.push_back(fmt::format("the evidence is {} and {}: what only one of them can tell is neither new nor gone",
                                               level_of(before()), level_of(after())));
    if (!before().sha256.empty() && before().sha256 == after().sha256) diff_.notes.emplace_back("both reports are of the same trace");
  }
  static std::string gpu_of(const LayoutRecord& record) {
    return record.is_cpu_only ? "none" : record.gpu.empty() ? "not known" : record.gpu;
  }
  static std::string level_of(const LayoutRecord& record) { return record.level.empty() ? "of an unknown level" : record.level; }

  void match() {
    std::vector<bool> is_used_before(before().findings.size()), is_used_after(after().findings.size());
    for (const KeyStage& stage : key_stages) {
      std::map<std::string, std::vector<std::size_t>> waiting;  // the first in rank last
      for (std::size_t i = before().findings.size(); i-- > 0;) {
        const std::string key = is_used_before[i] ? "" : stage.key(before().findings[i]);
        if (!key.empty()) waiting[key].push_back(i);
      }
      for (std::size_t i = 0; i < after().findings.size(); ++i) {
        const auto found = is_used_after[i] ? waiting.end() : waiting.find(stage.key(after().findings[i]));
        if (found == waiting.end() || found->second.empty()) continue;
        is_used_before[found->second.back()] = is_used_after[i] = true;
        put_pair(found->second.back(), i, !stage.is_whole);
        found->second.pop_back();
      }
    }
    for (std::size_t i = 0; i < is_used_after.size(); ++i) {
      if (!is_used_after[i]) put_single(LayoutOutcome::added, std::nullopt, i);
    }
    for (std::size_t i = 0; i < is_used_before.size(); ++i) {
      if (!is_used_before[i]) put_single(LayoutOutcome::gone, i, std::nullopt);
    }
    const bool has_pair = std::ranges::any_of(diff_.findings, [](const LayoutFindingChange& one) { return one.before && one.after; });
    if (!has_pair && !before().findings.empty() && !after().findings.empty())
      diff_.notes.emplace_back("no finding of one side is one of the other: are they of the same program?");
    const auto by_rank = [](const LayoutFindingChange& one) { return one.after ? std::pair(0, *one.after) : std::pair(1, *one.before); };
    std::ranges::sort(diff_.findings, {}, by_rank);
  }

  void put_pair(std::size_t first, std::size_t second, bool has_moved) {
    LayoutFindingChange change;
    change.before = first;
    change.after = second;
    change.has_moved = has_moved;
    const LayoutRecordFinding &a = before().findings[first], &b = after().findings[second];
    change.numbers = {{"freq_per_step", "", a.freq, b.freq, ""},
                      {"bytes_per_step", "byte", a.bytes, b.bytes, ""},
                      {"time_us_per_step", "us", a.time_us, b.time_us, other_gpu_}};
    judge(change);
    diff_.findings.push_back(std::move(change));
  }

  void judge(LayoutFindingChange& change) const {
    const LayoutNumberChange &count = change.numbers[0], &bytes = change.numbers[1], &time = change.numbers[2];
    if (!other_model_.empty()) return put(change, LayoutOutcome::inconclusive, other_model_);
    if (bytes.is_compared() && differs(*bytes.before, *bytes.after, same_bytes_pct))
      return by(change, bytes, "moves", "fewer", "bytes in a step");
    if (count.is_compared() && differs(*count.before, *count.after, same_count_pct))
      return by(change, count, "happens", "less", "often in a step");
    if (time.is_compared() && differs(*time.before, *time.after, same_time_pct))
      return by(change, time, "takes", "less", "time in a step, of one recording each: record again to be sure");
    const bool is_known = count.is_compared() || bytes.is_compared() || time.is_compared();
    if (!is_known) return put(change, LayoutOutcome::inconclusive, "neither count, bytes nor time are known of both sides");
    put(change, LayoutOutcome::same, "");
  }

  static void put(LayoutFindingChange& change, LayoutOutcome verdict, std::string reason) {
    change.change = verdict;
    change.reason = std::move(reason);
  }
  static void by(LayoutFindingChange& change, const LayoutNumberChange& number, std::string_view verb, std::string_view less,
                 std::string_view what) {
    const bool is_more = *number.after > *number.before;
    put(change, is_more ? LayoutOutcome::worse : LayoutOutcome::better, fmt::format("it {} {} {}", verb, is_more ? "more" : less, what));
  }

  void put_single(LayoutOutcome verdict, std::optional<std::size_t> first, std::optional<std::size_t> second) {
    LayoutFindingChange change;
    change.before = first;
    change.after = second;
    const LayoutRecordFinding& finding = first ? before().findings[*first] : after().findings[*second];
    const std::optional<double> none;
    change.numbers = {{"freq_per_step", "", first ? finding.freq : none, first ? none : finding.freq, ""},
                      {"bytes_per_step", "byte", first ? finding.bytes : none, first ? none : finding.bytes, ""},
                      {"time_us_per_step", "us", first ? finding.time_us : none, first ? none : finding.time_us, ""}};
    const std::string doubt = doubt_about(finding, verdict);
    put(change, doubt.empty() ? verdict : LayoutOutcome::inconclusive, doubt);
    diff_.findings.push_back(std::move(change));
  }

  // Why the other side may lack a finding for another reason than the program; "".
  std::string doubt_about(const LayoutRecordFinding& finding, LayoutOutcome verdict) const {
    const LayoutRecord& other = verdict == LayoutOutcome::added ? before() : after();
    const LayoutRecord& own = verdict == LayoutOutcome::added ? after() : before();
    const auto lacks = [&](const LayoutRecord& record) {
      return std::ranges::find(record.not_assessed, finding.detector) != record.not_assessed.end();
    };
    if (!other_model_.empty()) return other_model_;
    if (lacks(other) && !lacks(own)) {
      return fmt::format("{} was not assessed, or in part, {} ({})", finding.detector, verdict == LayoutOutcome::added ? "before" : "after",
                         level_of(other));
    }
    const bool depends_on_gpu = finding.detector == "channels_last" || finding.detector == "memory_bound";
    return depends_on_gpu ? other_gpu_ : "";
  }

  void compare_totals() {
    const LayoutRecordTotals &a = before().totals, &b = after().totals;
    const std::string& program = other_model_;
    const std::string& machine = other_model_.empty() ? other_gpu_ : other_model_;
    diff_.totals = {{"contiguous_calls_per_step", "", a.contiguous_calls, b.contiguous_calls, program},
                    {"copies_per_step", "", a.copies, b.copies, program},
                    {"layout_bytes_per_step", "byte", a.layout_bytes, b.layout_bytes, program},
                    {"bytes_per_step", "byte", a.bytes, b.bytes, program},
                    {"layout_time_us_per_step", "us", a.layout_time_us, b.layout_time_us, machine},
                    {"gpu_time_us_per_step", "us", a.gpu_time_us, b.gpu_time_us, machine},
                    {"bw_overhead_pct", "%", a.bw_overhead_pct, b.bw_overhead_pct, program},
                    {"time_overhead_pct", "%", a.time_overhead_pct, b.time_overhead_pct, machine},
                    {"coverage_pct", "%", a.coverage_pct, b.coverage_pct, program}};
  }

  LayoutDiff diff_;
  std::string other_model_, other_gpu_;  // sentences; "": they are the same, as far as it is known
};

}  // namespace

std::string_view name_of(LayoutOutcome change) {
  switch (change) {
    case LayoutOutcome::added: return "new";
    case LayoutOutcome::worse: return "worse";
    case LayoutOutcome::better: return "better";
    case LayoutOutcome::same: return "same";
    case LayoutOutcome::gone: return "gone";
    case LayoutOutcome::inconclusive: break;
  }
  return "inconclusive";
}

std::optional<double> LayoutNumberChange::change_pct() const {
  return is_compared() && *before != 0 ? std::optional(100 * (*after - *before) / *before) : std::nullopt;
}

std::size_t LayoutDiff::count(LayoutOutcome change) const {
  return static_cast<std::size_t>(std::ranges::count(findings, change, &LayoutFindingChange::change));
}

const LayoutRecordFinding& LayoutDiff::finding(const LayoutFindingChange& change) const {
  return change.after ? after.findings[*change.after] : before.findings[*change.before];
}

LayoutDiff diff_layouts(LayoutRecord before, LayoutRecord after) { return LayoutDiffer(std::move(before), std::move(after)).diff(); }

int exit_code_of(const LayoutDiff& diff, LayoutFailure failure) {
  if (failure == LayoutFailure::never) return 0;
  bool may_be = false;
  for (const LayoutFindingChange& one : diff.findings) {
    if (failure == LayoutFailure::high && diff.finding(one).severity != LayoutSeverity::high) continue;
    const bool is_new = one.change == LayoutOutcome::added;
    if (is_new || (failure != LayoutFailure::added && one.change == LayoutOutcome::worse)) return 1;
    const bool may_be_new = one.change == LayoutOutcome::inconclusive && one.after && (!one.before || failure != LayoutFailure::added);
    may_be = may_be || may_be_new;
  }
  return may_be ? 3 : 0;
}

}  // namespace frx::report
