#include "layout/expected.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace frx::testing::layout {
namespace {

// Parts of all traffic below which a copy is too small to be asked for, and from which it has to be found. The specification draws the line
// of a single call at 2 %; what is near it depends on how the traffic of other kernels is estimated.
constexpr double no_share = 0.007, large_share = 0.06, hidden_share = 0.01, no_time_share = 0.015;
// Of the peak, around the line of 40 %.
constexpr double low_efficiency = 0.36, some_efficiency = 0.46;

bool is_layout_copy(CopyKind kind) {
  return kind == CopyKind::relayout || kind == CopyKind::materialise || kind == CopyKind::compact || kind == CopyKind::cast_relayout;
}

bool is_permutation(const ViewSeen& view) { return !view.order.empty(); }

// A site as the program has it. A recording without stacks shows less: there sites of one operator may be counted together.
struct Key {
  Site site;
  OperatorPath path;
  auto operator<=>(const Key&) const = default;
};

class Derivation {
 public:
  Derivation(const Seen& seen, const std::set<int>& steps, const Recording& recording, const Gpu& gpu)
      : seen_(seen), steps_(steps), recording_(recording), gpu_(gpu) {}

  std::vector<Expectation> all() {
    hidden_copies();
    calls_of_contiguous();
    copies_otherwise();
    view_runs();
    permutations_per_site();
    convolutions();
    kernels();
    if (!seen_.unstable.empty()) unstable_strides();
    return std::move(result_);
  }

 private:
  static Key key_of(const Site& site, const OperatorPath& path) { return {site, path}; }
  double per_step(double total) const { return total / static_cast<double>(steps_.size()); }
  double total_bytes_per_step() const { return seen_.total_bytes / static_cast<double>(all_steps()); }
  std::size_t all_steps() const {
    std::set<int> steps;
    for (const KernelSeen& kernel : seen_.kernels) steps.insert(kernel.step);
    return std::max<std::size_t>(steps.size(), 1);
  }

  // Copies of one site. The operators that name it: those that PyTorch called, but not the copy that all share.
  struct Copies {
    std::vector<Site> sites;
    std::set<std::string> operators;
    double count = 0, bytes = 0, us = 0;
  };
  template <typename Wanted>
  std::map<Key, Copies> copies_where(const Wanted& is_wanted) const {
    std::map<Key, Copies> groups;
    for (const CopySeen& copy : seen_.copies) {
      if (!steps_.contains(copy.step) || !is_layout_copy(copy.kind) || !is_wanted(copy)) continue;
      Copies& group = groups[key_of(copy.site, copy.path)];
      group.sites.push_back(copy.site);
      group.operators.insert(copy.path.front());
      for (const std::string& name : copy.path) {
        if (name != "aten::copy_" && name != "aten::clone") group.operators.insert(name);
      }
      group.count += 1;
      group.bytes += static_cast<double>(copy.bytes);
      group.us += copy.us;
    }
    return groups;
  }
  void add(std::string_view detector, const Copies& copies, bool is_required, std::string why, bool is_backward = false) {
    result_.push_back({detector, copies.sites, copies.operators, is_backward, is_required, is_required ? per_step(copies.count) : 0,
                       is_required && recording_.has_strides ? static_cast<std::int64_t>(per_step(copies.bytes)) : 0, std::move(why)});
  }
  double share_of(const Copies& copies) const { return per_step(copies.bytes) / total_bytes_per_step(); }
  double time_share_of(const Copies& copies) const {
    double all = 0;
    for (const KernelSeen& kernel : seen_.kernels) all += steps_.contains(kernel.step) ? kernel.us : 0;
    return copies.us / all;
  }
  // Of the last of n steps a part is missing where a file is cut off: what is rare in a step may seem rarer.
  double least_per_step(double count) const {
    const auto steps = static_cast<double>(steps_.size());
    return recording_.is_truncated ? per_step(count) * (steps - 1) / steps : per_step(count);
  }

  // Detector 1: the copy is below an operator that needed other strides.
  void hidden_copies() {
    for (const auto& [key, copies] : copies_where([](const CopySeen& copy) { return !copy.is_backward && !copy.hot.empty(); })) {
      add(non_contiguous, copies, share_of(copies) >= hidden_share, "PyTorch copies below " + key.path.front());
    }
  }

  // Detector 2: the program called contiguous(), and each event is a copy.
  void calls_of_contiguous() {
    const auto groups =
        copies_where([](const CopySeen& copy) { return !copy.is_backward && copy.hot.empty() && copy.path.front() == "aten::contiguous"; });
    double calls = 0;
    std::map<int, double> by_line;  // modules of one class share their lines; without stacks all sites are one
    const auto line_of = [&](const Key& key) { return recording_.has_stacks ? key.site.line : 0; };
    for (const auto& [key, copies] : groups) {
      calls += per_step(copies.count);
      by_line[line_of(key)] += per_step(copies.count);
    }
    for (const auto& [key, copies] : groups) {
      const bool repeats = least_per_step(copies.count) >= 2;
      const double share = share_of(copies);
      // One small copy in a step is no churn.
      if (share < no_share && time_share_of(copies) < no_time_share && calls < 7 && by_line[line_of(key)] < 2) continue;
      const bool is_required = (repeats && share >= hidden_share) || (recording_.has_shapes && share >= large_share);
      add(contiguous_churn, copies, is_required,
          repeats ? "contiguous() is called repeatedly at one site" : "one call moves a large part of all bytes");
    }
  }

