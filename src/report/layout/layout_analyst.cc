#include "report/layout/layout_analyst.h"

#include <fmt/format.h>

#include <algorithm>

#include "derive/layout/critical_work.h"
#include "report/layout/candidate_finding.h"
#include "report/layout/layout_candidates.h"
#include "report/layout/layout_totals.h"

namespace frx::report {
namespace {

using LayoutCandidate = derive::layout::Candidate;
using derive::layout::Copy;
using derive::layout::LayoutTrace;
using knowledge::LayoutDetector;
using knowledge::LayoutPattern;

constexpr std::string_view how_to_record = "record with torch.profiler, activities CPU and CUDA, record_shapes=True, with_stack=True";

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

bool has_call_of(const LayoutTrace& trace, const model::ExecutionTrace& execution) {
  return derive::layout::TensorIdentities(trace, execution).known() > 0;
}

class Analysis {
 public:
  Analysis(const LayoutTrace& trace, const LayoutRequest& request, const knowledge::LayoutKnowledge& detectors, const KnownGpu& gpu)
      : trace_(trace), request_(request), detectors_(detectors), gpu_(gpu), report_(std::make_shared<LayoutReport>()) {}

  std::shared_ptr<LayoutReport> run(const knowledge::KernelClasses& classes) {
    copies_ = derive::layout::copies_of(trace_, classes);
    describe_trace();
    const derive::layout::WorkTraffic traffic = layout_traffic(trace_, request_.measured_bytes, copies_);
    report_->totals = layout_totals(trace_, copies_, traffic, detectors_.ranking().least_coverage_pct);
    if (request_.execution) identities_.emplace(trace_, *request_.execution);
    found_ = layout_candidates(
        {trace_, copies_, traffic, gpu_, request_.log ? &*request_.log : nullptr, identities_ ? &*identities_ : nullptr}, detectors_);
    describe_found();
    look_at_all();
    judge_all();
    rank();
    add_further_savings();
    add_step_effects();
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
    if (!request_.measured_bytes.empty()) report_->measured_by = request_.measured_by;
  }

  void describe_found() {
    report_->convolutions = found_.convolutions;
    report_->kernel_classes = found_.kernel_classes;
    report_->classes_assessed = found_.classes_assessed;
    for (std::string& sentence : found_.unstable_unasked) report_->not_assessed.push_back({"stride_instability", std::move(sentence), ""});
  }

  // Where conversions between NCHW and channels-last cost least, over the whole graph.
  void look_at_all() {
    std::vector<derive::layout::SeenConversion> seen;
    for (const Copy& copy : copies_) {
      const bool converts = is_of_layout(copy.kind) && copy.kind != derive::layout::CopyKind::materialise;
      if (copy.node != derive::layout::none && copy.step == 0 && converts) seen.push_back({copy.node, copy.bytes, copy.time_ns});
    }
    const std::optional<double> gbps = gpu_.product ? gpu_.product->memory_bandwidth_gbps : std::nullopt;
    GlobalView& view = report_->global;
    view.costs = derive::layout::global_layout(trace_, seen, gbps ? std::optional(*gbps * 1e9) : std::nullopt);
    constexpr std::size_t most_shown = 20;
    for (const derive::layout::GlobalConversion& one : view.costs.conversions) {
      if (view.conversions.size() == most_shown) break;
      const auto name = [&](std::uint32_t node) { return node == derive::layout::none ? "the input" : std::string(trace_.name(node)); };
      view.conversions.push_back({name(one.producer), name(one.consumer), derive::layout::text_of(one.sizes),
                                  one.to == derive::layout::TensorLayout::channels_last ? "channels_last" : "contiguous", one.bytes});
    }
  }

  void judge_all() {
    CandidateJudge judge(trace_, detectors_, report_->totals);
    for (const LayoutDetector& detector : detectors_.detectors()) note_level(detector);
    for (std::size_t i = 0; i < found_.all.size(); ++i) {
      const LayoutCandidate& candidate = found_.all[i];
      const LayoutDetector* const detector = detectors_.detector(candidate.detector);
      const LayoutPattern* const pattern = detector ? detector->pattern(candidate.pattern) : nullptr;
      if (!pattern || !has_level(trace_, detector->needs) || !judge.holds(candidate, *pattern)) continue;
      const derive::layout::Sites& sites = *found_.sites;
      LayoutFinding finding = judge.finding_of(candidate, *detector, *pattern,
                                               candidate.node == derive::layout::none ? nullptr : &sites[sites.of(candidate.node)]);
      const bool has_number = finding.saved_time_pct || finding.saved_bytes_pct;
      if (has_number && finding.best_saving_pct() < request_.least_saving_pct) {
        ++saves_less_;
        continue;
      }
      report_->findings.push_back(std::move(finding));
      of_finding_.push_back(i);
    }
  }

