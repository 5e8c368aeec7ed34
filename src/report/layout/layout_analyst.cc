#include "report/layout/layout_analyst.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "base/intervals.h"
#include "base/text.h"
#include "derive/compare/kernel_spelling.h"
#include "derive/layout/copy_detectors.h"
#include "derive/layout/stride_stability.h"
#include "derive/trace/modules.h"
#include "report/trace_gpu_use.h"

namespace frx::report {
namespace {

using derive::layout::Candidate;
using derive::layout::Copy;
using derive::layout::LayoutTrace;
using derive::layout::none;
using derive::layout::OperatorRole;
using knowledge::LayoutDetector;
using knowledge::LayoutPattern;

std::string shown_number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::optional<double> share_of(std::optional<double> part, std::optional<double> whole) {
  return part && whole && *whole > 0 ? std::optional(100 * *part / *whole) : std::nullopt;
}

// The GPUs with work, as the trace names them.
std::vector<model::TracedGpu> used_gpus(const LayoutTrace& trace) {
  std::set<std::int32_t> devices;
  for (const derive::trace::GpuWork& work : trace.attribution().work) {
    devices.insert(trace.timeline().tracks[trace.timeline().track[work.event]].device);
  }
  std::vector<model::TracedGpu> used;
  for (const model::TracedGpu& gpu : trace.timeline().facts.gpus) {
    if (devices.contains(gpu.id)) used.push_back(gpu);
  }
  return used;
}

struct KnownGpu {
  const knowledge::GpuProduct* product = nullptr;  // null: unknown
  std::optional<model::ComputeCapability> cc;
  std::string name;
};

Result<KnownGpu> gpu_of(const LayoutTrace& trace, const LayoutRequest& request, const knowledge::Knowledge& known) {
  KnownGpu gpu;
  const std::vector<model::TracedGpu> used = used_gpus(trace);
  if (!request.gpu_model.empty()) {
    TRY_ASSIGN(const knowledge::GpuMatch match, knowledge::match_option(known.gpus, request.gpu_model));
    gpu.product = knowledge::certain_product(match);
    if (match.limits) gpu.cc = match.limits->cc;
    gpu.name = gpu.product ? std::string(gpu.product->name) : request.gpu_model;
    return gpu;
  }
  if (used.empty()) return gpu;
  gpu.product = gpu_of_all(known, used);
  gpu.cc = used.front().cc;
  gpu.name = used.front().name;
  return gpu;
}

// Copies from and to the host run beside kernels, and are no work of the GPU itself.
double union_of_work(const LayoutTrace& trace) {
  std::map<std::int32_t, std::vector<Interval>> by_device;
  const model::Timeline& timeline = trace.timeline();
  for (std::uint32_t i = 0; i < trace.attribution().work.size(); ++i) {
    if (trace.step_of_work(i) == none) continue;
    const std::uint32_t event = trace.attribution().work[i].event;
    if (trace.is_transfer(event)) continue;
    by_device[timeline.tracks[timeline.track[event]].device].push_back({timeline.start[event], timeline.end(event)});
  }
  double busy = 0;
  for (auto& [device, intervals] : by_device) busy += static_cast<double>(total(united(std::move(intervals))));
  return busy;
}

// Forward passes of the whole model: the outermost module that takes most of the time. Without modules each step is one.
std::uint64_t passes_of(const LayoutTrace& trace) {
  const model::Timeline& timeline = trace.timeline();
  const derive::trace::ModuleRanges modules = derive::trace::module_ranges(timeline, {});
  std::map<std::uint32_t, std::pair<std::int64_t, std::uint64_t>> roots;  // by name: time and number
  for (const std::uint32_t row : modules.rows) {
    if (modules.around[row] != none || trace.step_at(timeline.start[row]) == none) continue;
    roots[timeline.name[row]].first += timeline.duration[row];
    ++roots[timeline.name[row]].second;
  }
  if (roots.empty()) return trace.steps().size();
  return std::ranges::max_element(roots, {}, [](const auto& root) { return root.second.first; })->second.second;
}

std::string_view remedy_for(std::string_view level) {
  if (level == "operators") return "record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]";
  if (level == "shapes") return "record with record_shapes=True";
  if (level == "strides") return "record with PyTorch 2.4 or later and record_shapes=True";
  return "record with with_stack=True";
}

bool has_level(const LayoutTrace& trace, std::string_view level) {
  if (level == "operators") return trace.has_operators();
  if (level == "shapes") return trace.has_shapes();
  if (level == "strides") return trace.has_strides();
  return level == "stacks" ? trace.has_stacks() : true;
}

class Analysis {
 public:
  Analysis(const LayoutTrace& trace, const LayoutRequest& request, const knowledge::LayoutKnowledge& detectors, const KnownGpu& gpu)
      : trace_(trace), request_(request), detectors_(detectors), gpu_(gpu), report_(std::make_shared<LayoutReport>()) {}

