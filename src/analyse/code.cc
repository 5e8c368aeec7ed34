#include "analyse/code.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <numeric>
#include <thread>

#include "analyse/analyzer.h"
#include "analyse/programs.h"
#include "analyse/source_headers.h"
#include "base/memory_budget.h"
#include "base/parallel.h"
#include "base/text.h"
#include "capture/ptx_compiler.h"
#include "capture/ptxas.h"
#include "ingest/observation.h"
#include "ingest/ptxas_log.h"
#include "report/confirm_with_ptx.h"
#include "report/device_analyst.h"
#include "report/finding_tiers.h"

namespace frx::analyse {
namespace {

using ingest::Kind;

using Clock = std::chrono::steady_clock;

// --with-ptx=auto: what it compiles at most, and how long that may take in all.
constexpr std::ptrdiff_t most_compiled = 4;
constexpr std::chrono::seconds compiling_time{10};

// A unit and the inputs it is read from.
struct Work {
  CodeUnit unit;
  std::vector<Input*> inputs;
};

// What reading a unit needs to know besides its inputs.
struct Reading {
  const Options& options;
  const report::CodeAnalyst& analyst;
  const SourceHeaders& headers;
  std::optional<model::CompilerLog> log = {};
  bool compiles = false;         // CUDA source to PTX
  Clock::time_point until = {};  // --with-ptx=auto: then no compiler runs any more

  bool is_automatic() const { return options.compilers.with_ptx == PtxUse::automatic; }
};

std::vector<Work> units_of(std::vector<Input>& inputs, const SourceHeaders& headers) {
  std::vector<Work> all;
  const std::vector<std::string> folders = program_folders(inputs, headers.includes());
  std::map<std::string, std::size_t> programs;  // by folder
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Input& input = inputs[i];
    const std::string& path = input.source.name();
    if (input.kind() == Kind::cuda) {
      const auto [program, is_new] = programs.emplace(folders[i], all.size());
      if (!is_new) {
        all[program->second].unit.paths.push_back(path);
        all[program->second].inputs.push_back(&input);
        continue;
      }
    }
    Work& work = all.emplace_back();
    work.unit.path = path;
    work.unit.paths = {path};
    work.unit.kind = input.kind();
    work.inputs = {&input};
  }
  return all;
}

// What a compiler makes of the PTX: ptxas itself, or what it once printed.
report::PtxCompiler compiler_for(const Input& input, const Reading& reading) {
  if (reading.log) {
    return [&log = *reading.log](const std::string&) -> Result<diagnose::CompiledKernels> {
      return report::compiled_in_log(log.functions, "", "ptxas log");
    };
  }
  return reading.options.compilers.with_ptxas ? ptxas_for(input.source.path(), *reading.options.host) : report::PtxCompiler();
}

// Why --with-ptx=auto compiles none of the files; "" when it does, or when there are none.
std::string reason_not_to_compile(std::span<const Input> inputs, const capture::Host& host) {
  const auto compiled = std::ranges::count_if(inputs, is_compiled_alone);
  if (compiled == 0) return "";
  if (std::ranges::any_of(inputs, [](const Input& input) { return !input.folder.empty(); }))
    return "--with-ptx=auto compiles files that are named one by one, and no folders";
  if (compiled > most_compiled) return fmt::format("--with-ptx=auto compiles {} files at most", most_compiled);
  return capture::has_ptx_compiler(host) ? "" : "neither nvcc nor clang was found";
}

Result<capture::CompiledPtx> compiled(const std::string& path, const Reading& reading) {
  std::chrono::milliseconds limit = capture::compiler_time_limit;
  if (reading.is_automatic()) {
    limit = std::chrono::duration_cast<std::chrono::milliseconds>(reading.until - Clock::now());
    if (limit.count() <= 0) return fail(ErrorKind::environment, "the {} s of --with-ptx=auto are over", compiling_time.count()).at(path);
  }
  return capture::compile_to_ptx(path, reading.analyst.gpu_architecture(), reading.options.compilers.build_flags, *reading.options.host,
                                 limit);
}

// What cannot be compiled keeps its findings; the report says why.
void confirm_with(const std::string& path, report::CudaReport& report, const Reading& reading) {
  const Result<capture::CompiledPtx> ptx = compiled(path, reading);
  if (!ptx) {
    report.notes.push_back("not confirmed with PTX: " + in_one_line(ptx.error()));
    return;
  }
  const Result<std::unique_ptr<report::PtxReport>> analysed = reading.analyst.analyse_ptx(path, ptx->text);
  if (!analysed) {
    report.notes.push_back(fmt::format("not confirmed with PTX of {}: {}", ptx->compiler, analysed.error().message));
    return;
  }
  report.notes.push_back(fmt::format("{} was compiled to PTX for {} by {}", printable(file_name_in(path)),
                                     (*analysed)->target.empty() ? "an unknown GPU" : (*analysed)->target, ptx->compiler));
  report::confirm_with_ptx(report, **analysed);
}

Result<> read_cuda(Work& work, const Reading& reading) {
  CodeUnit& unit = work.unit;
  const std::vector<std::string> included = reading.headers.used_by_device_code(unit.paths);
  std::vector<std::string> names = unit.paths;
  names.insert(names.end(), included.begin(), included.end());
  const auto text_of = [&](std::size_t i) {
    return i < work.inputs.size() ? work.inputs[i]->source.text(largest_code_file) : read_file(names[i], largest_code_file);
  };
  const auto surroundings_of = [&](std::size_t i) {
    return reading.headers.around(i < work.inputs.size() ? work.inputs[i]->source.path() : names[i]);
  };
  TRY_ASSIGN(unit.cuda, reading.analyst.inspect_cuda(names, text_of, surroundings_of, included.size()));
  unit.unread = std::move(unit.cuda->unread);
  if (unit.cuda->files.empty()) {
    unit.cuda.reset();
    return Failure{unit.unread.front().error};
  }
  if (!reading.compiles) return {};
  for (const Input* input : work.inputs) {
    if (is_compiled_alone(*input)) confirm_with(input->source.path(), *unit.cuda, reading);
  }
  return {};
}

Result<> read_unit(Work& work, const Reading& reading) {
  if (reading.options.stop.stop_requested()) return fail(ErrorKind::stopped, "the analysis was stopped").at(work.unit.path);
  if (work.unit.kind == Kind::cuda) return read_cuda(work, reading);
  Input& input = *work.inputs.front();
  TRY_ASSIGN(ingest::Observation observed, ingest::observe(input.source, input.format, {reading.analyst.knowledge().metrics}));
  if (auto* code = std::get_if<model::DeviceCode>(&observed.model)) {
    TRY_ASSIGN(work.unit.device, report::analyse_device_code(reading.analyst, input.source.name(), std::move(*code)));
    return {};
  }
  auto& module = std::get<model::ptx::Module>(observed.model);
  TRY_ASSIGN(work.unit.ptx, reading.analyst.analyse_ptx(input.source.name(), std::move(module), compiler_for(input, reading)));
  return {};
}

// As many units at a time as there are cores.
void read_all(std::vector<Work>& all, const Reading& reading) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](bool reports) {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      CodeUnit& unit = all[i].unit;
      if (Result<> read = without_exceptions([&] { return read_unit(all[i], reading); }); !read) {
        unit.error = std::move(read).error();
        if (unit.unread.empty()) {
          for (const std::string& path : unit.paths) unit.unread.push_back({path, *unit.error});
        }
      }
      if (reports && reading.options.files_done) reading.options.files_done(i + 1, all.size());
    }
    MemoryBudget::report();
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(most_threads(), all.size()); ++i) helpers.emplace_back(work, false);
  work(true);
  helpers.clear();
  if (reading.options.files_done) reading.options.files_done(all.size(), all.size());
}

