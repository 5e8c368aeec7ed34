#include "cli/run.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/day.h"
#include "base/memory_budget.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/cgp_words.h"
#include "cli/command.h"
#include "cli/configured_host.h"
#include "cli/help.h"
#include "cli/settings.h"
#include "knowledge/embedded.h"

namespace frx::cli {
namespace {

constexpr std::size_t longest_of_an_error = 1000;  // characters

bool is_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

// Help may be asked for anywhere before `--`.
bool asks_for_help(std::span<const std::string> args) {
  return std::find_if(args.begin(), std::find(args.begin(), args.end(), "--"), is_help) != std::find(args.begin(), args.end(), "--");
}

int report(const Error& error, Io& io, const Command* command) {
  io.out.flush();
  std::string text;
  Error shown = error;
  if (error.kind == ErrorKind::usage) {
    Syntax syntax;
    if (command != nullptr) command->describe(syntax);
    text =
        command != nullptr ? usage_line(*command, syntax, io.program) + "\n" : fmt::format("usage: {} [OPTIONS] COMMAND ...\n", io.program);
    shown.message = "error: " + error.message;
    if (shown.hint.empty()) {
      shown.hint = command != nullptr ? called(*command, io.program) + " --help" : io.program + " --help";
    }
  }
  io.err.write(text + error_text(shown, io.program));
  return exit_code(error.kind);
}

Failure unknown_command(const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view near = nearest(name, candidates);
  return fail(ErrorKind::usage, "unknown command '{}'", printable(name)).hint(near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

Failure unknown_member(const std::string& family_name, const std::string& name) {
  std::vector<std::string> names;
  for (const Command* command : family(family_name)) names.emplace_back(command->name);
  return unknown_command(family_name + " " + name, names);
}

int run_command(const Command& command, std::span<const std::string> args, Io& io) {
  if (asks_for_help(args)) {
    Syntax syntax;
    command.describe(syntax);
    io.out.write(command_help(command, syntax, io));
    return 0;
  }
  if (io.settings) io.presets = io.settings->presets(command.name);
  const Result<int> code = command.run(args, io);
  return code ? *code : report(code.error(), io, &command);
}

std::string overview(const Syntax& global, const Io& io) {
  if (io.program == cgp_program) return cgp_help(io);
  const std::string_view only = only_family(io.program);
  return only.empty() ? program_help(global, io) : family_help(only, io);
}

// "frx operators ..." where the second word says which of a family.
int run_member(const std::string& family_name, std::span<const std::string> rest, Io& io) {
  if (rest.empty() || is_help(rest[0])) {
    io.out.write(family_help(family_name, io));
    return rest.empty() ? 1 : 0;
  }
  const Command* command = command_named(family_name + " " + rest[0]);
  if (command == nullptr) return report(unknown_member(family_name, rest[0]).error, io, nullptr);
  return run_command(*command, rest.subspan(1), io);
}

int run_command_called(std::span<const std::string> words, Io& io) {
  if (const std::string_view only = only_family(io.program); !only.empty()) return run_member(std::string(only), words, io);
  const std::string& name = words[0];
  if (!family(name).empty()) return run_member(name, words.subspan(1), io);
  const Command* command = name.find(' ') == name.npos ? command_named(name) : nullptr;
  if (command == nullptr) return report(unknown_command(name, first_words()).error, io, nullptr);
  return run_command(*command, words.subspan(1), io);
}

// `words`: the name of a command and what it is given.
int run_named(std::span<const std::string> words, bool json, Io& io) {
  if (io.program != cgp_program) return run_command_called(words, io);
  const bool is_family = words.size() == 1 || is_help(words[1]);
  if (is_help(words[0]) || (is_family && !words_for_cgp(words, false) && words_begin_cgp(words[0]))) {
    io.out.write(cgp_help(io));
    return words.size() == 1 && !is_help(words[0]) ? 1 : 0;
  }
  const Result<std::vector<std::string>> ours = words_for_cgp(words, json);
  return ours ? run_command_called(*ours, io) : report(ours.error(), io, nullptr);
}

// cgp takes --json before the command.
bool take_json(std::vector<std::string>& args, const Io& io) {
  if (io.program != cgp_program || args.empty() || args[0] != "--json") return false;
  args.erase(args.begin());
  return true;
}

// While the program runs: tests run it many times.
struct Limits {
  ~Limits() {
    MemoryBudget::stop();
    set_most_threads(0);
    set_source_date({});
  }
};

Result<SettingSources> sources_of(const GlobalOptions& global, const Io& io) {
  if (global.no_config && !global.config.empty()) return fail(ErrorKind::usage, "--config and --no-config exclude each other");
  const bool no_files = global.no_config || !io.reads_settings || !io.environment("FRX_NO_CONFIG").value_or("").empty();
  const std::string named = global.config.empty() && !no_files ? io.environment("FRX_CONFIG").value_or("") : global.config;
  std::error_code error;
  return SettingSources{io.environment, std::filesystem::current_path(error).string(), named, !no_files || !named.empty()};
}

// Takes the settings, with what the command line says before the command.
Result<> configure(const GlobalOptions& global, const SettingSources& sources, Io& io) {
  TRY_ASSIGN(Settings loaded, Settings::load(sources));
  if (!global.memory.empty()) loaded.take_option("memory", global.memory);
  if (global.threads) loaded.take_option("threads", std::to_string(*global.threads));
  if (global.colour != "auto") loaded.take_option("color", global.colour);
  const auto settings = std::make_shared<const Settings>(std::move(loaded));
  const auto host = std::make_shared<const ConfiguredHost>(*io.host, *settings);
  io.environment = [settings, before = std::move(io.environment)](std::string_view name) {
    std::optional<std::string> value = settings->variable(name);
    return value ? value : before(name);
  };
  io.host = host.get();
  io.settings = settings;
  io.kept.push_back(settings);
  io.kept.push_back(host);
  return {};
}

// Where blocks of memory may lie: folders for temporary files, and that of the user's cache where those are in memory.
std::vector<std::string> folders_for_blocks(const Io& io) {
  std::vector<std::string> folders = {io.environment("TMPDIR").value_or(""), "/var/tmp", "/tmp",
                                      io.environment("XDG_CACHE_HOME").value_or("")};
  if (const auto home = io.environment("HOME")) folders.push_back(*home + "/.cache");
  std::erase(folders, "");
  return folders;
}

Result<> limit_memory(const Settings& settings, const Io& io) {
  const std::optional<std::string> text = settings.value("memory");
  std::optional<std::uint64_t> fixed;
  if (text) {
    Result<std::uint64_t> bytes = parse_memory(*text);
    if (!bytes) return Failure{std::move(bytes).error()}.at(settings.of("memory").front()->from);
    fixed = *bytes;
  }
  MemoryBudget::start(fixed);
  MemoryBudget::spill(folders_for_blocks(io));
  return {};
}

Result<> limit_threads(const Settings& settings) {
  const std::optional<std::string> text = settings.value("threads");
  if (!text) return {};
  const Result<std::string> count = setting_value(*setting_kind("threads"), *text);
  if (!count) return fail(ErrorKind::usage, "{}", count.error().message).at(settings.of("threads").front()->from);
  set_most_threads(std::stoul(*count));
  return {};
}

void choose_colour(const Settings& settings, Io& io) {
  const std::string when = settings.value("color").value_or("auto");
  if (when != "auto") io.colour = when == "always";
}

void make_streams_safe(Io& io) {
  for (Sink* sink : {&io.out, &io.err}) {
    sink->safety().allow_colours(io.colour);
    sink->safety().run_by(build_service(io));
  }
}

// Whether it has to work beside settings that do not: it says where they are, or how they are written.
bool needs_no_settings(std::span<const std::string> words) {
  return words.empty() || asks_for_help(words) || (words.size() > 1 && words[0] == "config" && words[1] == "path");
}

Result<> prepare(const GlobalOptions& global, std::span<const std::string> words, Io& io) {
  TRY_ASSIGN(const SettingSources sources, sources_of(global, io));
  if (Result<> configured = configure(global, sources, io); !configured) {
    if (!needs_no_settings(words)) return configured;
    TRY_ASSIGN(Settings found, Settings::found(sources));
    io.settings = std::make_shared<const Settings>(std::move(found));
  }
  set_source_date(io.environment("SOURCE_DATE_EPOCH"));
  TRY(limit_memory(*io.settings, io));
  TRY(limit_threads(*io.settings));
  choose_colour(*io.settings, io);
  return {};
}

int dispatch(std::span<const std::string> given, Io& io) {
  std::vector<std::string> without_json(given.begin(), given.end());
  const bool json = take_json(without_json, io);
  const std::span<const std::string> args = without_json;
  GlobalOptions global;
  Syntax syntax;
  describe_global(syntax, global);
  const std::size_t end = syntax.leading_options(args);
  const std::span<const std::string> head = args.subspan(0, end);
  if (std::any_of(head.begin(), head.end(), is_help)) {
    io.out.write(overview(syntax, io));
    return 0;
  }
  if (const Result<> parsed = syntax.parse(head); !parsed) return report(parsed.error(), io, nullptr);
  if (global.verbose) io.level = LogLevel::info;
  if (global.debug) io.level = LogLevel::debug;
  if (const Result<> prepared = prepare(global, args.subspan(end), io); !prepared) return report(prepared.error(), io, nullptr);
  make_streams_safe(io);
  if (global.version) {
    io.out.write(version_text(io.program));
    return 0;
  }
  if (end == args.size()) {
    io.out.write(overview(syntax, io));
    return 1;
  }
  return run_named(args.subspan(end), json, io);
}

}  // namespace

void describe_global(Syntax& syntax, GlobalOptions& options) {
  syntax.flag("-v,--verbose", options.verbose, "say on standard error what is being done");
  syntax.flag("--debug", options.debug, "say more");
  syntax.choice("--color", "WHEN", options.colour, {"auto", "always", "never"}, "colour the output");
  syntax.option("--memory", "SIZE", options.memory,
                "hold at most this much memory, such as 8G, instead of an amount by the size of the input");
  syntax.option("--threads", "N", options.threads, "work with at most this many threads, instead of one for each core");
  syntax.option("--config", "FILE", options.config, "take settings from this file, instead of .frx.yaml of the project");
  syntax.flag("--no-config", options.no_config, "take no settings from files");
  syntax.flag("--version", options.version, "show version and data");
}

std::string version_text(std::string_view program) {
  return fmt::format("{} {}\ndata {:016x}, {} files; built with {} {}, C++{}\nLicence: Apache-2.0\n", program, FRX_VERSION,
                     knowledge::embedded_fingerprint(), knowledge::embedded_files().size(),
#ifdef __clang__
                     "Clang", __clang_version__,
#else
                     "GCC", __VERSION__,
#endif
                     __cplusplus / 100 % 100);
}

std::string error_text(const Error& error, std::string_view program) {
  // A message quotes what was found, which can be a megabyte.
  std::string text = fmt::format("{}: {}{}{}\n", program, shorten(printable(error.where), longest_of_an_error),
                                 error.where.empty() ? "" : ": ", shorten(error.message, longest_of_an_error));
  if (error.hint.empty()) return text;
  std::string_view prefix = "  hint: ";
  for (const std::string_view line : split(error.hint, '\n')) {
    text += fmt::format("{}{}\n", prefix, line);
    prefix = "        ";
  }
  return text;
}

int run(std::span<const std::string> args, Io& io) {
  const Limits limits;
  make_streams_safe(io);
  const Result<int> done = without_exceptions([&]() -> Result<int> { return dispatch(args, io); });
  int code = done ? *done : report(done.error(), io, nullptr);
  io.out.flush();
  if (io.out.error() != 0) {
    io.err.write(fmt::format("{}: cannot write the output: {}\n", io.program, std::strerror(io.out.error())));
    code = code == 0 ? 1 : code;
  }
  return code;
}

}  // namespace frx::cli