  std::shared_ptr<LayoutReport> run(const knowledge::KernelClasses& classes) {
    copies_ = derive::layout::copies_of(trace_, classes);
    describe_trace();
    count_traffic();
    count_totals();
    find_all();
    look_at_all();
    find_objections();
    judge_all();
    rank();
    add_further_savings();
    add_notes();
    return std::move(report_);
  }

 private:
  void describe_trace() {
    const model::Timeline& timeline = trace_.timeline();
    report_->source = timeline.source;
    report_->model = request_.model;
    report_->gpu = gpu_.name;
    if (!timeline.facts.runtime_version.empty())
      report_->runtime = fmt::format("{} {}", timeline.facts.is_rocm ? "ROCm" : "CUDA", timeline.facts.runtime_version);
    report_->level = trace_.level();
    report_->has_shapes = trace_.has_shapes();
    report_->has_strides = trace_.has_strides();
    report_->has_stacks = trace_.has_stacks();
    report_->has_values = trace_.has_values();
    report_->is_cpu_only = !trace_.has_gpu_work();
    report_->steps_named = trace_.steps().name;
    report_->first_step = trace_.steps().numbers.front();
    report_->last_step = trace_.steps().numbers.back();
    report_->left_out_warm_up = trace_.steps().first_left_out;
  }

  // Kernels by which libraries convert have bytes of their own, or none; no share of those of the convolution.
  void count_traffic() {
    std::vector<std::uint32_t> conversions;
    for (const Copy& copy : copies_) {
      if (copy.origin == derive::layout::CopyOrigin::library) conversions.insert(conversions.end(), copy.work.begin(), copy.work.end());
    }
    std::ranges::sort(conversions);
    traffic_ = derive::layout::traffic_of_work(trace_, conversions);
    for (const Copy& copy : copies_) {
      if (copy.origin == derive::layout::CopyOrigin::library && copy.bytes)
        derive::layout::set_bytes(traffic_, copy.work.front(), *copy.bytes);
    }
    use_measured_bytes();
  }

  void use_measured_bytes() {
    if (request_.measured_bytes.empty()) return;
    const std::size_t count = trace_.attribution().work.size();
    derive::layout::MeasuredTraffic measured{std::vector<double>(count, std::nan("")), std::vector<double>(count, std::nan(""))};
    std::size_t kernel = 0;
    for (std::size_t i = 0; i < count && kernel < request_.measured_bytes.size(); ++i) {
      if (trace_.timeline().kind[trace_.attribution().work[i].event] != model::EventKind::kernel) continue;
      measured.bytes[i] = request_.measured_bytes[kernel++];
    }
    derive::layout::replace_by_measured(traffic_, measured);
    report_->measured_by = request_.measured_by;
    for (Copy& copy : copies_) {
      double bytes = 0;
      for (const std::uint32_t work : copy.work) bytes += measured.bytes[work];
      if (!copy.work.empty() && !std::isnan(bytes)) copy.bytes = bytes;
    }
  }

