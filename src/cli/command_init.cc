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
#include "cli/json_output.h"
#include "cli/run.h"
#include "knowledge/gpu_match.h"

namespace frx::cli {
namespace command_init {
namespace {

namespace fs = std::filesystem;

struct Options {
  Given given;
  bool json = false;
  std::string patch;
  bool dry_run = false;
  bool yes = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Looks at this machine and this folder and says which command to run first. With --patch, shows what would be added to a "
      "training script, and adds it when you say so; the script as it was is kept beside it.");
  syntax.option("--patch", "FILE", options.patch, "put the fournex SDK into this Python script");
  syntax.flag("--dry-run", options.dry_run, "with --patch: only show the difference");
  syntax.flag("--yes", options.yes, "with --patch: do not ask");
  syntax.flag("--json", options.json, "print JSON; a patch then needs --dry-run or --yes");
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

// What was typed, up to the line end; nullopt at the end of the input.
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

// The name under which the file is kept as it was.
Result<std::string> apply(const std::string& path, const std::string& before, const std::string& after) {
  TRY_ASSIGN(const std::string now, read_file(path));
  if (now != before) return fail(ErrorKind::negative, "it changed in the meantime; nothing was written").at(path);
  struct stat info {};
  const bool known = ::stat(path.c_str(), &info) == 0;
  const std::string backup = backup_name(path);
  TRY(write_file(backup, before, known ? Access::owner_only : Access::by_umask));  // at no moment for more people than the script
  if (known) ::chmod(backup.c_str(), info.st_mode & 07777);
  TRY(write_file(path, after));
  if (known) ::chmod(path.c_str(), info.st_mode & 07777);
  return backup;
}

// Only control characters go; the indentation of the difference stays.
std::string shown_diff(const std::string& diff) {
  std::string text;
  for (const std::string_view line : split(diff, '\n')) text += printable(line) + "\n";
  text.pop_back();
  return text;
}

using Plan = capture::Instrumentation;

void show(const Plan& plan, Io& io) {
  io.out.write(shown_diff(plan.diff));
  if (plan.has_steps) return;
  io.out.write(
      fmt::format("\nSteps are not marked yet: {}. Around the body of the training loop put:\n"
                  "    with frx.step_context(step=step, batch=batch, model=model):\n\n",
                  plan.suggestion));
}

// `state`: already_there, shown, skipped or patched.
int patched(std::string_view state, const Options& options, const Plan& plan, const std::string& backup, Io& io) {
  if (options.json) {
    write_json(io, "init",
               {{"patch",
                 {{"file", options.patch},
                  {"state", state},
                  {"kept_as", text_or_null(backup)},
                  {"difference", text_or_null(plan.diff)},
                  {"marks_steps", plan.has_steps},
                  {"suggestion", text_or_null(plan.suggestion)}}}});
  } else if (state == "already_there") {
    io.out.write(fmt::format("{} uses fournex already; nothing to do.\n", printable(options.patch)));
  } else if (state == "skipped") {
    io.out.write("Skipped; the file is as it was.\n");
  } else if (state == "patched") {
    io.out.write(fmt::format("Patched {}; as it was: {}\n", printable(options.patch), printable(backup)));
  }
  return 0;
}

Result<int> patch(const Options& options, Io& io) {
  if (options.json && !options.dry_run && !options.yes)
    return fail(ErrorKind::usage, "init: --json cannot ask; give --dry-run or --yes, too");
  TRY_ASSIGN(const std::string before, read_file(options.patch));
  TRY_ASSIGN(const Plan plan, capture::instrument(options.patch, *io.host));
  if (plan.state == Plan::State::already_there) return patched("already_there", options, plan, "", io);
  if (plan.state == Plan::State::refused) {
    return fail(ErrorKind::negative, "not patched: {}", plan.reason).at(options.patch).hint("`frx init` shows the lines to add by hand");
  }
  if (!options.json) show(plan, io);
  if (options.dry_run) return patched("shown", options, plan, "", io);
  if (!options.yes && !agrees(io)) return patched("skipped", options, plan, "", io);
  TRY_ASSIGN(const std::string backup, apply(options.patch, before, plan.new_text));
  return patched("patched", options, plan, backup, io);
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

struct CheckLine {
  std::string label, state, detail;
};

std::string text_of(const std::vector<CheckLine>& lines) {
  std::string text;
  for (const CheckLine& line : lines)
    text += fmt::format("  {:<17} {}{}\n", line.label, line.state, line.detail.empty() ? "" : fmt::format(" ({})", printable(line.detail)));
  return text;
}

std::string gpu_name(const capture::Environment& environment) {
  if (!environment.python.cuda_device_name.empty()) return environment.python.cuda_device_name;
  return environment.gpus.empty() ? "" : environment.gpus[0].name;
}

std::vector<CheckLine> checks(const capture::Environment& environment, const std::string& script) {
  const capture::Python& python = environment.python;
  const std::string name = gpu_name(environment), model = gpu_model(name);
  std::vector<CheckLine> lines;
  lines.push_back({"Python", python.interpreter.version.empty() ? "not found" : "OK", python.interpreter.version});
  lines.push_back(python.torch.empty() ? CheckLine{"PyTorch", "not importable", "pip install torch; only training runs need it"}
                                       : CheckLine{"PyTorch", "OK", python.torch});
  if (!python.torch.empty()) {
    lines.push_back(python.cuda_devices > 0 ? CheckLine{"CUDA", "OK", fmt::format("{} x{}", python.cuda_device_name, python.cuda_devices)}
                                            : CheckLine{"CUDA", "WARN", "PyTorch sees no CUDA device"});
  }
  lines.push_back({"GPU model", model.empty() ? "not detected" : model, name});
  lines.push_back(environment.ncu.found() ? CheckLine{"ncu", "OK", environment.ncu.path}
                                          : CheckLine{"ncu", "not found", "profiling kernels needs Nsight Compute"});
  lines.push_back({"Training scripts", script.empty() ? "none in this folder" : script, ""});
  return lines;
}

std::string indented(const std::string& text) {
  if (text.empty()) return {};
  std::string result;
  for (const std::string_view one : split(text, '\n')) result += one.empty() ? "\n" : fmt::format("    {}\n", one);
  result.pop_back();
  return result;
}

// What to do first: in words, with lines for the script and commands, in this order.
struct Next {
  struct Step {
    std::string words, lines;  // "" without
    std::vector<std::string> commands;
  };
  std::vector<Step> steps;
};

Next training_advice(const std::string& script, std::string_view program) {
  const std::string name = shell_quote(script.empty() ? "train.py" : script);
  const std::string collect = fmt::format("{} collect --explain -- python {}", program, name);
  if (!script.empty() && is_instrumented(script)) return {{{fmt::format("{} uses fournex already.", name), "", {collect}}}};
  Next next{{{"mark the steps of the training loop", capture::instrumentation_snippet(), {}}}};
  if (!script.empty())
    next.steps.push_back({"or let it be done, with the difference shown first:", "", {fmt::format("{} init --patch {}", program, name)}});
  next.steps.push_back({"then observe a run:", "", {collect}});
  return next;
}

Next advice(const capture::Environment& environment, const std::string& script, std::string_view program) {
  if (!environment.python.torch.empty()) return training_advice(script, program);
  if (environment.ncu.found()) {
    return {{{"profile kernels",
              "",
              {fmt::format("{} ncu-command full --output report.csv -- ./your_kernel_app", program),
               fmt::format("{} profile --ncu report.csv --explain", program)}}}};
  }
  return {{{"install PyTorch (for training runs) or Nsight Compute (for kernels). Source, PTX and profiles made elsewhere need neither:",
            "",
            {fmt::format("{} analyze kernel.cu", program)}}}};
}

std::string text_of(const Next& next) {
  constexpr std::size_t width = 116;
  std::string text;
  for (const Next::Step& step : next.steps) {
    text += join(wrap((text.empty() ? "Next: " : "") + step.words, width), "\n") + "\n\n" + indented(step.lines);
    for (const std::string& command : step.commands) text += fmt::format("    {}\n", command);
    if (&step != &next.steps.back()) text += "\n";
  }
  return text;
}

Json json_of(const std::vector<CheckLine>& checks, const std::string& script, const Next& next) {
  Json lines = Json::array(), steps = Json::array();
  for (const CheckLine& line : checks)
    lines.push_back({{"label", line.label}, {"status", line.state}, {"detail", text_or_null(line.detail)}});
  for (const Next::Step& step : next.steps)
    steps.push_back({{"do", step.words}, {"add_to_script", text_or_null(step.lines)}, {"commands", step.commands}});
  return {{"checks", std::move(lines)}, {"training_script", text_or_null(script)}, {"next", std::move(steps)}};
}

Result<int> act(const Options& options, Io& io) {
  if (!options.patch.empty()) return patch(options, io);
  TRY(options.given.expect_applicable("init", "", {{"--dry-run", false, "--patch FILE"}, {"--yes", false, "--patch FILE"}}));
  io.log(LogLevel::info, "init", "asking the tools of this machine; importing torch may take some seconds");
  const capture::Environment environment = capture::inspect(*io.host);
  const std::string script = training_script();
  const std::vector<CheckLine> found = checks(environment, script);
  const Next next = advice(environment, script, io.program);
  if (options.json) {
    write_json(io, "init", json_of(found, script, next));
  } else {
    io.out.write(text_of(found) + "\n" + text_of(next));
  }
  return 0;
}

}  // namespace
}  // namespace command_init

constinit const Command init_command = make_command<command_init::Options, command_init::describe, command_init::act>(
    "init", "Say what to do first, or put the SDK into a script", "Set up");

}  // namespace frx::cli