  // Copies that other operators asked for, and those of the backward pass, are layout copies of the same kind: reporting them is right, but
  // whose they are is not defined.
  void copies_otherwise() {
    for (const auto& [key, copies] :
         copies_where([](const CopySeen& copy) { return !copy.is_backward && copy.path.front() != "aten::contiguous"; })) {
      add(contiguous_churn, copies, false, "a layout copy that is no call of contiguous()");
    }
    std::set<Site> sites;
    for (const CopySeen& copy : seen_.copies) {
      if (copy.is_backward && is_layout_copy(copy.kind)) sites.insert(copy.site);
    }
    if (sites.empty()) return;
    for (const std::string_view detector : {non_contiguous, contiguous_churn, permute_storm, memory_bound}) {
      result_.push_back({detector, {sites.begin(), sites.end()}, {}, true, false, 0, 0, "a layout copy of the backward pass"});
    }
  }

  static Expectation of_run(const ViewRun& run) {
    Expectation result = {permute_storm, {}, {}, run.is_backward, false, 0, 0, ""};
    for (const ViewSeen& view : run.views) {
      result.sites.push_back(view.site);
      result.operators.insert(view.name);
    }
    result.operators.insert(run.end.begin(), run.end.end());
    return result;
  }

  // The views of a run that follow one tensor to its end.
  static std::vector<ViewSeen> chain_of(const ViewRun& run) {
    std::vector<ViewSeen> chain;
    int wanted = run.copied != 0 ? run.copied : run.views.back().to;
    for (auto view = run.views.rbegin(); view != run.views.rend(); ++view) {
      if (view->to != wanted) continue;
      chain.insert(chain.begin(), *view);
      wanted = view->from;
    }
    return chain;
  }

  // Whether neighbouring permutations of one tensor undo each other.
  static bool holds_identity(const std::vector<ViewSeen>& chain) {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      const ViewSeen &first = chain[i], &second = chain[i + 1];
      if (!is_permutation(first) || !is_permutation(second) || first.order.size() != second.order.size()) continue;
      bool is_identity = true, is_moved = false;
      for (std::size_t k = 0; k < second.order.size(); ++k) {
        const auto from = static_cast<std::size_t>((second.order[k] + static_cast<std::int64_t>(second.order.size())) %
                                                   static_cast<std::int64_t>(second.order.size()));
        is_identity &= first.order[from] == static_cast<std::int64_t>(k);
        is_moved |= first.order[k] != static_cast<std::int64_t>(k);
      }
      if (is_identity && is_moved) return true;
    }
    return false;
  }

  // Detector 3: three views or more with a permutation among them and a copy at the end; permutations that cancel out.
  void view_runs() {
    std::set<std::tuple<std::vector<Site>, std::set<std::string>, bool>> known;
    for (const ViewRun& run : seen_.runs) {
      if (!steps_.contains(run.step)) continue;
      // Autograd turns matrices there and back around products, which no program can change: that is no finding.
      if (run.is_backward && run.copied == 0) continue;
      const std::vector<ViewSeen> chain = chain_of(run);
      const bool is_long = chain.size() >= 3 && run.copied != 0 && std::ranges::any_of(chain, is_permutation);
      const bool is_undone = holds_identity(chain);
      // Any run of three, and any that ends in a copy, is a chain by the letter of the definition.
      if (!is_long && !is_undone && run.views.size() < 3 && run.copied == 0) continue;
      Expectation one = of_run(run);
      one.is_required = !run.is_backward && (is_long || (is_undone && recording_.has_shapes && recording_.has_concrete_inputs));
      one.why = is_undone ? "permutations cancel out" : is_long ? "a chain of views ends in a copy" : "a chain of views";
      if (known.emplace(one.sites, one.operators, one.is_required).second) result_.push_back(std::move(one));
    }
  }

  // Detector 3 again: eight permutations or more in a step at one site. Without stacks sites of one operator are one, and then it is a
  // matter of definition whether they are counted together.
  void permutations_per_site() {
    std::map<Site, double> counts;
    std::map<std::string, double> by_name;
    for (const ViewRun& run : seen_.runs) {
      if (!steps_.contains(run.step) || run.is_backward) continue;
      for (const ViewSeen& view : run.views) {
        if (!is_permutation(view)) continue;
        counts[view.site] += per_step(1);
        by_name[view.name] += per_step(1);
      }
    }
    double all = 0;
    for (const auto& [name, count] : by_name) all += count;
    for (const auto& [site, count] : counts) {
      const bool is_loop = count >= 8;
      if (!is_loop && (recording_.has_stacks || all < 8)) continue;
      result_.push_back({permute_storm,
                         {site},
                         {"aten::permute", "aten::transpose", "aten::t"},
                         false,
                         is_loop,
                         0,
                         0,
                         is_loop ? "permutations repeat at one site" : "permutations of several sites"});
    }
  }