  void count_totals() {
    LayoutTotals& totals = report_->totals;
    totals.steps = trace_.steps().size();
    totals.passes = passes_of(trace_);
    double calls = 0;
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      if (trace_.nodes()[node].step == none) continue;
      ++totals.operators;
      // Where nothing is inside of it, it found its tensor contiguous.
      calls += trace_.name(node) == "aten::contiguous" && trace_.nodes()[node].end > node + 1;
    }
    totals.contiguous_calls = trace_.per_step(calls);
    double step_time = 0;
    for (const Interval& span : trace_.steps().spans) step_time += static_cast<double>(span.length());
    totals.step_us = trace_.per_step(step_time) / 1000;
    totals.busy_us = report_->is_cpu_only ? totals.step_us : trace_.per_step(union_of_work(trace_)) / 1000;
    add_copies(totals);
    totals.time_overhead_pct = share_of(totals.layout_time_us, totals.busy_us);
    const derive::layout::TrafficTotals traffic = derive::layout::totals_of(trace_, traffic_);
    if (const std::optional<double> covered = traffic.coverage()) totals.coverage_pct = 100 * *covered;
    if (totals.coverage_pct.value_or(0) >= detectors_.ranking().least_coverage_pct) {
      totals.bytes = traffic.bytes_per_step;
      totals.bw_overhead_pct = share_of(totals.layout_bytes, totals.bytes);
    }
    if (!report_->is_cpu_only && totals.step_us > 0 && !trace_.steps().name.empty())
      totals.idle_pct = std::max(0.0, 100 * (1 - totals.busy_us / totals.step_us));
  }

  void add_copies(LayoutTotals& totals) const {
    double count = 0, bytes = 0, time = 0, known_time = 0;
    for (const Copy& copy : copies_) {
      if (!is_of_layout(copy.kind)) continue;
      count += 1;
      time += copy.time_ns * copy.layout_share();
      if (copy.bytes) known_time += copy.time_ns * copy.layout_share();
      bytes += copy.bytes.value_or(0) * copy.layout_share();
    }
    totals.copies = trace_.per_step(count);
    totals.layout_time_us = trace_.per_step(time) / 1000;
    totals.layout_bytes_partial = known_time < time;
    if (100 * known_time >= detectors_.ranking().least_coverage_pct * time) totals.layout_bytes = trace_.per_step(bytes);
  }

  void find_all() {
    const std::vector<derive::layout::ViewChain> chains = derive::layout::view_chains(trace_);
    std::vector<std::uint32_t> nodes;
    for (const Copy& copy : copies_) nodes.push_back(copy.node);
    for (const derive::layout::ViewChain& chain : chains) nodes.push_back(chain.views.front());
    const derive::layout::Sites sites(trace_, std::move(nodes));
    const derive::layout::DetectorInput input = derive::layout::detector_input(trace_, copies_, chains, sites);
    take(derive::layout::hidden_copies(input));
    take(derive::layout::contiguous_churn(input));
    take(derive::layout::permute_storms(input));
    derive::layout::ChannelsLast convolutions = derive::layout::channels_last(trace_, copies_, {gpu_.cc});
    report_->convolutions = convolutions.counts;
    if (!convolutions.not_assessed.empty()) refused_["channels_last"] = convolutions.not_assessed;
    take(std::move(convolutions.found));
    find_memory_bound();
    find_instability();
    latent_ = derive::layout::latent_inputs(input);
  }

  void find_memory_bound() {
    const LayoutDetector* const detector = detectors_.detector("memory_bound");
    if (!detector || !trace_.has_shapes()) return;
    if (!trace_.has_gpu_work()) {
      refused_["memory_bound"] = "no GPU work was recorded";
      return;
    }
    if (!gpu_.product || !gpu_.product->memory_bandwidth_gbps) {
      refused_["memory_bound"] = "the bandwidth of the GPU is not known: name it with --gpu-model";
      return;
    }
    derive::layout::MemoryBoundKernels kernels =
        derive::layout::memory_bound(trace_, traffic_, peaks_of(*gpu_.product), limits_of(*detector));
    report_->kernel_classes = kernels.classes;
    report_->classes_assessed = true;
    // Copies that other detectors tell how to spare are no second finding.
    std::vector<bool> is_told(trace_.attribution().work.size());
    for (const Candidate& candidate : candidates_) {
      for (const std::uint32_t work : candidate.removed_work) is_told[work] = true;
    }
    std::erase_if(kernels.found, [&](const Candidate& one) {
      return std::ranges::all_of(one.removed_work, [&](std::uint32_t work) { return is_told[work]; });
    });
    take(std::move(kernels.found));
  }

