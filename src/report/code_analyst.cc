#include "report/code_analyst.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include "advise/ptx_circumstances.h"
#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/units.h"
#include "derive/cuda/inspect.h"
#include "detect/code_rules.h"
#include "detect/cuda_findings.h"
#include "ingest/cuda/read_source.h"
#include "ingest/ptx/read_module.h"
#include "knowledge/gpu_match.h"
#include "knowledge/gpu_overrides.h"
#include "report/finding_tiers.h"

namespace frx::report {
namespace {

// "sm_90" of "sm_90a".
std::string family_of(std::string_view target) {
  const std::size_t digits_end = target.find_last_of("0123456789");
  return std::string(digits_end == target.npos ? "" : target.substr(0, digits_end + 1));
}

std::string first_target(const model::ptx::Module& module) {
  const auto at =
      std::ranges::find_if(module.targets, [](const std::string& t) { return t.starts_with("sm_") || t.starts_with("compute_"); });
  return at == module.targets.end() ? std::string() : printable(*at);
}

// Of the GPU that was named, else of the architecture, where we know it.
derive::ptx::SmRegisters registers_of(const knowledge::SmLimits* named, const knowledge::GpuCatalogue& gpus, std::string_view sm_version) {
  derive::ptx::SmRegisters sm;
  const auto all = gpus.all_limits();
  const auto found = std::ranges::find(all, sm_version, &knowledge::SmLimits::family_key);
  const knowledge::SmLimits* limits = named ? named : found != all.end() ? &*found : nullptr;
  if (!limits) return sm;
  if (limits->registers_per_sm > 0) sm.registers = limits->registers_per_sm;
  if (limits->threads_per_sm > 0) sm.threads = limits->threads_per_sm;
  return sm;
}

advise::Advice advice_for(const diagnose::PtxDiagnosis& diagnosis, const advise::Catalogue& catalogue) {
  const advise::PtxCircumstances circumstances(diagnosis, catalogue.names());
  std::vector<advise::Diagnosed> diagnosed;
  for (const model::Finding& label : diagnosis.labels) {
    if (label.proof != model::Proof::unproven) diagnosed.push_back({label.id(), label.score, &circumstances, 0});
  }
  return advise::advice_for(catalogue, diagnosed);
}

void judge_confidence(PtxReport& report) {
  const diagnose::PtxDiagnosis& d = report.diagnosis;
  const auto primary = std::ranges::find(d.labels, d.primary, &model::Finding::id);
  if (d.kernels.empty()) {
    report.confidence = "low";
    report.confidence_reason = "the file has no kernel with a body";
  } else if (primary != d.labels.end()) {
    report.primary_display = primary->display();
    const bool proven = primary->proof == model::Proof::proven || !report.compiler.empty();
    report.confidence = proven ? "high" : "medium";
    report.confidence_reason = proven ? "from the compiler's own numbers" : "from the code alone; a profile decides what limits it";
  } else if (report.module.skipped_statements > 0) {
    report.confidence = "low";  // that nothing is there is known only of what was read
    report.confidence_reason = "nothing in what was understood of the code stands out, and that is not all of it";
  } else {
    report.confidence = "medium";
    report.confidence_reason = "nothing in the code stands out; a profile decides what limits it";
  }
}

void add_notes(PtxReport& report) {
  const model::ptx::Module& module = report.module;
  if (module.skipped_statements > 0) {
    report.notes.push_back(fmt::format("{} not understood and left out; first: {}", count_text(module.skipped_statements, "statement"),
                                       module.problems.empty() ? "" : printable(module.problems.front())));
  }
  if (!report.unknown_opcodes.empty()) {
    const std::size_t shown = std::min<std::size_t>(5, report.unknown_opcodes.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) names.push_back(printable(report.unknown_opcodes[i]));
    report.notes.push_back(fmt::format("{} counted as 'other': {}{}", count_text(report.unknown_opcodes.size(), "unknown opcode"),
                                       join(names, ", "), shown < report.unknown_opcodes.size() ? ", ..." : ""));
  }
  if (report.diagnosis.device_functions > 0) {
    report.notes.push_back(fmt::format("{} besides the kernels; what a kernel calls is not counted in its numbers",
                                       count_text(report.diagnosis.device_functions, "device function")));
  }
}

void ask(const PtxCompiler& compiler, const std::string& architecture, PtxReport& report) {
  Result<diagnose::CompiledKernels> answer = compiler(architecture);
  if (answer && !answer->empty()) {
    report.compiled = std::move(*answer);
  } else {
    report.notes.push_back(answer ? "the compiler's log names none of these kernels"
                                  : "no numbers of the compiler: " + answer.error().message);
  }
}

}  // namespace

diagnose::CompiledKernels compiled_in_log(std::span<const model::PtxasFunction> log, std::string_view architecture,
                                          const std::string& source) {
  diagnose::CompiledKernels compiled;
  for (const model::PtxasFunction& function : log) {
    if (!function.is_kernel || (!architecture.empty() && function.architecture != architecture)) continue;
    derive::ptx::Compiled& at = compiled[function.name];
    at.registers = function.registers;
    at.stack_bytes = function.stack_bytes;
    at.spill_store_bytes = function.spill_store_bytes;
    at.spill_load_bytes = function.spill_load_bytes;
    at.source = fmt::format("{} for {}", source, function.architecture);
  }
  return compiled;
}

// A target with a suffix runs on that GPU alone; a plain one on any newer GPU.
std::string CodeAnalyst::architecture_for(const PtxReport& report) const {
  const bool is_plain = !report.target.empty() && report.target.back() >= '0' && report.target.back() <= '9';
  return is_plain && !gpu_sm_version_.empty() ? gpu_sm_version_ : report.target;
}

Result<std::unique_ptr<CodeAnalyst>> CodeAnalyst::create(const AnalysisOptions& options) {
  std::unique_ptr<CodeAnalyst> analyst(new CodeAnalyst);
  analyst->options_ = options;
  TRY_ASSIGN(analyst->expertise_, Expertise::load(options.data_directory));
  const knowledge::Knowledge& known = analyst->knowledge();
  TRY_ASSIGN(ingest::ptx::InstructionSet instructions, ingest::ptx::InstructionSet::load(known.library));
  analyst->instructions_ = std::make_unique<ingest::ptx::InstructionSet>(std::move(instructions));
  TRY_ASSIGN(const knowledge::CodeFactCatalogue facts, knowledge::CodeFactCatalogue::load(known.library));
  TRY_ASSIGN(analyst->ptx_rules_, knowledge::CodeRules::load(known.library, "ptx", facts));
  TRY_ASSIGN(analyst->cuda_rules_, knowledge::CodeRules::load(known.library, "cuda", facts));
  TRY_ASSIGN(analyst->cubin_rules_, knowledge::CodeRules::load(known.library, "cubin", facts));
  TRY_ASSIGN(analyst->ptx_labels_, knowledge::CodeLabels::load(known.library, "ptx", facts));
  TRY(analyst->choose_gpu());
  return analyst;
}

// The limits of --gpu-model, with the user's own of --arch-profile laid over them.
Result<> CodeAnalyst::choose_gpu() {
  const knowledge::Knowledge& known = knowledge();
  knowledge::GpuMatch match;
  if (!options_.gpu_model.empty()) {
    TRY_ASSIGN(match, knowledge::match_option(known.gpus, options_.gpu_model));
    if (!match.limits) return fail(ErrorKind::usage, "--gpu-model: {}", match.explanation);
    gpu_name_ = match.product ? match.product->name : match.limits->family_key;
    gpu_sm_version_ = match.limits->family_key;
    gpu_limits_ = match.limits;
    if (match.product) gpu_sm_count_ = match.product->sm_count;
  }
  if (options_.arch_profile.empty()) return {};
  TRY_ASSIGN(const knowledge::GpuOverrides overrides, knowledge::GpuOverrides::load(options_.arch_profile, known.labels.thresholds()));
  TRY_ASSIGN(knowledge::GpuProfile profile, overrides.apply(match, options_.gpu_model));
  for (const std::string& change : profile.overridden) profile_notes_.push_back("--arch-profile: " + printable(change));
  for (const std::string& note : profile.notes) profile_notes_.push_back("--arch-profile: " + printable(note));
  own_limits_ = std::move(profile.limits);
  if (own_limits_) gpu_limits_ = &*own_limits_;
  return {};
}

Result<std::unique_ptr<PtxReport>> CodeAnalyst::analyse_ptx(std::string name, std::string text, const PtxCompiler& compiler) const {
  TRY_ASSIGN(model::ptx::Module module, ingest::ptx::read_module(name, text));
  std::string().swap(text);
  return analyse_ptx(std::move(name), std::move(module), compiler);
}

Result<std::unique_ptr<PtxReport>> CodeAnalyst::analyse_ptx(std::string name, model::ptx::Module read, const PtxCompiler& compiler) const {
  auto report = std::make_unique<PtxReport>();
  report->source = std::move(name);
  report->module = std::move(read);
  instructions_->describe(report->module);
  const model::ptx::Module& module = report->module;
  report->unknown_opcodes = ingest::ptx::unknown_names(module);
  if (module.version.major > 0) report->version = fmt::format("{}.{}", module.version.major, module.version.minor);
  report->target = first_target(module);
  if (compiler) ask(compiler, architecture_for(*report), *report);
  if (!report->compiled.empty()) report->compiler = report->compiled.begin()->second.source;
  report->gpu = !gpu_name_.empty() ? gpu() : report->target.empty() ? "" : "target " + report->target;
  diagnose::PtxKnowledge known;
  known.rules = &ptx_rules_;
  known.labels = &ptx_labels_;
  known.sm_version = gpu_sm_version_.empty() ? family_of(report->target) : gpu_sm_version_;
  known.sm = registers_of(gpu_limits_, knowledge().gpus, known.sm_version);
  report->diagnosis = diagnose::diagnose_ptx(module, known, report->compiled);
  report->advice = advice_for(report->diagnosis, expertise_->catalogue());
  judge_confidence(*report);
  add_notes(*report);
  report->notes.insert(report->notes.end(), profile_notes_.begin(), profile_notes_.end());
  return report;
}

namespace {

void note_source(model::cuda::Source& source, bool is_included, CudaReport& report) {
  source.is_included = is_included;
  if (is_included) {
    source.kernels_not_read.clear();
    return;
  }
  report.not_understood += source.errors;
  if (source.errors > 0)
    report.notes.push_back(
        fmt::format("{}: {} not understood and read around", printable(source.name), count_text(source.errors, "place")));
  report.files.emplace_back(source.name.view());
}

}  // namespace

Result<std::unique_ptr<CudaReport>> CodeAnalyst::inspect_cuda(std::vector<std::pair<std::string, std::string>> names_and_texts) const {
  std::vector<std::string> names;
  for (auto& [name, text] : names_and_texts) names.push_back(std::move(name));
  TRY_ASSIGN(std::unique_ptr<CudaReport> report,
             inspect_cuda(names, [&](std::size_t i) { return Result<std::string>(std::move(names_and_texts[i].second)); }));
  if (!report->unread.empty()) return Failure{std::move(report->unread.front().error)};
  return report;
}

Result<std::unique_ptr<CudaReport>> CodeAnalyst::inspect_cuda(const std::vector<std::string>& names, const TextOf& text_of,
                                                              const SurroundingsOf& surroundings_of, std::size_t included) const {
  constexpr std::size_t many = 16;  // files: more are compressed when they are read, and decompressed while they are analysed
  auto report = std::make_unique<CudaReport>();
  report->gpu = gpu();
  constexpr std::size_t most_drawn = std::size_t{8} << 20;
  std::atomic<std::size_t> drawn_bytes = 0;
  std::vector<SourceText> texts(options_.with_figures ? names.size() : 0);
  const auto read_one = [&](std::size_t i) -> Result<model::cuda::Source> {
    TRY_ASSIGN(std::string text, text_of(i));
    if (options_.with_figures && drawn_bytes.fetch_add(text.size()) + text.size() <= most_drawn) texts[i] = {names[i], text};
    const ingest::cuda::Surroundings around = surroundings_of ? surroundings_of(i) : ingest::cuda::Surroundings();
    TRY_ASSIGN(model::cuda::Source source, ingest::cuda::read_source(names[i], std::move(text), around));
    if (names.size() > many) source.pack();
    return source;
  };
  std::vector<std::optional<Result<model::cuda::Source>>> read(names.size());
  for_each_in_parallel(read.size(), [&](std::size_t i) { read[i].emplace(read_one(i)); });
  std::vector<model::cuda::Source> sources;
  sources.reserve(read.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    const bool is_included = i >= names.size() - included;
    if (*read[i]) {
      sources.push_back(std::move(**read[i]));
      note_source(sources.back(), is_included, *report);
    } else if (!is_included) {
      report->unread.push_back({names[i], read[i]->error()});
    }
    read[i].reset();
  }
  detect::RuleTally tally(cuda_rules_);
  const auto limits_of_all = [this] {
    std::vector<const knowledge::SmLimits*> all;
    for (const knowledge::SmLimits& limits : knowledge().gpus.all_limits()) all.push_back(&limits);
    return all;
  };
  derive::cuda::Judged judged = derive::cuda::inspect_and_judge(
      sources, {gpu_limits_, gpu_sm_count_, limits_of_all},
      [&](const model::CodeSubject& subject) { return detect::examine(cuda_rules_, std::span(&subject, 1), gpu_sm_version_, &tally); });
  report->asked = tally.counts();
  report->inspection = std::move(judged.inspection);
  detect::CudaFindings found = detect::settled(std::move(judged.findings), sources);
  report->findings = std::move(found.findings);
  report->suppressed = found.suppressed;
  // The answer is composed beside what is left: the memory of many files goes back first.
  std::vector<model::cuda::Source>().swap(sources);
  if (names.size() > many) return_free_memory();
  withhold(*report, options_.pedantic);
  std::set<std::string_view> with_findings;
  for (const auto* findings : {&report->findings, &report->withheld}) {
    for (const model::Finding& finding : *findings) with_findings.insert(finding.place().file.view());
  }
  std::erase_if(texts, [&](const SourceText& one) { return !with_findings.contains(one.path); });
  report->texts = std::move(texts);
  if (found.suppressed > 0)
    report->notes.push_back(fmt::format("{} silenced by comments in the source", count_text(found.suppressed, "finding")));
  report->notes.insert(report->notes.end(), profile_notes_.begin(), profile_notes_.end());
  return report;
}

}  // namespace frx::report
