// What a command looks like, and the list of all of them. Files are compiled in groups, so each command has a namespace of its own.
//
//   namespace command_example {
//   namespace {
//   struct Options { std::string output; };
//   void describe(Syntax& syntax, Options& options) {
//     syntax.option("-o,--output", "FILE", options.output, "where to write it");
//   }
//   Result<int> act(const Options& options, Io& io) { ... return 0; }
//   }  // namespace
//   }  // namespace command_example
//   constinit const Command example_command =
//       make_command<command_example::Options, command_example::describe, command_example::act>("example", "Do the thing", "Measure");
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "cli/syntax.h"

namespace frx::cli {

struct Command {
  std::string_view name;     // one word, or two: "operators report" is of the family "operators"
  std::string_view summary;  // a sentence in the imperative, without its full stop
  std::string_view group;    // heading in the list of commands
  // The exit code, or why there is none.
  Result<int> (*run)(std::span<const std::string> args, Io& io);
  // Declares the syntax without parsing anything; touches no file.
  void (*describe)(Syntax& syntax);
};

// In the order of commands.def.
std::span<const Command* const> commands();
// nullptr when there is none.
const Command* command_named(std::string_view name);

// The first of two words; "" of a command of one word.
std::string_view family_of(const Command& command);
std::vector<const Command*> family(std::string_view name);
// As they stand on a command line: {"operators", "report"}.
std::vector<std::string> words_of(const Command& command);
// "frx operators report"; "operator-profiler report" for the program of that name, which has one family only.
std::string called(const Command& command, std::string_view program);
// The family that a program of this name has for itself; "" when it has all commands.
std::string_view only_family(std::string_view program);
// The first words of all commands, each once.
std::vector<std::string> first_words();

template <typename Options, void (*declare)(Syntax&, Options&), Result<int> (*act)(const Options&, Io&)>
constexpr Command make_command(std::string_view name, std::string_view summary, std::string_view group) {
  return {name, summary, group,
          [](std::span<const std::string> args, Io& io) -> Result<int> {
            Options options;
            Syntax syntax;
            declare(syntax, options);
            TRY(syntax.parse(args, io.presets));
            return act(options, io);
          },
          [](Syntax& syntax) {
            auto options = std::make_shared<Options>();
            declare(syntax, *options);
            syntax.keep(std::move(options));
          }};
}

// --record of a command that analyses (cli/record_flag.cc).
void describe_record(Syntax& syntax, bool& record);
Result<int> expect_recorded(Result<int> code, const Io& io);

template <typename Options, void (*declare)(Syntax&, Options&), Result<int> (*act)(const Options&, Io&)>
struct RecordingCommand {
  Options options;
  bool record = false;

  static void declare_all(Syntax& syntax, RecordingCommand& all) {
    declare(syntax, all.options);
    describe_record(syntax, all.record);
  }
  static Result<int> act_and_record(const RecordingCommand& all, Io& io) {
    io.recording = all.record ? Io::Recording::asked : Io::Recording::off;
    return expect_recorded(act(all.options, io), io);
  }
};

// The same for a command whose answer a history can keep: it has --record, too.
template <typename Options, void (*declare)(Syntax&, Options&), Result<int> (*act)(const Options&, Io&)>
constexpr Command make_recording_command(std::string_view name, std::string_view summary, std::string_view group) {
  using All = RecordingCommand<Options, declare, act>;
  return make_command<All, All::declare_all, All::act_and_record>(name, summary, group);
}

#define FRX_COMMAND(name) extern const Command name##_command;
#include "cli/commands.def"
#undef FRX_COMMAND

}  // namespace frx::cli