  static derive::layout::GpuPeaks peaks_of(const knowledge::GpuProduct& product) {
    const auto scaled = [](std::optional<double> value, double scale) { return value ? std::optional(*value * scale) : std::nullopt; };
    return {scaled(product.memory_bandwidth_gbps, 1e9), scaled(product.l2_mb, 1 << 20), scaled(product.peak_tflops("fp32"), 1e12),
            scaled(product.peak_tflops("fp16_tensor"), 1e12)};
  }

  static derive::layout::MemoryBoundLimits limits_of(const LayoutDetector& detector) {
    derive::layout::MemoryBoundLimits limits;
    const auto set = [&](std::string_view name, double& value, double scale) {
      const auto at = detector.limits.find(name);
      if (at != detector.limits.end()) value = at->second * scale;
    };
    set("saturated_pct", limits.saturated_share, 0.01);
    set("saturated_pct", limits.reachable_share, 0.01);
    set("inefficient_pct", limits.inefficient_share, 0.01);
    set("least_us", limits.shortest_ns, 1000);
    set("latency_us", limits.latency_ns, 1000);
    return limits;
  }

  void find_instability() {
    derive::layout::StrideStability stability = derive::layout::stride_instability(trace_, request_.log ? &*request_.log : nullptr);
    take(std::move(stability.candidates));
    for (std::string& sentence : stability.not_assessed) report_->not_assessed.push_back({"stride_instability", std::move(sentence), ""});
  }

  // Where conversions between NCHW and channels-last cost least, over the whole graph.
  void look_at_all() {
    std::vector<derive::layout::SeenConversion> seen;
    for (const Copy& copy : copies_) {
      const bool converts = is_of_layout(copy.kind) && copy.kind != derive::layout::CopyKind::materialise;
      if (copy.step == 0 && converts) seen.push_back({copy.node, copy.bytes, copy.time_ns});
    }
    const std::optional<double> gbps = gpu_.product ? gpu_.product->memory_bandwidth_gbps : std::nullopt;
    GlobalView& view = report_->global;
    view.costs = derive::layout::global_layout(trace_, seen, gbps ? std::optional(*gbps * 1e9) : std::nullopt);
    constexpr std::size_t most_shown = 20;
    for (const derive::layout::GlobalConversion& one : view.costs.conversions) {
      if (view.conversions.size() == most_shown) break;
      const auto name = [&](std::uint32_t node) { return node == none ? "the input" : std::string(trace_.name(node)); };
      view.conversions.push_back({name(one.producer), name(one.consumer), derive::layout::text_of(one.sizes),
                                  one.to == derive::layout::TensorLayout::channels_last ? "channels_last" : "contiguous", one.bytes});
    }
  }

  void take(std::vector<Candidate> found) {
    for (Candidate& one : found) candidates_.push_back(std::move(one));
  }

  std::optional<double> fact(const Candidate& candidate, std::string_view name) const {
    if (name == "count_per_step") return candidate.count;
    if (name == "confidence") return candidate.confidence;
    if (name == "time_share_pct") return share_of(candidate.time_ns / 1000, report_->totals.busy_us);
    if (name == "bytes_share_pct") return report_->totals.bw_overhead_pct ? share_of(candidate.bytes, report_->totals.bytes) : std::nullopt;
    const auto at = candidate.facts.find(name);
    return at == candidate.facts.end() ? std::nullopt : std::optional(at->second);
  }