  // Detector 4. One answer for a network: convolutions whose data could lie as NHWC, told by conversions below them or by their kernels.
  void convolutions() {
    Expectation required = {channels_last,
                            {},
                            {"aten::conv2d", "aten::convolution", "aten::_convolution", "aten::cudnn_convolution"},
                            false,
                            true,
                            0,
                            0,
                            "NCHW where NHWC is native"};
    Expectation allowed = required;
    for (const ConvolutionSeen& one : seen_.convolutions) {
      if (!steps_.contains(one.step) || one.is_channels_last || one.is_ambiguous) continue;
      const bool has_path = one.type == Scalar::f16 || one.type == Scalar::bf16 || (one.type == Scalar::f32 && gpu_.tf32_flops_per_us > 0);
      if (!has_path) continue;
      const bool is_shown = one.has_relayout_kernels || (recording_.has_strides && one.has_nchw_kernel);
      const bool is_required = is_shown && one.has_aligned_channels && !one.has_image_channels && !one.is_grouped;
      // Of other shapes conversions may be reported, and without strides what kernels are called.
      const bool is_allowed = one.has_relayout_kernels || one.has_aligned_channels;
      if (is_required) required.sites.push_back(one.site);
      if (is_required || is_allowed) allowed.sites.push_back(one.site);
    }
    if (!required.sites.empty()) result_.push_back(required);
    allowed.is_required = false;
    if (allowed.sites.empty()) return;
    result_.push_back(allowed);
    allowed.is_backward = true;
    allowed.operators.clear();
    result_.push_back(allowed);
    Expectation pooling = allowed;  // belongs to the same change
    pooling.is_backward = false;
    pooling.operators = {"aten::max_pool2d", "aten::max_pool2d_with_indices", "aten::batch_norm"};
    result_.push_back(pooling);
  }

  // Detector 5: elementwise kernels of more bytes than the cache holds that reach less than 40 % of the peak. Copies do, too, but they are
  // findings of the detectors above.
  void kernels() {
    struct Group {
      std::vector<Site> sites;
      std::set<std::string> operators;
      bool is_required = true;
    };
    std::map<std::pair<Key, bool>, Group> groups;
    for (const KernelSeen& kernel : seen_.kernels) {
      if (!steps_.contains(kernel.step) || kernel.path.empty()) continue;
      const double efficiency = static_cast<double>(kernel.bytes) / kernel.us / gpu_.bytes_per_us;
      const double slack = recording_.has_whole_microseconds ? 1 / kernel.us : 0;
      if (efficiency > some_efficiency * (1 + slack) || static_cast<double>(kernel.bytes) < 0.8 * gpu_.l2_bytes) continue;
      if (!kernel.is_elementwise && !kernel.is_copy) continue;
      const bool is_clear = kernel.is_elementwise && !kernel.is_copy && !kernel.is_backward && kernel.us > 11 &&
                            efficiency < low_efficiency * (1 - slack) && static_cast<double>(kernel.bytes) > 1.25 * gpu_.l2_bytes;
      Group& group = groups[{key_of(kernel.site, kernel.path), kernel.is_backward}];
      group.sites.push_back(kernel.site);
      group.operators.insert(kernel.path.begin(), kernel.path.end());
      group.is_required &= is_clear;
    }
    for (const auto& [key, group] : groups) {
      result_.push_back(
          {memory_bound, group.sites, group.operators, key.second, group.is_required, 0, 0, "strided reads waste most of the bandwidth"});
    }
  }

  // Detector 6: one answer for a program; any operator that sees the tensor, or what was computed from it, may name it.
  void unstable_strides() {
    Expectation one = {stride_instability, {}, {}, false, true, 0, 0, "strides, or graphs, change from step to step"};
    bool is_compiled = false;
    for (const auto& [site, name] : seen_.unstable) {
      one.sites.push_back(site);
      one.operators.insert(name);
      is_compiled |= name == "Torch-Compiled Region";
    }
    one.is_required = is_compiled || recording_.has_strides;
    result_.push_back(one);
    one.is_required = false;
    one.is_backward = true;
    one.operators.clear();
    result_.push_back(one);
  }

  const Seen& seen_;
  const std::set<int>& steps_;
  const Recording& recording_;
  const Gpu& gpu_;
  std::vector<Expectation> result_;
};

}  // namespace

std::set<std::string_view> assessable_detectors(const Recording& recording) {
  if (recording.has_shapes) return {non_contiguous, contiguous_churn, permute_storm, channels_last, memory_bound, stride_instability};
  return {contiguous_churn, permute_storm, stride_instability};
}

std::vector<Expectation> expectations(const Seen& seen, const std::set<int>& steps, const Recording& recording, const Gpu& gpu) {
  return Derivation(seen, steps, recording, gpu).all();
}

}  // namespace frx::testing::layout
