// frx init: what is here, what to do first, and, on request, the SDK put into a training script.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "capture/environment.h"
#include "capture/instrument.h"
#include "cli/command.h"
#include "cli/run.h"
#include "knowledge/gpu_match.h"

namespace frx::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string patch;
  bool dry_run = false;
  bool yes = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Looks at this machine and this folder and says which command to run first. With --patch, shows what would be added to a "
      "training script, and adds it when you say so; the script as it was is kept beside it.");
  syntax.option("--patch", "FILE", options.patch, "put the fournex SDK into this Python script");
  syntax.flag("--dry-run", options.dry_run, "with --patch: only show the difference");
  syntax.flag("--yes", options.yes, "with --patch: do not ask");
  syntax.example("--patch train.py --dry-run", "the difference, nothing else");
  syntax.exit_code(0, "always, unless:");
  syntax.exit_code(1, "the file of --patch is missing or cannot be patched safely");
}

// --- --patch

// A name beside `path` that is free: train.py.before-frx, train.py.before-frx.2, ...
std::string backup_name(const std::string& path) {
  std::string name = path + ".before-frx";
  for (int i = 2; fs::exists(name); ++i) name = fmt::format("{}.before-frx.{}", path, i);
  return name;
}

// What was typed, up to the line end; nullopt when there is nobody to type.
std::optional<std::string> read_line() {
  std::string line;
  char c = 0;
  while (::read(0, &c, 1) == 1) {
    if (c == '\n') return line;
    if (line.size() < 100) line += c;
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

bool agrees(Io& io) {
  io.out.write("Apply these changes? [y/N] ");
  io.out.flush();
  const std::optional<std::string> answer = read_line();
  if (!answer) io.out.write("\nNo answer on standard input; --yes applies it without asking.\n");
  return answer && equals_ignoring_case(trim(*answer), "y");
}

Result<> apply(const std::string& path, const std::string& before, const std::string& after, Io& io) {
  TRY_ASSIGN(const std::string now, read_file(path));
  if (now != before) return fail(ErrorKind::negative, "it changed in the meantime; nothing was written").at(path);
  struct stat info {};
  const bool known = ::stat(path.c_str(), &info) == 0;
  const std::string backup = backup_name(path);
  TRY(write_file(backup, before));
  TRY(write_file(path, after));
  if (known) {
    ::chmod(backup.c_str(), info.st_mode & 07777);
    ::chmod(path.c_str(), info.st_mode & 07777);
  }
  io.out.write(fmt::format("Patched {}; as it was: {}\n", printable(path), printable(backup)));
  return {};
}

// Only control characters go; the indentation of the difference stays.
std::string shown_diff(const std::string& diff) {
  std::string text;
  for (const std::string_view line : split(diff, '\n')) text += printable(line) + "\n";
  text.pop_back();
  return text;
}

Result<int> patch(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string before, read_file(options.patch));
  TRY_ASSIGN(const capture::Instrumentation plan, capture::instrument(options.patch, *io.host));
  using State = capture::Instrumentation::State;
  if (plan.state == State::already_there) {
    io.out.write(fmt::format("{} uses fournex already; nothing to do.\n", printable(options.patch)));
    return 0;
  }
  if (plan.state == State::refused) {
    return fail(ErrorKind::negative, "not patched: {}", plan.reason).at(options.patch).hint("`frx init` shows the lines to add by hand");
  }
  io.out.write(shown_diff(plan.diff));
  if (!plan.has_steps) {
    io.out.write(
        fmt::format("\nSteps are not marked yet: {}. Around the body of the training loop put:\n"
                    "    with frx.step_context(step=step, batch=batch, model=model):\n\n",
                    plan.suggestion));
  }
  if (options.dry_run) return 0;
  if (!options.yes && !agrees(io)) {
    io.out.write("Skipped; the file is as it was.\n");
    return 0;
  }
  TRY(apply(options.patch, before, plan.new_text, io));
  return 0;
}

// --- without --patch

// The likeliest training script of this folder, or "".
std::string training_script() {
  for (const char* name : {"train.py", "main.py", "run.py", "finetune.py"}) {
    if (fs::exists(name)) return name;
  }
  std::string first;
  std::error_code error;
  for (fs::directory_iterator it(".", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    if (name.starts_with("train_") && name.ends_with(".py") && (first.empty() || name < first)) first = name;
  }
  return first;
}

bool is_instrumented(const std::string& script) {
  const std::string text = read_file(script).value_or("");
  return text.find("fournex") != text.npos || text.find("frx.init") != text.npos;
}

// "h100" of "NVIDIA H100 80GB HBM3", or "".
std::string gpu_model(const std::string& name) {
  const Result<knowledge::GpuCatalogue> catalogue = knowledge::GpuCatalogue::load(knowledge::Library::builtin());
  if (!catalogue || name.empty()) return {};
  const knowledge::GpuMatch match = knowledge::match_gpu(*catalogue, {.name = name, .cc = {}, .sm_count = {}, .memory_gb = {}});
  return match.product == nullptr ? "" : std::string(match.product->key);
}

std::string line(std::string_view label, std::string_view state, std::string_view detail) {
  return fmt::format("  {:<17} {}{}{}\n", label, state, detail.empty() ? "" : " ", detail.empty() ? "" : "(" + printable(detail) + ")");
}

std::string gpu_name(const capture::Environment& environment) {
  if (!environment.python.cuda_device_name.empty()) return environment.python.cuda_device_name;
  return environment.gpus.empty() ? "" : environment.gpus[0].name;
}

std::string checks(const capture::Environment& environment, const std::string& script) {
  const capture::Python& python = environment.python;
  const std::string name = gpu_name(environment), model = gpu_model(name);
  std::string text = line("Python", python.interpreter.version.empty() ? "not found" : "OK", python.interpreter.version);
  text += python.torch.empty() ? line("PyTorch", "not importable", "pip install torch; only training runs need it")
                               : line("PyTorch", "OK", python.torch);
  if (!python.torch.empty()) {
    text += python.cuda_devices > 0 ? line("CUDA", "OK", fmt::format("{} x{}", python.cuda_device_name, python.cuda_devices))
                                    : line("CUDA", "WARN", "PyTorch sees no CUDA device");
  }
  text += model.empty() ? line("GPU model", "not detected", name) : line("GPU model", model, name);
  text += environment.ncu.found() ? line("ncu", "OK", environment.ncu.path)
                                  : line("ncu", "not found", "profiling kernels needs Nsight Compute");
  text += line("Training scripts", script.empty() ? "none in this folder" : script, "");
  return text;
}

std::string indented(const std::string& text) {
  std::string result;
  for (const std::string_view one : split(text, '\n')) result += one.empty() ? "\n" : fmt::format("    {}\n", one);
  result.pop_back();
  return result;
}

std::string training_advice(const std::string& script, std::string_view program) {
  const std::string name = shell_quote(script.empty() ? "train.py" : script);
  if (!script.empty() && is_instrumented(script)) {
    return fmt::format("Next: {} uses fournex already.\n\n    {} collect --explain -- python {}\n", name, program, name);
  }
  std::string text = fmt::format("Next: mark the steps of the training loop\n\n{}", indented(capture::instrumentation_snippet()));
  if (!script.empty())
    text += fmt::format("\nor let it be done, with the difference shown first:\n\n    {} init --patch {}\n", program, name);
  return text + fmt::format("\nthen observe a run:\n\n    {} collect --explain -- python {}\n", program, name);
}

std::string advice(const capture::Environment& environment, const std::string& script, std::string_view program) {
  if (!environment.python.torch.empty()) return training_advice(script, program);
  if (environment.ncu.found()) {
    return fmt::format(
        "Next: profile kernels\n\n    {0} ncu-command full --output report.csv -- ./your_kernel_app\n"
        "    {0} profile --ncu report.csv --explain\n",
        program);
  }
  return fmt::format(
      "Next: install PyTorch (for training runs) or Nsight Compute (for kernels). Source, PTX and profiles made elsewhere\n"
      "need neither:\n\n    {} analyze kernel.cu\n",
      program);
}

Result<int> act(const Options& options, Io& io) {
  if (!options.patch.empty()) return patch(options, io);
  if (options.dry_run || options.yes) return fail(ErrorKind::usage, "--dry-run and --yes go with --patch FILE");
  io.log(LogLevel::info, "init", "asking the tools of this machine; importing torch may take some seconds");
  const capture::Environment environment = capture::inspect(*io.host);
  const std::string script = training_script();
  io.out.write(checks(environment, script) + "\n" + advice(environment, script, io.program));
  return 0;
}

}  // namespace

constinit const Command init_command =
    make_command<Options, describe, act>("init", "Say what to do first, or put the SDK into a script", "Set up");

}  // namespace frx::cli