  void judge_all() {
    std::vector<std::uint32_t> nodes;
    for (const Candidate& candidate : candidates_) {
      if (candidate.node != none) nodes.push_back(candidate.node);
      nodes.insert(nodes.end(), candidate.nodes.begin(), candidate.nodes.end());  // a site counts the modules that it is in
    }
    const derive::layout::Sites sites(trace_, std::move(nodes));
    for (const LayoutDetector& detector : detectors_.detectors()) note_level(detector);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const LayoutDetector* const detector = detectors_.detector(candidates_[i].detector);
      const LayoutPattern* const pattern = detector ? detector->pattern(candidates_[i].pattern) : nullptr;
      if (!pattern || !has_level(trace_, detector->needs)) continue;
      const auto facts = [&](std::string_view name) { return fact(candidates_[i], name); };
      if (!detectors_.holds(pattern->when, facts).value_or(false)) continue;
      const derive::layout::Site site = candidates_[i].node == none ? site_of_log(candidates_[i]) : sites[sites.of(candidates_[i].node)];
      LayoutFinding finding = finding_of(candidates_[i], *detector, *pattern, site);
      const bool has_number = finding.saved_time_pct || finding.saved_bytes_pct;
      if (has_number && finding.best_saving_pct() < request_.least_saving_pct) {
        ++saves_less_;
        continue;
      }
      add_kernels(candidates_[i], finding);
      report_->findings.push_back(std::move(finding));
      of_finding_.push_back(i);
    }
  }

  // What only a log tells has no place in the trace.
  static derive::layout::Site site_of_log(const Candidate& candidate) {
    derive::layout::Site site;
    const auto word = [&](std::string_view name) {
      const auto at = candidate.words.find(name);
      return at == candidate.words.end() ? std::string() : at->second;
    };
    site.file = word("file");
    site.function = word("function");
    const std::string line = word("line");
    std::from_chars(line.data(), line.data() + line.size(), site.line);
    site.op_path = "torch.compile";
    return site;
  }

  void note_level(const LayoutDetector& detector) {
    const auto refused = refused_.find(detector.id);
    if (!has_level(trace_, detector.needs)) {
      report_->not_assessed.push_back(
          {std::string(detector.id), fmt::format("the recording has no {}", detector.needs), std::string(remedy_for(detector.needs))});
      return;
    }
    if (refused != refused_.end()) {
      report_->not_assessed.push_back({std::string(detector.id), refused->second, ""});
      return;
    }
    report_->checked.emplace_back(detector.title);
    for (const auto& [level, lost] : detector.without) {
      if (has_level(trace_, level)) continue;
      report_->not_assessed.push_back(
          {std::string(detector.id), fmt::format("without {}: {}", level, lost), std::string(remedy_for(level))});
      break;
    }
  }

  LayoutFinding finding_of(const Candidate& candidate, const LayoutDetector& detector, const LayoutPattern& pattern,
                           const derive::layout::Site& site) const {
    LayoutFinding finding;
    finding.detector = std::string(detector.id);
    finding.pattern = std::string(pattern.id);
    finding.site = site;
    finding.id = fmt::format("{}.{}@{}", detector.id, pattern.id, site.text());
    Candidate worded;  // without the lists of nodes and work, which may be long
    worded.node = candidate.node;
    worded.words = candidate.words;
    worded.facts = candidate.facts;
    add_words_of_node(worded);
    for (const knowledge::FactDefinition& one : detectors_.facts()) {
      if (const std::optional<double> value = fact(candidate, one.id)) worded.facts[std::string(one.id)] = *value;
    }
    finding.title = layout_words(pattern.title, worded);
    finding.fix = layout_words(pattern.fix, worded);
    finding.phrase = layout_words(pattern.phrase, worded);
    finding.code = layout_words(pattern.code, worded);
    finding.kind = std::string(pattern.kind);
    if (const auto format = candidate.words.find("format"); format != candidate.words.end()) finding.memory_format = format->second;
    finding.freq_per_step = candidate.count;
    finding.bytes_per_step = candidate.bytes;
    finding.time_us_per_step = candidate.time_ns / 1000;
    finding.time_share_pct = fact(candidate, "time_share_pct");
    finding.bytes_share_pct = fact(candidate, "bytes_share_pct");
    finding.confidence = candidate.confidence;
    finding.effort = pattern.effort;
    finding.risk = std::string(pattern.risk);
    finding.caveats = candidate.caveats;
    add_saving(candidate, finding);
    add_evidence(candidate, finding);
    add_compatibility(finding);
    judge(finding);
    const auto facts = [&](std::string_view name) { return fact(candidate, name); };
    if (detectors_.holds(pattern.severe, facts).value_or(false)) finding.severity = LayoutSeverity::high;
    return finding;
  }

