// frx smoke-test: does this installation work from end to end, on a run that is made up?

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analyse/analyse.h"
#include "analyse/run_summary.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/collect.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/synthetic_trace.h"
#include "cli/trace_analysis.h"
#include "ingest/run_bundle/open_bundle.h"
#include "model/bundle_paths.h"

namespace frx::cli {
namespace command_smoke_test {
namespace {

namespace fs = std::filesystem;
namespace bundle = model::bundle;

struct Options {
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Makes up a training run that waits for its data loader, takes it through collect in a temporary folder, and checks what "
      "comes out. Needs no GPU, no Python and no network; leaves nothing behind.");
  syntax.flag("--json", options.json, "print JSON");
  syntax.exit_code(0, "every check passed");
  syntax.exit_code(1, "a check failed");
}

// What the checks hand on to each other.
struct Trial {
  TemporaryDirectory folder;
  Io& io;
  capture::CollectResult result;

  std::string trace() const { return folder.file("made_up_trace.json"); }
  std::string run(std::string_view path) const { return folder.file("runs/run-smoke/") + std::string(path); }
};

Failure broken(std::string text) { return fail(ErrorKind::negative, "{}", text); }

Result<> write_trace(Trial& trial) { return write_file(trial.trace(), synthetic_trace()); }

// By the shell alone: a smoke test needs no other program.
constexpr const char* copy_line_by_line =
    R"(while IFS= read -r line; do printf '%s\n' "$line"; done < "$0" > "$FRX_OUTPUT_DIR/profiler_trace.json")";

// The workload writes its trace to where the variables say, as a training script would.
Result<> collect_a_run(Trial& trial) {
  capture::CollectRequest request;
  request.out = trial.folder.file("runs");
  request.run_id = "run-smoke";
  request.artifact_directories = {trial.folder.file("none")};
  request.workload = {"/bin/sh", "-c", copy_line_by_line, trial.trace()};
  request.before_sealing = [](const capture::RunFolder& folder) -> Result<> {
    analyse::Context context{analyse::Options()};
    TRY_ASSIGN(const auto run, analyse::analyse_run(folder.absolute(), context));
    return analyse::write_run_summary(*run, folder.absolute());
  };
  TRY_ASSIGN(trial.result, capture::collect(request, *trial.io.host));
  if (!trial.result.failures.empty()) return Failure{trial.result.failures[0]};
  if (trial.result.end.code() != 0) return broken(fmt::format("the workload ended with {}", trial.result.end.code()));
  return {};
}

Result<> has_its_folders(Trial& trial) {
  for (const char* name : {"raw", "derived", "profiler"}) {
    if (!fs::is_directory(trial.run(name))) return broken(fmt::format("there is no {}/", name));
  }
  return {};
}

Result<> has_the_trace(Trial& trial) {
  TRY_ASSIGN(const std::string text, read_file(trial.run(bundle::profiler_trace)));
  return text == synthetic_trace() ? Result<>() : broken("it is not what was written");
}

Result<nlohmann::json> summary_of(const Trial& trial) {
  TRY_ASSIGN(const std::string text, read_file(trial.run(bundle::derived_summary)));
  nlohmann::json summary = nlohmann::json::parse(text, nullptr, false);
  if (!summary.is_object() || !summary["steady_state"].is_object()) return broken("it has no steady state");
  return summary;
}

Result<> has_a_summary(Trial& trial) {
  TRY_ASSIGN(const nlohmann::json summary, summary_of(trial));
  const std::size_t count = summary["steady_state"]["step_count"].get<std::size_t>();
  return count == 3 ? Result<>() : broken(fmt::format("expected 3 steps of a steady state, found {}", count));
}

Result<> finds_the_loader(Trial& trial) {
  TRY_ASSIGN(const nlohmann::json summary, summary_of(trial));
  const nlohmann::json& primary = summary["steady_state"]["diagnosis"]["primary_bottleneck"];
  return primary == "input_bound" ? Result<>() : broken("found " + primary.dump());
}

Result<> recommends_something(Trial& trial) {
  TRY_ASSIGN(const nlohmann::json summary, summary_of(trial));
  return summary["steady_state"]["diagnosis"]["recommendations"].empty() ? broken("there are none") : Result<>();
}

Result<> has_a_manifest(Trial& trial) {
  TRY_ASSIGN(const std::string text, read_file(trial.run(bundle::manifest)));
  const auto manifest = nlohmann::json::parse(text, nullptr, false);
  if (!manifest.is_object()) return broken("it is no JSON");
  for (const auto& file : manifest.at("files")) {
    TRY_ASSIGN(const std::string hash, sha256_of_file(trial.run(file.at("path").get<std::string>())));
    if (hash != file.at("sha256").get<std::string>()) return broken(file.at("path").get<std::string>() + " differs from its fingerprint");
  }
  return {};
}

Result<> has_a_zip(Trial& trial) {
  if (trial.result.zip.empty()) return broken("none was made");
  TRY_ASSIGN(const ingest::RunBundle run, ingest::RunBundle::open(trial.result.zip));
  TRY_ASSIGN(const std::string text, run.read(bundle::profiler_trace));
  return text == synthetic_trace() ? Result<>() : broken("its trace is not what was packed");
}

// A machine without a GPU, and a run without the SDK, are no faults of the installation.
Result<> has_no_unexpected_warnings(Trial& trial) {
  for (const std::string& warning : trial.result.warnings) {
    const bool expected = warning.starts_with("no GPU metrics") || warning.starts_with("imported artifacts") ||
                          warning.starts_with("a profiler trace without an SDK trace");
    if (!expected) return broken(warning);
  }
  return {};
}

// In the order in which they run; each may use what those before it made.
struct SmokeCheck {
  const char* name;
  Result<> (*run)(Trial& trial);
};
constexpr SmokeCheck smoke_checks[] = {{"write synthetic profiler trace", write_trace},
                                       {"collect a run", collect_a_run},
                                       {"create run directory", has_its_folders},
                                       {"import the profiler trace", has_the_trace},
                                       {"generate derived/summary.json", has_a_summary},
                                       {"manifest.json present", has_a_manifest},
                                       {"zip bundle created", has_a_zip},
                                       {"primary_bottleneck == input_bound", finds_the_loader},
                                       {"recommendations present", recommends_something},
                                       {"no unexpected warnings", has_no_unexpected_warnings}};

void print(const SmokeCheck& check, const Result<>& done, Io& io) {
  const std::string tag = io.paint(done ? Colour::green : Colour::red, done ? "[PASS]" : "[FAIL]");
  io.out.write(fmt::format("{} {}{}\n", tag, check.name, done ? "" : ": " + printable(to_string(done.error()))));
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make(io.environment("TMPDIR").value_or("/tmp")));
  Trial trial{std::move(folder), io, {}};
  if (!options.json) io.out.write("Running smoke test ...\n");
  io.out.flush();
  bool ok = true;
  Json checks = Json::array();
  for (const SmokeCheck& check : smoke_checks) {
    const Result<> done = check.run(trial);
    ok = ok && done;
    checks.push_back(
        {{"name", check.name}, {"passed", done.has_value()}, {"detail", done ? Json(nullptr) : Json(to_string(done.error()))}});
    if (!options.json) print(check, done, io);
  }
  if (options.json) {
    write_json(io, "smoke_test", {{"checks", std::move(checks)}, {"ok", ok}});
  } else {
    io.out.write(ok ? "All smoke-test checks passed.\n" : "Some smoke-test checks failed.\n");
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace command_smoke_test

constinit const Command smoke_test_command =
    make_command<command_smoke_test::Options, command_smoke_test::describe, command_smoke_test::act>(
        "smoke-test", "Check this installation on an invented run", "Set up");

}  // namespace frx::cli
