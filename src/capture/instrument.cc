#include "capture/instrument.h"

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/instrument_script.h"

namespace frx::capture {

std::string instrumentation_snippet() {
  return "import fournex as frx\n"
         "\n"
         "frx.init(job_name=\"my-run\")\n"
         "\n"
         "for step, batch in enumerate(dataloader):\n"
         "    with frx.step_context(step=step, batch=batch, model=model):\n"
         "        ...  # the training step as it is\n";
}

namespace {

Instrumentation read_answer(std::string_view out) {
  Instrumentation plan;
  plan.reason = "Python gave no answer";
  for (const std::string_view line : split(out, '\n')) {
    const std::string_view key = line.substr(0, line.find(' '));
    const std::string value = printable(trim(line.substr(key.size())));
    if (key == "state" && value == "proposed") plan.state = Instrumentation::State::proposed;
    if (key == "state" && value == "already_there") plan.state = Instrumentation::State::already_there;
    if (key == "reason") plan.reason = value;
    if (key == "steps") plan.has_steps = true;
    if (key == "suggestion") plan.suggestion = value;
  }
  return plan;
}

}  // namespace

Result<Instrumentation> instrument(const std::string& path, const Host& host) {
  TRY(open_file(path));
  const std::optional<std::string> python = host.program("python3");
  if (!python) {
    return fail(ErrorKind::negative, "there is no python3 here to parse it and to check the result")
        .at(path)
        .hint("paste the lines that `frx init` shows by hand");
  }
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  ChildCommand command;
  command.argv = {*python, "-I", "-c", instrument_script, path, folder.file("new"), folder.file("diff")};
  command.environment = {{"PYTHONIOENCODING", "utf-8"}};
  command.time_limit = std::chrono::seconds(60);
  TRY_ASSIGN(const Exit exit, host.run(command));
  if (!exit.ok()) {
    return fail(ErrorKind::negative, "Python could not look at it: {}", describe(exit, command.time_limit)).at(path);
  }
  Instrumentation plan = read_answer(exit.out);
  if (plan.state != Instrumentation::State::proposed) return plan;
  TRY_ASSIGN(plan.new_text, read_file(folder.file("new")));
  TRY_ASSIGN(plan.diff, read_file(folder.file("diff")));
  return plan;
}

}  // namespace frx::capture