  void note_level(const LayoutDetector& detector) {
    const auto refused = found_.refused.find(detector.id);
    if (!has_level(trace_, detector.needs)) {
      report_->not_assessed.push_back(
          {std::string(detector.id), fmt::format("the recording has no {}", detector.needs), std::string(remedy_for(detector.needs))});
      return;
    }
    if (refused != found_.refused.end()) {
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
      const LayoutCandidate& candidate = found_.all[of_finding_[i]];
      if (!finding.saved_time_pct || candidate.removed_work.empty()) continue;
      double all = 0, left = 0;
      for (const std::uint32_t work : candidate.removed_work) {
        const auto time = static_cast<double>(trace_.duration(work));
        all += time;
        if (!is_removed[work]) left += time;
        is_removed[work] = true;
      }
      const double share_left = all > 0 ? left / all : 0;
      finding.further_pct = finding.saved_time_pct->best * share_left;
      if (finding.best_saving_pct() * share_left < detectors_.ranking().least_saving_pct) finding.is_quick_win = false;
    }
  }

  void add_step_effects() {
    if (report_->totals.step_us <= 0 || trace_.steps().name.empty()) return;
    const std::optional<derive::layout::CriticalWork> critical = derive::layout::CriticalWork::of(trace_);
    if (!critical) return;
    const double busy_share = std::min(1.0, report_->totals.busy_us / report_->totals.step_us);
    for (std::size_t i = 0; i < report_->findings.size(); ++i) {
      LayoutFinding& finding = report_->findings[i];
      const std::vector<std::uint32_t>& removed = found_.all[of_finding_[i]].removed_work;
      if (!finding.saved_time_pct || removed.empty()) continue;
      const double share = critical->share_of(removed);
      finding.critical_share = share;
      finding.saved_step_pct =
          LayoutShare{finding.saved_time_pct->low * share * busy_share, finding.saved_time_pct->best * share * busy_share};
    }
  }

  void add_notes() {
    LayoutReport& report = *report_;
    if (found_.latent.per_step > 0)
      report.notes.push_back(fmt::format(
          "{} operators in a step take an operand in a layout that their kernels do not read natively, and no copy was seen ({})",
          shown_number(found_.latent.per_step), trace_.name(found_.latent.nodes.front())));
    if (identities_ && identities_->asked() > 0)
      report.notes.push_back(fmt::format("{} tells which tensors {:.0f} % of the operators with inputs take{}", request_.execution->source,
                                         100.0 * static_cast<double>(identities_->known()) / static_cast<double>(identities_->asked()),
                                         request_.execution->cut_short ? "; it ends early" : ""));
    if (saves_less_ > 0)
      report.notes.push_back(fmt::format("{} more {} less than {} % (--min-saving)", saves_less_,
                                         saves_less_ == 1 ? "finding saves" : "findings save", shown_number(request_.least_saving_pct)));
    if (report.left_out_warm_up)
      report.notes.emplace_back("the first step calls other operators than the others and was left out as warm-up");
    if (trace_.has_other_processes())
      report.notes.push_back(fmt::format("the file has several processes: all numbers are those of process {}", trace_.steps().pid));
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
  std::optional<derive::layout::TensorIdentities> identities_;
  LayoutCandidates found_;
  std::vector<std::size_t> of_finding_;  // of found_.all
  std::size_t saves_less_ = 0;           // findings that save less than was asked for
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

Result<std::shared_ptr<LayoutReport>> analyse_layout(model::Timeline timeline, const LayoutRequest& request,
                                                     const knowledge::Knowledge& known, const knowledge::LayoutKnowledge& detectors) {
  const std::string source = timeline.source;
  TRY_ASSIGN(const std::unique_ptr<LayoutTrace> trace, LayoutTrace::of(std::move(timeline), request.steps, {request.sites_in}));
  if (!trace->has_operators() && !trace->has_gpu_work())
    return fail(ErrorKind::not_enough, "the recording has neither operators nor GPU work").at(source).hint(std::string(how_to_record));
  if (request.execution && !has_call_of(*trace, *request.execution))
    return fail(ErrorKind::malformed, "no operator of the trace is one of this execution trace")
        .at(request.execution->source)
        .hint("record both together: ExecutionTraceObserver started while the profiler records");
  TRY_ASSIGN(const KnownGpu gpu, gpu_of(*trace, request.gpu_model, request.gpu_is_fallback, known));
  std::shared_ptr<LayoutReport> report = Analysis(*trace, request, detectors, gpu).run(known.classes);
  if (!report->totals.knows_copies && report->totals.copies == 0)
    return fail(ErrorKind::not_enough, "the recording has no operators, and no kernel says by its name that it converts layouts")
        .at(source)
        .hint(std::string(how_to_record));
  return report;
}

}  // namespace frx::report
