#include "capture/collect.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <cerrno>
#include <cstring>
#include <future>
#include <optional>

#include "base/files.h"
#include "base/leftovers.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/run_bundle/import_artifacts.h"
#include "capture/run_bundle/secrets.h"
#include "capture/signals.h"
#include "capture/zip_writer.h"
#include "model/bundle_paths.h"

namespace frx::capture {
namespace {

namespace bundle = model::bundle;
constexpr std::uint64_t largest_config = 1 << 20;

Result<> read_config(const std::string& path, RunRecord& record) {
  if (path.empty()) return {};
  TRY_ASSIGN(record.config_text, read_file(path, largest_config));
  TRY_ASSIGN(const Document document, parse_yaml(path, record.config_text));
  const DocumentView view = document.view();
  record.config_path = path;
  record.config = json_of(Value(view));
  if (!record.config.is_object() && !record.config.is_null()) {
    return fail(ErrorKind::malformed, "expected a map of settings, found something else").at(path);
  }
  return {};
}

// What people hand on has no credentials in it.
void hide_secrets(RunRecord& record) {
  record.recorded_workload = without_secrets(record.workload);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < record.workload.size(); ++i) changed += record.workload[i] != record.recorded_workload[i] ? 1 : 0;
  const OrderedJson config = without_secrets(record.config);
  if (changed > 0)
    record.warn(fmt::format("arguments that look like credentials were not recorded ({}); --keep-arguments keeps them", changed));
  if (config == record.config) return;
  record.warn("settings of --config that look like credentials were not recorded; --keep-arguments keeps them");
  record.config_text = yaml_without_secrets(record.config_text, record.config);
  record.config = config;
}

Result<RunRecord> begin_record(const CollectRequest& request) {
  RunRecord record;
  record.job_name = request.job_name;
  record.workload = request.workload;
  record.interval = std::max(request.interval, shortest_interval);
  if (request.interval < shortest_interval) {
    record.warn(fmt::format("GPUs are sampled every {} ms: drivers average over longer than {} ms", shortest_interval.count(),
                            request.interval.count()));
  }
  record.started_at = utc_now();
  struct utsname name {};
  if (::uname(&name) == 0) {
    record.host = name.nodename;
    record.platform = fmt::format("{}-{}-{}", name.sysname, name.release, name.machine);
  }
  TRY(read_config(request.config_path, record));
  record.recorded_workload = record.workload;
  if (!request.keep_arguments) hide_secrets(record);
  return record;
}

std::vector<std::pair<std::string, std::string>> variables(const RunRecord& record, const RunFolder& folder) {
  return {{"FRX_RUN_ID", folder.id()},
          {"FRX_JOB_NAME", record.job_name},
          {"FRX_OUTPUT_DIR", folder.absolute()},
          {"FRX_RAW_TRACE_PATH", folder.file(bundle::raw_trace)},
          {"FRX_DERIVED_SUMMARY_PATH", folder.file(bundle::derived_summary)},
          {"FRX_AUTO_PERSIST", "1"},
          {"FRX_SAMPLE_INTERVAL_MS", std::to_string(record.interval.count())},
          {"FRX_PROFILER_ENABLED", "1"}};
}

// The bundle of one run while it is written.
class Collection {
 public:
  Collection(const CollectRequest& request, const Host& host, RunFolder folder, RunRecord record)
      : request_(request), host_(host), folder_(std::move(folder)), record_(std::move(record)) {}

  Result<CollectResult> run();
  const RunFolder& folder() const { return folder_; }

 private:
  Result<> watch();
  Result<> observe();
  void note_output_error();
  void seal();
  Result<> pack();
  // A failure of ours does not invalidate the run.
  void note(Result<> done) {
    if (!done) outcome_.failures.push_back(std::move(done).error());
  }
  Result<> write(std::string_view path, const std::string& text) { return write_file(folder_.file(path), text, Access::owner_only); }