// A log of ptxas may come by its option or among the inputs.
Result<std::optional<model::CompilerLog>> take_log(std::vector<Input>& inputs, const Context& context) {
  std::optional<model::CompilerLog> log;
  if (const std::string& path = context.options().compilers.ptxas_log; !path.empty()) {
    TRY_ASSIGN(const std::string text, read_file(path));
    log = model::CompilerLog{path, ingest::read_ptxas_log(text)};
  }
  for (Input& input : inputs) {
    if (input.kind() != Kind::compiler_log) continue;
    TRY_ASSIGN(const std::string text, input.source.text(largest_code_file));
    if (!log) log = model::CompilerLog{input.source.name(), {}};
    for (model::PtxasFunction& function : ingest::read_ptxas_log(text)) log->functions.push_back(std::move(function));
  }
  std::erase_if(inputs, [](const Input& input) { return input.kind() == Kind::compiler_log; });
  return log;
}

bool code_takes(std::span<const Input> inputs) {
  return std::ranges::any_of(inputs, [](const Input& input) { return is_code(input.kind()); }) &&
         all_are(inputs, [](Kind kind) { return is_code(kind) || kind == Kind::compiler_log; });
}

// What files of different kinds, of one program, say together; null where there is only one kind.
Result<std::shared_ptr<const report::EvidenceReport>> reconciled(const CodeReport& report, const knowledge::Knowledge& known) {
  report::Evidence evidence;
  for (const CodeUnit& unit : report.units) unit.add_to(evidence);
  if (evidence.layers().size() < 2) return std::shared_ptr<const report::EvidenceReport>();
  TRY_ASSIGN(std::unique_ptr<report::EvidenceReport> together, report::reconcile(std::move(evidence), known));
  return std::shared_ptr<const report::EvidenceReport>(std::move(together));
}

