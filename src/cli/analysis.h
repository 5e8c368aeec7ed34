// What the commands that analyse something share: options, the analysis itself with its progress on a terminal, and --why.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/analyse.h"
#include "cli/io.h"
#include "cli/syntax.h"

namespace frx::cli {

// --gpu-model, --arch-profile, --data.
void describe_analysis(Syntax& syntax, report::AnalysisOptions& options);

// Reports how far a long file has been read, on a terminal only: bytes, how fast, and how long it will take. Erases itself.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  // `now`: for tests.
  Progress(Io& io, std::string name, std::uint64_t total, std::function<Clock::time_point()> now = Clock::now);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  std::function<void(std::uint64_t)> callback();

 private:
  Io& io_;
  std::string name_;
  std::uint64_t total_;
  std::function<Clock::time_point()> now_;
  Clock::time_point started_, shown_;
  bool is_shown_ = false;
};

// Analyses of one command. What they give points into the context, which stays until the process has written its answer.
class Session {
 public:
  Session(analyse::Options options, Io& io);
  Session(const report::AnalysisOptions& knowledge, Io& io) : Session(analyse::Options{.knowledge = knowledge}, io) {}

  analyse::Context& context() { return *context_; }

  // "-" is standard input.
  Result<std::vector<analyse::Input>> inputs(const std::vector<std::string>& paths);
  // `nsys`: the program that exports reports of Nsight Systems.
  Result<analyse::Input> input(const std::string& path, const std::string& nsys = "nsys");
  Result<analyse::Analysis> analyse(std::vector<analyse::Input> inputs);
  Result<analyse::Analysis> analyse(const std::vector<std::string>& paths);
  // Erases the progress of what was read through the context itself.
  void end_progress() { progress_->reset(); }
  // Only of this kind; the error says what the source is instead.
  Result<const report::NcuReport*> profile(const std::string& path);
  Result<const report::NcuReport*> profile(analyse::Input input);
  // All of a trace as one, whatever ranks were merged in it.
  Result<std::unique_ptr<report::TraceReport>> trace(analyse::Input input);
  Result<std::shared_ptr<const report::RunReport>> run(analyse::Input input, report::Layouts layouts = report::Layouts::left_out);

 private:
  Result<> export_report(analyse::Input& input, const std::string& nsys = "nsys");

  Io& io_;
  std::shared_ptr<std::optional<Progress>> progress_;
  std::shared_ptr<analyse::Context> context_;
};

// Of a GPU by the name that an option gives it; nothing where the name stands for GPUs of several capabilities. Fails for a name that is
// not known.
Result<std::optional<model::ComputeCapability>> capability_of(const std::string& gpu_model, const knowledge::GpuCatalogue& gpus);
// That of `--gpu-model` or, where that is empty, of the GPU of this machine; nothing where it is not known. Fails for a model that is not
// known.
Result<std::optional<model::ComputeCapability>> live_capability(const std::string& gpu_model, const knowledge::Knowledge& known,
                                                                const Io& io);
// Those that are not there yet, and not "".
void add_counters(std::vector<std::string>& counters, std::span<const std::string> more);
// The counters of a preset such as "full" and `besides`, without those that the GPU lacks; none for an unknown name.
std::vector<std::string> counters_of_preset(std::string_view preset, const knowledge::Knowledge& known,
                                            std::optional<model::ComputeCapability> gpu, std::span<const std::string> besides = {});

// --why: prints where a number or a label came from, as "text" or "json"; the exit code.
Result<int> tell_why(const std::string& story, const std::string& field, std::string_view format, Io& io);
// An error where it would have to be printed in another format.
Result<> expect_format_of_why(std::string_view command, std::string_view format);

}  // namespace frx::cli