  const CollectRequest& request_;
  const Host& host_;
  RunFolder folder_;
  RunRecord record_;
  CollectResult outcome_;
  SignalForwarding signals_;
};

// Python is queried while the workload starts; its answer is written to disk at once.
Result<> Collection::observe() {
  auto asked = std::async(std::launch::async, [this, record = record_]() mutable {
    record.python = python_environment(record.workload, host_);
    [[maybe_unused]] const Result<> written = write(bundle::run_config, run_config_text(record, folder_));
    return *record.python;
  });
  WorkloadRequest workload;
  workload.argv = record_.workload;
  workload.environment = variables(record_, folder_);
  workload.mark = "FRX_RUN_ID=" + folder_.id();
  workload.log_path = folder_.file(bundle::logs);
  workload.out = request_.output;
  workload.err = request_.errors;
  workload.say = request_.say;
  Result<WorkloadEnd> end = run_workload(workload);
  record_.python = asked.get();
  if (!end) return Failure{std::move(end).error()};
  record_.ended_at = utc_now();
  record_.end = std::move(*end);
  for (const std::string& note : record_.end->notes) record_.warn(note);
  note_output_error();
  return {};
}

// The run, with what looks at it and publishes it beside it.
Result<> Collection::watch() {
  std::optional<LivePublisher> live;
  if (request_.live.is_wanted()) {
    const LiveRun run{{folder_.id(), record_.job_name, record_.host, request_.version}, folder_.file(bundle::raw_trace), record_.interval};
    TRY_ASSIGN(LivePublisher started, LivePublisher::start(request_.live, run, host_));
    live.emplace(std::move(started));
  }
  GpuSamplerOptions sampling{record_.interval, folder_.file(bundle::gpu_metrics)};
  if (live) sampling.show = live->gpu_samples();
  TRY_ASSIGN(GpuSampler sampler, GpuSampler::start(sampling, host_));
  TRY(observe());
  if (live) {
    for (const std::string& warning : live->finish(record_.end->code())) record_.warn(warning);
  }
  record_.gpu = sampler.stop();
  for (const std::string& warning : record_.gpu->warnings) record_.warn(warning);
  return {};
}

Result<> Collection::pack() {
  const int before = signals_.interrupts();
  TRY_ASSIGN(ZipWriter zip, ZipWriter::create(folder_.zip_path()));
  for (const std::string& path : outcome_.manifest.files) {
    if (signals_.interrupts() > before) return fail(ErrorKind::negative, "interrupted: no zip was made").at(folder_.shown());
    struct stat info {};
    if (::stat(folder_.file(path).c_str(), &info) != 0) continue;
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(folder_.file(path)));
    TRY(zip.add(folder_.id() + "/" + path, *source, info.st_mtim.tv_sec));
  }
  TRY(zip.finish());
  outcome_.zip = folder_.shown() + ".zip";
  return {};
}

// A reader that left (head, a closed window) is none of our failures; a full disk is one.
void Collection::note_output_error() {
  const int error = record_.end->output_error;
  if (error == 0) return;
  const std::string words = fmt::format("the output of the program could not be passed on to its end: {}", std::strerror(error));
  record_.warn(words);
  if (error != EPIPE) note(fail(ErrorKind::unreadable, "{}", words));
}

void Collection::seal() {
  if (request_.before_sealing) note(request_.before_sealing(folder_));
  warn_of_missing_data(folder_, record_);
  note(write(bundle::run_config, run_config_text(record_, folder_)));
  note(write(bundle::metadata, metadata_text(record_, folder_)));
  folder_.restrict_access();
  outcome_.manifest = manifest_of(folder_);
  Result<std::string> manifest = manifest_text(outcome_.manifest, record_, folder_);
  note(manifest ? write(bundle::manifest, *manifest) : Result<>(Failure{std::move(manifest).error()}));
  if (request_.zip) note(pack());
}

Result<CollectResult> Collection::run() {
  signals_.swallow();  // from here on the bundle is completed in any case
  const std::vector<std::string> directories =
      request_.artifact_directories.empty() ? std::vector<std::string>{"frx-job-run"} : request_.artifact_directories;
  const ArtifactImport artifacts(directories, request_.import_profiler);
  TRY(write(bundle::run_config, run_config_text(record_, folder_)));
  TRY(write(bundle::metadata, metadata_text(record_, folder_)));
  TRY(watch());
  ArtifactImport::Outcome imported = artifacts.run(folder_);
  for (const std::string& warning : imported.warnings) record_.warn(warning);
  outcome_.imported = std::move(imported.imported);
  seal();
  outcome_.end = *record_.end;
  outcome_.directory = folder_.shown();
  outcome_.warnings = record_.warnings;
  return std::move(outcome_);
}

}  // namespace

Result<CollectResult> collect(const CollectRequest& request, const Host& host) {
  TRY_ASSIGN(RunRecord record, begin_record(request));
  const SignalsHeld held;  // until the collection takes them
  TRY_ASSIGN(RunFolder folder, RunFolder::create(request.out, request.run_id));
  Collection collection(request, host, std::move(folder), std::move(record));
  Result<CollectResult> result = collection.run();
  if (!result) collection.folder().remove();
  return result;
}

}  // namespace frx::capture