void settle_findings(std::span<CodeUnit> units) {
  std::vector<report::CudaReport*> reports;
  for (CodeUnit& unit : units) {
    if (unit.cuda) reports.push_back(unit.cuda.get());
  }
  report::settle_findings(reports);
}

Result<AnyReport> analyse_code(std::vector<Input>& inputs, Context& context) {
  TRY_ASSIGN(const report::CodeAnalyst* analyst, context.code());
  TRY_ASSIGN(const SourceHeaders headers, SourceHeaders::of(inputs, context.options().build));
  Reading reading{.options = context.options(), .analyst = *analyst, .headers = headers};
  TRY_ASSIGN(reading.log, take_log(inputs, context));
  const std::string why_not = reading.is_automatic() ? reason_not_to_compile(inputs, *reading.options.host) : "";
  reading.compiles = reading.options.compilers.with_ptx != PtxUse::no && why_not.empty();
  reading.until = Clock::now() + compiling_time;
  std::vector<Work> all = units_of(inputs, headers);
  read_all(all, reading);
  auto report = std::make_shared<CodeReport>();
  for (Work& work : all) report->units.push_back(std::move(work.unit));
  const auto first = std::ranges::find_if(report->units, [](const CodeUnit& unit) { return unit.cuda != nullptr; });
  if (!why_not.empty() && first != report->units.end()) first->cuda->notes.push_back("not held against PTX: " + why_not);
  const bool are_named = std::ranges::all_of(inputs, [](const Input& input) { return input.folder.empty(); });
  if (are_named) {
    TRY_ASSIGN(report->together, reconciled(*report, analyst->knowledge()));
  }
  settle_findings(report->units);
  return AnyReport(std::shared_ptr<const CodeReport>(std::move(report)));
}

}  // namespace

report::PtxCompiler ptxas_for(std::string path, const capture::Host& host) {
  return [path = std::move(path), &host](const std::string& architecture) -> Result<diagnose::CompiledKernels> {
    if (path.empty()) return fail(ErrorKind::usage, "ptxas needs a file");
    TRY_ASSIGN(const capture::PtxasRun run, capture::run_ptxas(path, architecture, host));
    return report::compiled_in_log(ingest::read_ptxas_log(run.log), architecture, run.version.empty() ? "ptxas" : "ptxas " + run.version);
  };
}

std::span<const model::Finding> CodeUnit::findings() const {
  if (ptx) return ptx->diagnosis.findings;
  if (cuda) return cuda->findings;
  return device ? std::span<const model::Finding>(device->findings) : std::span<const model::Finding>();
}

void CodeUnit::add_to(report::Evidence& evidence) const {
  if (cuda) evidence.add(*cuda);
  if (ptx) evidence.add(*ptx);
  if (device) evidence.add(*device);
}

std::size_t CodeReport::files() const {
  return std::transform_reduce(units.begin(), units.end(), std::size_t{}, std::plus(),
                               [](const CodeUnit& unit) { return unit.paths.size(); });
}

std::size_t CodeReport::unread() const {
  return std::transform_reduce(units.begin(), units.end(), std::size_t{}, std::plus(),
                               [](const CodeUnit& unit) { return unit.unread.size(); });
}

const Error* CodeReport::only_error() const { return files() == 1 && units.front().error ? &*units.front().error : nullptr; }

std::size_t CodeReport::unfollowed() const {
  return std::transform_reduce(units.begin(), units.end(), std::size_t{}, std::plus(),
                               [](const CodeUnit& unit) { return unit.cuda ? unit.cuda->inspection.unfollowed() : 0; });
}

std::array<std::size_t, 3> CodeReport::by_severity() const {
  std::array<std::size_t, 3> counts{};
  for (const CodeUnit& unit : units) {
    for (const model::Finding& finding : unit.findings()) ++counts[static_cast<std::size_t>(finding.severity)];
  }
  return counts;
}

std::vector<model::Finding> CodeReport::findings() const {
  std::vector<model::Finding> all;
  for (const CodeUnit& unit : units) all.insert(all.end(), unit.findings().begin(), unit.findings().end());
  return all;
}

constinit const Analyzer code_analyzer = {
    .id = "code",
    .needs = "CUDA source, PTX or compiled device code",
    .gives = "what the code says of itself",
    .takes = code_takes,
    .analyse = analyse_code,
};

}  // namespace frx::analyse
