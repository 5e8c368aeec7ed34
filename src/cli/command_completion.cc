// frx completion SHELL: a completion script, made from the declarations of all commands.

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/run.h"

namespace frx::cli {
namespace command_completion {
namespace {

struct Options {
  std::string shell;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.required_argument("SHELL", options.shell, "the shell to complete for", {"bash", "zsh", "fish"});
  syntax.flag("--json", options.json, "print JSON");
  syntax.example("bash > ~/.local/share/bash-completion/completions/frx", "bash, for you alone");
  syntax.example("zsh > \"${fpath[1]}/_frx\"", "zsh; a folder of $fpath that you may write to");
  syntax.example("fish > ~/.config/fish/completions/frx.fish", "fish");
  syntax.exit_code(0, "the script was printed");
}

struct Described {
  const Command* command;
  Syntax syntax;
};

std::vector<Described> all_commands() {
  std::vector<Described> all;
  for (const Command* command : commands()) {
    all.push_back({command, {}});
    command->describe(all.back().syntax);
  }
  return all;
}

bool takes_value(const Parameter& parameter) { return parameter.kind == Parameter::Kind::option && parameter.implied.empty(); }
bool is_option(const Parameter& parameter) { return !parameter.names.empty(); }

// The second words of each family, by their first.
std::map<std::string, std::vector<const Command*>> families() {
  std::map<std::string, std::vector<const Command*>> all;
  for (const std::string& name : first_words()) {
    if (std::vector<const Command*> members = family(name); !members.empty()) all[name] = std::move(members);
  }
  return all;
}

std::string second_words(const std::vector<const Command*>& members) {
  std::vector<std::string> words;
  for (const Command* member : members) words.push_back(words_of(*member).back());
  return join(words, " ");
}

// What a list of commands says of a first word: the summary of the command, or what the family has.
std::string summary_of(std::string_view first_word) {
  const Command* command = command_named(first_word);
  return command == nullptr ? "commands: " + second_words(family(first_word)) : std::string(command->summary);
}

std::string option_names(const Syntax& syntax) {
  std::string names = "--help";
  for (const Parameter& parameter : syntax.parameters()) {
    if (is_option(parameter)) names += " " + join(parameter.names, " ");
  }
  return names;
}

const Parameter* first_argument(const Syntax& syntax) {
  for (const Parameter& parameter : syntax.parameters()) {
    if (parameter.kind == Parameter::Kind::argument) return &parameter;
  }
  return nullptr;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// ---- bash

// "    'ncu-command --output'|'ncu-command -o') return ;;": values are files, or the choices.
std::string bash_values(std::string_view command, const Syntax& syntax) {
  std::string text;
  for (const Parameter& parameter : syntax.parameters()) {
    if (!takes_value(parameter)) continue;
    std::string pattern;
    for (const std::string& name : parameter.names) {
      pattern += (pattern.empty() ? "" : "|") + in_quotes(std::string(command) + " " + name);
    }
    text += parameter.choices.empty() ? fmt::format("    {}) return ;;\n", pattern)
                                      : fmt::format("    {}) words={} ;;\n", pattern, in_quotes(join(parameter.choices, " ")));
  }
  return text;
}

// The word after the name of a family belongs to the name of the command.
std::string bash_second_word() {
  std::string text;
  for (const auto& [name, members] : families()) {
    text += fmt::format("        elif [[ $command == {} ]]; then command+=\" ${{COMP_WORDS[i]}}\"\n", name);
  }
  return text;
}

std::string bash(const Syntax& global) {
  std::string values = bash_values("", global);
  std::string words = fmt::format("      '') words={} ;;\n", in_quotes(join(first_words(), " ") + " " + option_names(global)));
  for (const auto& [name, members] : families()) {
    words += fmt::format("      {}) words={} ;;\n", name, in_quotes(second_words(members) + " --help"));
  }
  for (const Described& one : all_commands()) {
    values += bash_values(one.command->name, one.syntax);
    const Parameter* argument = first_argument(one.syntax);
    const std::string choices = argument == nullptr ? "" : " " + join(argument->choices, " ");
    words += fmt::format("      {}) words={} ;;\n", in_quotes(one.command->name), in_quotes(option_names(one.syntax) + choices));
  }
  return "# bash completion for frx; made by: frx completion bash\n"
         "_frx() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= words= i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      --) declare -F _command_offset > /dev/null && _command_offset $((i + 1)); return ;;\n"
         "      --color) ((++i)) ;;\n"
         "      -*) ;;\n"
         "      *)\n"
         "        if [[ -z $command ]]; then command=${COMP_WORDS[i]}\n" +
         bash_second_word() +
         "        fi ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $previous\" in\n" +
         values +
         "    *)\n"
         "      case $command in\n" +
         words +
         "      esac ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _frx frx fournex\n";
}

// ---- zsh

std::string zsh_words(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_action(const Parameter& parameter) {
  return parameter.choices.empty() ? "_files" : "(" + join(parameter.choices, " ") + ")";
}

// "(-o --output)"{-o,--output}"[let ncu write ...]:FILE:_files"
std::string zsh_parameter(const Parameter& parameter) {
  const std::string value = ":" + zsh_words(parameter.placeholder) + ":" + zsh_action(parameter);
  if (parameter.kind == Parameter::Kind::workload) return in_quotes("*::" + parameter.placeholder + ":_normal");
  if (parameter.kind == Parameter::Kind::argument) return in_quotes((parameter.repeatable ? "*" : "") + value);
  const std::string explanation = in_quotes("[" + zsh_words(parameter.help) + "]" + (takes_value(parameter) ? value : ""));
  const std::string repeat = parameter.repeatable ? "'*'" : in_quotes("(" + join(parameter.names, " ") + ")");
  return repeat + (parameter.names.size() == 1 ? parameter.names[0] : "{" + join(parameter.names, ",") + "}") + explanation;
}

std::string zsh_arguments(const Syntax& syntax) {
  std::string text;
  for (const Parameter& parameter : syntax.parameters()) text += " \\\n        " + zsh_parameter(parameter);
  return text + " \\\n        '(- *)'{-h,--help}'[show help]'\n";
}

// "    report)\n      _arguments ... ;;"
std::string zsh_case(std::string_view word, const Command& command, std::string_view indent) {
  Syntax syntax;
  command.describe(syntax);
  return fmt::format("{0}{1})\n{0}  _arguments -s{2}{0}  ;;\n", indent, word, zsh_arguments(syntax));
}

// The second word is offered first; what follows goes by it.
std::string zsh_family(std::string_view name, const std::vector<const Command*>& members) {
  std::string words, cases;
  for (const Command* member : members) {
    const std::string word = words_of(*member).back();
    words += " " + in_quotes(zsh_words(word) + ":" + std::string(member->summary));
    cases += zsh_case(word, *member, "        ");
  }
  return fmt::format(
      "    {})\n      local -a members\n      members=({} )\n      if (( CURRENT == 2 )); then\n        _describe command members\n      "
      "else\n"
      "        shift words\n        (( CURRENT-- ))\n        case $words[1] in\n{}        esac\n      fi ;;\n",
      name, words, cases);
}

std::string zsh(const Syntax& global) {
  std::string names, cases;
  for (const std::string& name : first_words()) names += "    " + in_quotes(zsh_words(name) + ":" + zsh_words(summary_of(name))) + "\n";
  for (const auto& [name, members] : families()) cases += zsh_family(name, members);
  for (const Command* command : commands()) {
    if (family_of(*command).empty()) cases += zsh_case(command->name, *command, "    ");
  }
  std::string options;
  for (const Parameter& parameter : global.parameters()) options += " \\\n    " + zsh_parameter(parameter);
  return "#compdef frx fournex\n# zsh completion for frx; made by: frx completion zsh\n"
         "_frx() {\n  local curcontext=$curcontext state line\n  local -a commands\n  commands=(\n" +
         names + "  )\n  _arguments -C" + options +
         " \\\n    '(- *)'{-h,--help}'[show help]' \\\n    '1: :->command' \\\n    '*:: :->rest'\n"
         "  case $state:$words[1] in\n    command:*) _describe command commands ;;\n  esac\n"
         "  [[ $state == rest ]] || return\n  case $words[1] in\n" +
         cases + "  esac\n}\n_frx \"$@\"\n";
}

// ---- fish

std::string fish_parameter(std::string_view condition, const Parameter& parameter) {
  std::string line = fmt::format("complete -c frx -n {}", in_quotes(condition));
  for (const std::string& name : parameter.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (takes_value(parameter)) line += parameter.choices.empty() ? " -r -F" : " -x";
  if (!parameter.choices.empty()) line += " -a " + in_quotes(join(parameter.choices, " "));
  return line + " -d " + in_quotes(parameter.help) + "\n";
}

std::string fish_condition(const Command& command) {
  std::string condition;
  for (const std::string& word : words_of(command))
    condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
  return condition;
}

std::string fish_family(std::string_view name, const std::vector<const Command*>& members) {
  std::string text;
  for (const Command* member : members) {
    const std::string condition =
        fmt::format("__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}", name, second_words(members));
    text +=
        fmt::format("complete -c frx -f -n {} -a {} -d {}\n", in_quotes(condition), words_of(*member).back(), in_quotes(member->summary));
  }
  return text;
}

std::string fish(const Syntax& global) {
  std::string text = "# fish completion for frx; made by: frx completion fish\n";
  for (const Parameter& parameter : global.parameters()) text += fish_parameter("__fish_use_subcommand", parameter);
  for (const std::string& name : first_words()) {
    text += fmt::format("complete -c frx -f -n __fish_use_subcommand -a {} -d {}\n", name, in_quotes(summary_of(name)));
  }
  for (const auto& [name, members] : families()) text += fish_family(name, members);
  for (const Described& one : all_commands()) {
    const std::string condition = fish_condition(*one.command);
    for (const Parameter& parameter : one.syntax.parameters()) {
      if (is_option(parameter) || !parameter.choices.empty()) text += fish_parameter(condition, parameter);
    }
  }
  return text + "complete -c frx -s h -l help -d 'show help'\ncomplete -c fournex -w frx\n";
}

Result<int> act(const Options& options, Io& io) {
  Syntax global;
  GlobalOptions unused;
  describe_global(global, unused);
  const std::string script = options.shell == "bash" ? bash(global) : options.shell == "zsh" ? zsh(global) : fish(global);
  if (options.json) {
    write_json(io, "completion", {{"shell", options.shell}, {"script", script}});
  } else {
    io.out.write(script);
  }
  return 0;
}

}  // namespace
}  // namespace command_completion

constinit const Command completion_command =
    make_command<command_completion::Options, command_completion::describe, command_completion::act>(
        "completion", "Print a completion script for your shell", "Set up");

}  // namespace frx::cli