  void add_words_of_node(Candidate& candidate) const {
    if (candidate.node == none) return;
    candidate.words.try_emplace("operator", std::string(derive::layout::plain_name(trace_.name(candidate.node))));
    const derive::layout::RecordedInputs* const inputs = trace_.inputs(candidate.node);
    const derive::layout::RecordedTensor* const first = inputs ? derive::layout::tensor_at(*inputs, 0) : nullptr;
    if (!first) return;
    candidate.words.try_emplace("sizes", derive::layout::text_of(first->shape));
    if (first->strides) candidate.words.try_emplace("strides", derive::layout::text_of(*first->strides));
  }

  void add_saving(const Candidate& candidate, LayoutFinding& finding) const {
    // What is only to be measured is no saving yet.
    if (!candidate.saving || finding.kind == "measure") return;
    const derive::layout::SavedPerStep& saving = *candidate.saving;
    if (saving.of_cpu && !report_->is_cpu_only) {
      finding.saved_cpu_us = saving.best_ns / 1000;
      return;
    }
    const LayoutTotals& totals = report_->totals;
    const auto low = share_of(saving.low_ns / 1000, totals.busy_us), best = share_of(saving.best_ns / 1000, totals.busy_us);
    if (low && best) finding.saved_time_pct = LayoutShare{*low, *best};
    if (!totals.bw_overhead_pct || !candidate.bytes) return;
    const auto low_bytes = share_of(saving.low_bytes, totals.bytes), best_bytes = share_of(saving.best_bytes, totals.bytes);
    if (low_bytes && best_bytes) finding.saved_bytes_pct = LayoutShare{*low_bytes, *best_bytes};
  }

  // Those that the fix removes; where that is not known, all that its operators launched.
  void add_kernels(const Candidate& candidate, LayoutFinding& finding) {
    std::set<std::uint32_t> pieces(candidate.removed_work.begin(), candidate.removed_work.end());
    if (pieces.empty()) {
      for (const std::uint32_t node : candidate.nodes) {
        const auto work = trace_.all_work(node);
        pieces.insert(work.begin(), work.end());
      }
    }
    std::map<std::string_view, std::int64_t> time_of;
    for (const std::uint32_t work : pieces) {
      if (trace_.timeline().kind[trace_.attribution().work[work].event] == model::EventKind::kernel)
        time_of[spelling_(trace_.kernel_name(work))] += trace_.duration(work);
    }
    std::vector<std::pair<std::int64_t, std::string_view>> by_time;
    for (const auto& [kernel, time] : time_of) by_time.emplace_back(-time, kernel);
    std::ranges::sort(by_time);
    for (const auto& [time, kernel] : by_time) finding.kernels.emplace_back(kernel);
  }

  // What may object to a change of layout. Where the layout of tensors changes for the whole model, it makes the change risky.
  void add_compatibility(LayoutFinding& finding) const {
    finding.compatibility = objections_;
    if (finding.kind == "memory_format" && !objections_.empty()) finding.risk = "HIGH";
  }

