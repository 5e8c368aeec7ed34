#include "support/case_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "cli/run.h"
#include "support/case_output.h"
#include "support/corpus.h"
#include "support/json_schema.h"

namespace frx::testing {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string, std::less<>>;

// The names that a case may use in RUN and ENV for places that differ from machine to machine; in
// what is printed, the places become the names again.
struct Places {
  fs::path folder;  // {case}: where the files of the case lie and where frx runs
  fs::path temporary;

  std::vector<std::pair<std::string_view, std::string>> names() const {
    return {{"{case}", folder}, {"{tmp}", temporary}, {"{support}", FRX_REPOSITORY "/tests/support"}, {"{repository}", FRX_REPOSITORY}};
  }
};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

std::string expanded(std::string text, const Places& places) {
  for (const auto& [name, place] : places.names()) text = replace_all(std::move(text), name, place);
  return text;
}

std::string anonymous(std::string text, const Places& places) {
  for (const auto& [name, place] : places.names()) text = with_name_of_path(std::move(text), place, name);
  return text;
}

// A machine without GPU, tools and /proc, except for what the case gives it: programs on its PATH and
// `host:` files.
class CaseHost final : public capture::Host {
 public:
  CaseHost(const Case& one, const Variables& variables) : case_(one), variables_(variables) {}

