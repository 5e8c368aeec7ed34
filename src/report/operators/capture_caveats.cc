// What two captures differ in beside the change that they are of.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/operators/capture_comparison.h"
#include "report/operators/capture_metadata.h"

namespace frx::report {
namespace {

bool is_known(const std::string& fact) { return !fact.empty() && fact != "not recorded"; }

class Caveats {
 public:
  explicit Caveats(CaptureComparison& comparison) : to_(comparison), before_(comparison.before.facts), after_(comparison.after.facts) {}

  void add_all() {
    for (const std::string& reason : to_.not_comparable) add("not_comparable", reason);
    add_iterations();
    if (to_.batch == BatchCheck::unknown)
      add("batch_not_checked",
          "whether both have a batch of the same size could not be checked: shapes of inputs were not recorded on both "
          "sides, or tell nothing");
    if (to_.before.kind != to_.after.kind)
      add("other_kind",
          fmt::format("one side is a {}, the other a {}: tools differ in what they add to times", to_.before.kind, to_.after.kind));
    add_other("other_model", "the models are called differently", before_.model_name, after_.model_name);
    add_other("other_torch", "the versions of PyTorch differ", before_.torch_version, after_.torch_version);
    add_other("other_compile_mode", "the compile modes differ", before_.compile_mode, after_.compile_mode);
    add_clocks();
    add_times();
    add_flags("before", to_.before);
    add_flags("after", to_.after);
  }

 private:
  void add(std::string_view id, std::string text) { to_.caveats.push_back({id, std::move(text)}); }

  void add_other(std::string_view id, std::string_view what, const std::string& before, const std::string& after) {
    if (is_known(before) && is_known(after) && before != after && !(id == "other_model" && (before == "model" || after == "model")))
      add(id, fmt::format("{}: {} and {}", what, printable(before), printable(after)));
  }

  void add_iterations() {
    if (to_.before.iterations_by == IterationSource::none)
      add("no_iterations", "nothing marks iterations, so each capture counts as one: both must have the same number of them");
    constexpr double told_share = 0.01;
    for (const OperatorCapture* side : {&to_.before, &to_.after}) {
      const double inside = side->ns_per_iteration() * side->iterations(), outside = static_cast<double>(side->outside.gpu_ns);
      if (side->iterations_by != IterationSource::none && outside > told_share * (inside + outside))
        add("outside_iterations", fmt::format("{}: {:.1f} % of kernel time ({}) is in no iteration, and is not compared",
                                              side == &to_.before ? "before" : "after", 100 * outside / (inside + outside),
                                              count_text(side->outside.kernels, "kernel")));
    }
  }

  static std::string words_of(const CaptureClocks& clocks) {
    const auto mhz = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.0f} MHz", *value) : std::string("not stated");
    };
    return fmt::format("{}, memory {}", mhz(clocks.graphics_mhz), mhz(clocks.memory_mhz));
  }

  void add_clocks() {
    const auto &before = before_.clocks, &after = after_.clocks;
    if (!before || !after) {
      add("clocks_not_recorded",
          fmt::format("{} whether its clocks were locked: other clocks alone change times", !before && !after ? "neither side says"
                                                                                            : !before         ? "the first does not say"
                                                                                                              : "the second does not say"));
      return;
    }
    const bool is_first = before->status == "locked", is_second = after->status == "locked";
    if (!is_first || !is_second) {
      add("clocks_not_locked",
          fmt::format("the clocks were not locked {}: other clocks alone change times", !is_first && !is_second ? "on either side"
                                                                                        : !is_first             ? "before"
                                                                                                                : "after"));
    } else if (before->graphics_mhz != after->graphics_mhz || before->memory_mhz != after->memory_mhz) {
      add("other_clocks", fmt::format("the clocks differ: {} before, {} after", words_of(*before), words_of(*after)));
    }
  }

  void add_times() {
    constexpr std::int64_t hour = 3600, far_apart = 6 * hour;
    const auto before = seconds_of_utc(before_.timestamp_utc), after = seconds_of_utc(after_.timestamp_utc);
    if (before && after && std::abs(*after - *before) > far_apart)
      add("far_apart", fmt::format("the captures are {:.0f} hours apart: the machine may have changed",
                                   std::abs(static_cast<double>(*after - *before)) / static_cast<double>(hour)));
  }

  void add_flags(std::string_view side, const OperatorCapture& capture) {
    for (const OperatorFlag& flag : capture.flags) {
      if (flag.id != "cuda_graph_replay") add(flag.id, fmt::format("{}: {}", side, flag.text));
    }
  }

  CaptureComparison& to_;
  const CaptureFacts& before_;
  const CaptureFacts& after_;
};

}  // namespace

void add_caveats(CaptureComparison& comparison) { Caveats(comparison).add_all(); }

}  // namespace frx::report