  void find_objections() {
    bool custom = false, collective = false, compiled = false;
    for (const derive::layout::OperatorNode& node : trace_.nodes()) {
      if (node.step == none) continue;
      custom = custom || node.role == OperatorRole::custom;
      collective = collective || node.role == OperatorRole::collective;
      compiled = compiled || node.role == OperatorRole::compiled;
    }
    if (custom) objections_.emplace_back("custom_ops");
    if (collective) objections_.emplace_back("collectives");
    if (compiled) objections_.emplace_back("compile");
    const auto is_of_graph = [&](const derive::trace::GpuWork& work) {
      return work.launch != none && trace_.timeline().name_of(work.launch).find("GraphLaunch") != std::string_view::npos;
    };
    if (std::ranges::any_of(trace_.attribution().work, is_of_graph)) objections_.emplace_back("cuda_graphs");
  }

  void add_evidence(const Candidate& candidate, LayoutFinding& finding) const {
    constexpr std::size_t most_shown = 5;
    const model::Timeline& timeline = trace_.timeline();
    for (const std::uint32_t node : candidate.nodes) {
      if (finding.evidence.size() == most_shown) break;
      const derive::layout::OperatorNode& one = trace_.nodes()[node];
      if (one.step == none) continue;
      LayoutEvidence evidence{std::string(trace_.name(node)), static_cast<double>(timeline.start[one.row]) / 1000,
                              trace_.steps().numbers[one.step], std::nullopt};
      if (timeline.external[one.row] != model::Timeline::no_id) evidence.external_id = timeline.external[one.row];
      finding.evidence.push_back(std::move(evidence));
    }
    if (!finding.evidence.empty()) finding.first_step = finding.evidence.front().step;
  }

  void judge(LayoutFinding& finding) const {
    const knowledge::LayoutRanking& ranking = detectors_.ranking();
    const double share = std::max(finding.time_share_pct.value_or(0), finding.bytes_share_pct.value_or(0));
    finding.severity = share >= ranking.high_pct     ? LayoutSeverity::high
                       : share >= ranking.medium_pct ? LayoutSeverity::medium
                                                     : LayoutSeverity::low;
    // What has no known cause is a question, and fails no build.
    if (finding.kind == "measure") finding.severity = LayoutSeverity::low;
    const double saving = finding.best_saving_pct();
    finding.score = saving * finding.confidence * ranking.risk.at(finding.risk) / std::sqrt(finding.effort);
    finding.is_quick_win = finding.effort <= ranking.most_effort && finding.risk == ranking.quick_win_risk &&
                           saving >= ranking.least_saving_pct && finding.confidence >= ranking.least_confidence;
  }