  std::optional<std::string> variable(std::string_view name) const override {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::string> file(const std::string& path) const override {
    const Section* section = case_.section("host:" + path);
    return section == nullptr ? std::nullopt : std::optional(section->text);
  }
  bool exists(const std::string& path) const override { return case_.section("host:" + path) != nullptr; }
  std::optional<std::string> program(std::string_view name) const override {
    return capture::find_program(name, variable("PATH").value_or(""));
  }
  Result<capture::Exit> run(const capture::ChildCommand& command) const override { return capture::this_machine().run(command); }

 private:
  const Case& case_;
  const Variables& variables_;
};

// Why the case cannot run here, or "".
std::string missing(const std::string& need) {
  if (need == "corpus") return corpus() ? "" : no_corpus;
  if (need == "ncu") return capture::this_machine().program("ncu") ? "" : "no ncu on this machine";
  if (need == "gpu") return fs::exists("/dev/nvidia0") ? "" : "no NVIDIA GPU on this machine";
  return fmt::format("unknown requirement '{}'", need);
}

Result<> write_inputs(const Case& one, const fs::path& folder) {
  for (const Section& section : one.sections) {
    if (!is_input(section) || section.name.starts_with("host:")) continue;
    TRY_ASSIGN(const std::string bytes, bytes_of(section));
    TRY(write_file(folder / section.name, bytes));
    if (section.has("executable")) fs::permissions(folder / section.name, fs::perms::owner_all);
  }
  if (std::find(one.needs.begin(), one.needs.end(), "corpus") != one.needs.end()) {
    fs::create_directory_symlink(*corpus(), folder / "corpus");
  }
  return {};
}

Variables environment_of(const Case& one, const Places& places) {
  Variables variables = {{"HOME", places.folder},         {"TMPDIR", places.temporary}, {"XDG_CONFIG_DIRS", places.folder / "etc"},
                         {"PATH", places.folder / "bin"}, {"LC_ALL", "C.UTF-8"},        {"TZ", "UTC"}};
  if (std::find(one.needs.begin(), one.needs.end(), "ncu") != one.needs.end()) {
    const fs::path ncu = *capture::this_machine().program("ncu");
    variables["PATH"] = ncu.parent_path().string() + ":/usr/local/bin:/usr/bin:/bin";
  }
  for (const auto& [name, value] : one.environment) variables[name] = expanded(value, places);
  return variables;
}

struct Streams {
  fs::path in, out, err;
};

void redirect(int descriptor, const fs::path& file, int flags) {
  const int opened = ::open(file.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
  ::close(opened);
}

// Never returns. The streams are real ones, so that what child processes print falls into place.
[[noreturn]] void be_frx(const Case& one, const std::vector<std::string>& words, const Variables& variables, const Places& places,
                         const Streams& streams) {
  redirect(0, streams.in, O_RDONLY);
  redirect(1, streams.out, O_WRONLY | O_CREAT | O_APPEND);
  redirect(2, streams.err, O_WRONLY | O_CREAT | O_APPEND);
  if (::chdir(places.folder.c_str()) != 0) ::_exit(126);
  ::clearenv();
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::signal(SIGPIPE, SIG_IGN);
  int code = 0;
  {
    const CaseHost host(one, variables);
    cli::FileSink out(1, true), err(2, false);
    cli::Io io{.out = out, .err = err};
    io.width = one.width;
    io.reads_settings = true;
    io.program = one.program;
    io.environment = [&](std::string_view name) { return host.variable(name); };
    io.host = &host;
    code = cli::run(words, io);
  }
  std::exit(code);
}

Result<int> run_once(const Case& one, std::vector<std::string> words, const Variables& variables, const Places& places,
                     const Streams& streams) {
  for (std::string& word : words) word = expanded(std::move(word), places);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return fail(ErrorKind::environment, "cannot fork: {}", std::strerror(errno));
  if (child == 0) be_frx(one, words, variables, places, streams);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void append_to(const fs::path& file, const std::string& text) {
  if (std::FILE* stream = std::fopen(file.c_str(), "ab")) {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fclose(stream);
  }
}

Result<std::string> text_of(const fs::path& file, const Places& places) {
  TRY_ASSIGN(std::string text, read_file(file));
  return anonymous(std::move(text), places);
}

std::string prompt(const Case& one, const CaseRun& run) {
  std::string line = "$ " + one.program;
  for (const std::string& word : run.words) line += " " + shell_quote(word);
  return line + "\n";
}

Result<Outcome> run_in(const Case& one, const Places& places) {
  TRY(write_inputs(one, places.folder));
  const Variables variables = environment_of(one, places);
  const Streams streams = {one.input.empty() ? fs::path("/dev/null") : places.folder / one.input, places.temporary / "stdout",
                           places.temporary / "stderr"};
  append_to(streams.out, "");
  append_to(streams.err, "");
  Outcome outcome;
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    if (one.runs.size() > 1) append_to(streams.out, prompt(one, one.runs[i]));
    const auto said_before = fs::file_size(streams.err);
    TRY_ASSIGN(const int status, run_once(one, one.runs[i].words, variables, places, streams));
    outcome.exits.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    if (WIFSIGNALED(status)) {
      outcome.crashes.push_back(fmt::format("RUN {}: killed by signal {} ({})", i + 1, WTERMSIG(status), ::strsignal(WTERMSIG(status))));
    }
    if (one.runs.size() > 1 && fs::file_size(streams.err) > said_before) {
      TRY_ASSIGN(const std::string all, read_file(streams.err));
      fs::resize_file(streams.err, said_before);
      append_to(streams.err, prompt(one, one.runs[i]) + all.substr(said_before));
    }
  }
  TRY_ASSIGN(outcome.out, text_of(streams.out, places));
  TRY_ASSIGN(outcome.err, text_of(streams.err, places));
  for (const Section& section : one.sections) {
    const std::string name(output_file(section));
    if (name.empty() || !fs::exists(places.folder / name)) continue;
    TRY_ASSIGN(outcome.files[name], text_of(places.folder / name, places));
  }
  return outcome;
}

// The text a section expects; absent sections expect nothing.
Result<std::string> expected_text(const Case& one, std::string_view name) {
  const Section* section = one.section(name);
  return section == nullptr ? Result<std::string>(std::string()) : bytes_of(*section);
}

void compare(const Case& one, std::string_view name, std::string_view actual, std::vector<std::string>& said) {
  const Result<std::string> expected = expected_text(one, name);
  if (!expected) {
    said.push_back(fmt::format("{}: {}", name, expected.error().message));
  } else if (!matches(*expected, actual)) {
    said.push_back(fmt::format("{} differs (- expected, + found):\n{}", name, difference(*expected, actual)));
  }
}

void check_schemas(std::string_view name, const std::string& text, std::vector<std::string>& said) {
  for (const std::string& violation : schema_violations(text)) {
    said.push_back(fmt::format("{} does not follow its schema: {}", name, violation));
  }
}

}  // namespace

Result<Outcome> run_case(const Case& one) {
  for (const std::string& need : one.needs) {
    const std::string reason = missing(need);
    if (!reason.empty()) return Outcome{.skipped = reason, .out = {}, .err = {}, .exits = {}, .crashes = {}, .files = {}};
  }
  TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::make(fs::temp_directory_path()));
  const Places places = {fs::canonical(directory.path()) / "case", fs::canonical(directory.path()) / "tmp"};
  fs::create_directory(places.folder);
  fs::create_directory(places.temporary);
  return run_in(one, places);
}

std::vector<std::string> complaints(const Case& one, const Outcome& outcome) {
  std::vector<std::string> said = outcome.crashes;
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    if (outcome.exits[i] >= 0 && outcome.exits[i] != one.runs[i].exit) {
      said.push_back(fmt::format("RUN {}: expected exit code {}, found {}", i + 1, one.runs[i].exit, outcome.exits[i]));
    }
  }
  compare(one, "stdout", outcome.out, said);
  compare(one, "stderr", outcome.err, said);
  check_schemas("stdout", outcome.out, said);
  for (const Section& section : one.sections) {
    const std::string file(output_file(section));
    if (file.empty()) continue;
    const auto written = outcome.files.find(file);
    if (written == outcome.files.end()) {
      said.push_back(fmt::format("{} was not written", file));
      continue;
    }
    compare(one, section.name, written->second, said);
    check_schemas(file, written->second, said);
  }
  return said;
}

Case rebased(Case one, const Outcome& outcome) {
  for (std::size_t i = 0; i < one.runs.size(); ++i) one.runs[i].exit = outcome.exits[i];
  const auto update = [&](std::string_view name, const std::string& actual) {
    const auto found = std::find_if(one.sections.begin(), one.sections.end(), [&](const Section& section) { return section.name == name; });
    if (actual.empty()) {
      if (found != one.sections.end()) one.sections.erase(found);
      return;
    }
    if (found == one.sections.end()) {
      set_bytes(one.sections.emplace_back(Section{std::string(name), {}, {}}), actual);
    } else if (const Result<std::string> expected = bytes_of(*found); expected) {
      set_bytes(*found, rebased(*expected, actual));
    }
  };
  update("stdout", outcome.out);
  update("stderr", outcome.err);
  for (const auto& [file, bytes] : outcome.files) update("out:" + file, bytes);
  return one;
}

}  // namespace frx::testing
