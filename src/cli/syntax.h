// The command line of one command, declared once: parsing, help text, completion and man page all
// follow from it.
//
// Names are written as people type them: "-o,--output". Long options may be shortened as long as
// they stay unambiguous. What follows `--` is the workload: an argument vector that no shell touches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/given.h"

namespace frx::cli {

// One option, flag or argument.
struct Parameter {
  enum class Kind { flag, option, argument, workload };

  Kind kind = Kind::flag;
  std::vector<std::string> names;  // "-o", "--output"; empty for arguments
  std::string placeholder;         // "FILE", "PRESET", "COMMAND"
  std::string help;
  std::vector<std::string> choices;
  std::string default_text;  // shown when not empty
  std::string implied;       // of an option: its value where none is given; one is given as --name=value only
  bool repeatable = false;
  bool required = false;
  bool takes_rest = false;  // everything behind it, whatever it looks like
  // Takes one value; returns what was expected when it does not fit, else "".
  std::function<std::string(const std::string&)> take;
  bool* preset = nullptr;  // set where a preset is taken

  bool is_named(std::string_view name) const;
  const std::string& longest_name() const { return names.back(); }
  const std::string& first_long_name() const;  // "--json" of "--json,--output-json"
};

struct Example {
  std::string arguments;  // after "frx COMMAND "
  std::string meaning;
};

// A value for an option that the command line does not name, and where it is from: ".frx.yaml:3". An option that a command has not, or
// that cannot take the value, stays as it is.
struct OptionPreset {
  std::string option;  // "--gpu-model"
  std::vector<std::string> values;
  std::string where;
};

class Syntax {
 public:
  using Number = std::optional<std::uint64_t>;

  void flag(std::string_view names, bool& value, std::string_view help);
  void option(std::string_view names, std::string_view placeholder, std::string& value, std::string_view help);
  void option(std::string_view names, std::string_view placeholder, std::vector<std::string>& values, std::string_view help);
  void option(std::string_view names, std::string_view placeholder, Number& value, std::string_view help);
  void option(std::string_view names, std::string_view placeholder, double& value, std::string_view help);
  // Everything behind it: it has to be the last one.
  void remainder(std::string_view name, std::string_view placeholder, std::vector<std::string>& values, std::string_view help);
  // One text of several words, as a shell would part them; may be given again.
  void words(std::string_view names, std::string_view placeholder, std::vector<std::string>& values, std::string_view help);
  void choice(std::string_view names, std::string_view placeholder, std::string& value, std::vector<std::string> choices,
              std::string_view help);

  // The same for what once was a flag: without a value it is `implied`.
  void flag_or_choice(std::string_view name, std::string_view placeholder, std::string& value, std::string_view implied,
                      std::vector<std::string> choices, std::string_view help);

  // Positional. `choices` empty: anything.
  void argument(std::string_view placeholder, std::string& value, std::string_view help, std::vector<std::string> choices = {});
  void required_argument(std::string_view placeholder, std::string& value, std::string_view help, std::vector<std::string> choices = {});
  void arguments(std::string_view placeholder, std::vector<std::string>& values, std::string_view help);

  // Everything after `--`.
  void workload(std::vector<std::string>& argv, std::string_view help);
  void required_workload(std::vector<std::string>& argv, std::string_view help);

  // parse() writes down which options were given.
  void remember(Given& given) { given_ = &given; }

  // A paragraph below the summary; an example; a line of the exit codes.
  void text(std::string_view paragraph) { paragraphs_.emplace_back(paragraph); }
  void example(std::string_view arguments, std::string_view meaning) {
    examples_.push_back({std::string(arguments), std::string(meaning)});
  }
  void exit_code(int code, std::string_view meaning) { exit_codes_.emplace_back(code, meaning); }

  // An option that is preset sets `flag`, and without one it takes no preset: for what a setting means less by than a person does.
  void note_preset(std::string_view name, bool& flag);

  Result<> parse(std::span<const std::string> args, std::span<const OptionPreset> presets = {}) const;
  // How many of the first arguments are options of this syntax: where the name of a command begins.
  std::size_t leading_options(std::span<const std::string> args) const;

  std::span<const Parameter> parameters() const { return parameters_; }
  std::span<const std::string> paragraphs() const { return paragraphs_; }
  std::span<const Example> examples() const { return examples_; }
  std::span<const std::pair<int, std::string>> exit_codes() const { return exit_codes_; }

  // Keeps what the parameters write to alive as long as this.
  void keep(std::shared_ptr<void> owner) { owner_ = std::move(owner); }

 private:
  Parameter& add(Parameter::Kind kind, std::string_view names, std::string_view placeholder, std::string_view help);
  const Parameter* workload_parameter() const;
  // The parameters, each of which notes that it was given before it takes its value.
  std::vector<Parameter> remembering(std::set<std::string, std::less<>>& seen) const;
  Result<> parse_only(std::span<const std::string> args, std::set<std::string, std::less<>>& seen) const;
  Result<> take_preset(const OptionPreset& preset, const std::set<std::string, std::less<>>& seen) const;

  std::vector<Parameter> parameters_;
  std::vector<std::string> paragraphs_;
  std::vector<Example> examples_;
  std::vector<std::pair<int, std::string>> exit_codes_;
  std::shared_ptr<void> owner_;
  Given* given_ = nullptr;
};

}  // namespace frx::cli