  // Best score first; where no number tells findings apart, the more severe one, the smaller effort, the name of the site.
  void rank() {
    std::vector<std::size_t> order(report_->findings.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const LayoutFinding &first = report_->findings[a], &second = report_->findings[b];
      if (first.score != second.score) return first.score > second.score;
      if (first.severity != second.severity) return first.severity > second.severity;
      if (first.effort != second.effort) return first.effort < second.effort;
      return first.id < second.id;
    });
    std::vector<LayoutFinding> findings;
    std::vector<std::size_t> of_finding;
    for (const std::size_t i : order) {
      findings.push_back(std::move(report_->findings[i]));
      of_finding.push_back(of_finding_[i]);
    }
    report_->findings = std::move(findings);
    of_finding_ = std::move(of_finding);
  }

  // What two fixes remove is saved once: by the one that ranks first.
  void add_further_savings() {
    std::vector<bool> is_removed(trace_.attribution().work.size());
    for (std::size_t i = 0; i < report_->findings.size(); ++i) {
      LayoutFinding& finding = report_->findings[i];
      const Candidate& candidate = candidates_[of_finding_[i]];
      if (!finding.saved_time_pct || candidate.removed_work.empty()) continue;
      double all = 0, left = 0;
      for (const std::uint32_t work : candidate.removed_work) {
        const auto time = static_cast<double>(trace_.duration(work));
        all += time;
        if (!is_removed[work]) left += time;
        is_removed[work] = true;
      }
      finding.further_pct = all > 0 ? finding.saved_time_pct->best * left / all : 0;
    }
  }

  void add_notes() {
    LayoutReport& report = *report_;
    if (latent_.per_step > 0)
      report.notes.push_back(fmt::format(
          "{} operators in a step take an operand in a layout that their kernels do not read natively, and no copy was seen ({})",
          shown_number(latent_.per_step), trace_.name(latent_.nodes.front())));
    if (saves_less_ > 0)
      report.notes.push_back(fmt::format("{} more {} less than {} % (--min-saving)", saves_less_,
                                         saves_less_ == 1 ? "finding saves" : "findings save", shown_number(request_.least_saving_pct)));
    if (report.left_out_warm_up)
      report.notes.emplace_back("the first step calls other operators than the others and was left out as warm-up");
    if (trace_.timeline().whole_microseconds)
      report.notes.emplace_back("times are whole microseconds: those of short kernels are off by up to 1 us each");
    if (report.totals.idle_pct && *report.totals.idle_pct > detectors_.ranking().idle_pct)
      report.notes.push_back(
          fmt::format("the GPU idles for {:.0f} % of a step: removing GPU work may not shorten it", *report.totals.idle_pct));
    for (const model::Note& note : trace_.timeline().notes) report.notes.push_back(note.text);
  }

  const LayoutTrace& trace_;
  const LayoutRequest& request_;
  const knowledge::LayoutKnowledge& detectors_;
  const KnownGpu& gpu_;
  std::shared_ptr<LayoutReport> report_;
  std::vector<Copy> copies_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> of_finding_;  // candidates
  std::map<std::string_view, std::string> refused_;
  derive::layout::LatentInputs latent_;
  std::size_t saves_less_ = 0;  // findings that save less than was asked for
  derive::layout::WorkTraffic traffic_;
  std::vector<std::string> objections_;
  derive::compare::KernelSpelling spelling_;
};

}  // namespace

std::string_view name_of(LayoutSeverity severity) {
  return severity == LayoutSeverity::high ? "HIGH" : severity == LayoutSeverity::medium ? "MEDIUM" : "LOW";
}

double LayoutFinding::best_saving_pct() const {
  return std::max(saved_bytes_pct ? saved_bytes_pct->best : 0, saved_time_pct ? saved_time_pct->best : 0);
}

std::size_t LayoutReport::count(LayoutSeverity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &LayoutFinding::severity));
}

std::size_t LayoutReport::quick_wins() const {
  return static_cast<std::size_t>(std::ranges::count(findings, true, &LayoutFinding::is_quick_win));
}

std::string layout_words(std::string_view words, const Candidate& candidate) {
  std::string text;
  while (!words.empty()) {
    const std::size_t open = words.find('{'), close = words.find('}', open == words.npos ? 0 : open);
    text += words.substr(0, open);
    if (open == words.npos || close == words.npos) break;
    const std::string_view name = words.substr(open + 1, close - open - 1);
    const auto word = candidate.words.find(name);
    const auto number = candidate.facts.find(name);
    if (word != candidate.words.end() && !word->second.empty()) {
      text += word->second;
    } else {
      text += number != candidate.facts.end() ? shown_number(number->second) : "?";
    }
    words.remove_prefix(close + 1);
  }
  return text;
}

Result<std::shared_ptr<LayoutReport>> analyse_layout(model::Timeline timeline, const LayoutRequest& request,
                                                     const knowledge::Knowledge& known, const knowledge::LayoutKnowledge& detectors) {
  const std::string source = timeline.source;
  TRY_ASSIGN(const std::unique_ptr<LayoutTrace> trace, LayoutTrace::of(std::move(timeline), request.steps));
  if (!trace->has_operators() && !trace->has_gpu_work())
    return fail(ErrorKind::not_enough, "the recording has neither operators nor GPU work")
        .at(source)
        .hint("record with torch.profiler, activities CPU and CUDA, record_shapes=True, with_stack=True");
  TRY_ASSIGN(const KnownGpu gpu, gpu_of(*trace, request, known));
  return Analysis(*trace, request, detectors, gpu).run(known.classes);
}

}  // namespace frx::report
