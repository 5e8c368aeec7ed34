#include "cli/syntax.h"

#include <algorithm>
#include <charconv>

#include "base/shell_words.h"
#include "base/text.h"
#include "cli/argument_parser.h"

namespace frx::cli {
namespace {

template <typename Number>
std::string take_number(const std::string& text, std::string_view expected, auto& value) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::string(expected);
  value = number;
  return {};
}

void set(Parameter& parameter, std::string& value) {
  parameter.default_text = value;
  parameter.take = [&value](const std::string& text) {
    value = text;
    return std::string();
  };
}

void append(Parameter& parameter, std::vector<std::string>& values) {
  parameter.repeatable = true;
  parameter.take = [&values](const std::string& text) {
    values.push_back(text);
    return std::string();
  };
}

}  // namespace

bool Parameter::is_named(std::string_view name) const { return std::find(names.begin(), names.end(), name) != names.end(); }

const std::string& Parameter::first_long_name() const {
  const auto found = std::find_if(names.begin(), names.end(), [](const std::string& name) { return name.starts_with("--"); });
  return found == names.end() ? names.front() : *found;
}

Parameter& Syntax::add(Parameter::Kind kind, std::string_view names, std::string_view placeholder, std::string_view help) {
  Parameter& parameter = parameters_.emplace_back();
  parameter.kind = kind;
  for (const std::string_view name : split(names, ',')) {
    if (!name.empty()) parameter.names.emplace_back(name);
  }
  parameter.placeholder = placeholder;
  parameter.help = help;
  return parameter;
}

void Syntax::flag(std::string_view names, bool& value, std::string_view help) {
  add(Parameter::Kind::flag, names, "", help).take = [&value](const std::string&) {
    value = true;
    return std::string();
  };
}

void Syntax::option(std::string_view names, std::string_view placeholder, std::string& value, std::string_view help) {
  set(add(Parameter::Kind::option, names, placeholder, help), value);
}

void Syntax::option(std::string_view names, std::string_view placeholder, std::vector<std::string>& values, std::string_view help) {
  append(add(Parameter::Kind::option, names, placeholder, help), values);
}

void Syntax::remainder(std::string_view name, std::string_view placeholder, std::vector<std::string>& values, std::string_view help) {
  Parameter& parameter = add(Parameter::Kind::option, name, placeholder, help);
  append(parameter, values);
  parameter.takes_rest = true;
}

void Syntax::words(std::string_view names, std::string_view placeholder, std::vector<std::string>& values, std::string_view help) {
  Parameter& parameter = add(Parameter::Kind::option, names, placeholder, help);
  parameter.repeatable = true;
  parameter.take = [&values](const std::string& text) -> std::string {
    Result<std::vector<std::string>> words = shell_words(text);
    if (!words) return "words whose quotes are closed";
    values.insert(values.end(), words->begin(), words->end());
    return "";
  };
}

void Syntax::option(std::string_view names, std::string_view placeholder, Number& value, std::string_view help) {
  Parameter& parameter = add(Parameter::Kind::option, names, placeholder, help);
  if (value) parameter.default_text = std::to_string(*value);
  parameter.take = [&value](const std::string& text) { return take_number<std::uint64_t>(text, "a whole number from 0", value); };
}

void Syntax::option(std::string_view names, std::string_view placeholder, double& value, std::string_view help) {
  Parameter& parameter = add(Parameter::Kind::option, names, placeholder, help);
  parameter.default_text = fmt::format("{:g}", value);
  parameter.take = [&value](const std::string& text) { return take_number<double>(text, "a number", value); };
}

void Syntax::choice(std::string_view names, std::string_view placeholder, std::string& value, std::vector<std::string> choices,
                    std::string_view help) {
  Parameter& parameter = add(Parameter::Kind::option, names, placeholder, help);
  set(parameter, value);
  parameter.choices = std::move(choices);
}

void Syntax::flag_or_choice(std::string_view name, std::string_view placeholder, std::string& value, std::string_view implied,
                            std::vector<std::string> choices, std::string_view help) {
  choice(name, placeholder, value, std::move(choices), help);
  parameters_.back().implied = implied;
}

void Syntax::argument(std::string_view placeholder, std::string& value, std::string_view help, std::vector<std::string> choices) {
  Parameter& parameter = add(Parameter::Kind::argument, "", placeholder, help);
  set(parameter, value);
  parameter.choices = std::move(choices);
}

void Syntax::required_argument(std::string_view placeholder, std::string& value, std::string_view help, std::vector<std::string> choices) {
  argument(placeholder, value, help, std::move(choices));
  parameters_.back().required = true;
}

void Syntax::arguments(std::string_view placeholder, std::vector<std::string>& values, std::string_view help) {
  append(add(Parameter::Kind::argument, "", placeholder, help), values);
}

void Syntax::workload(std::vector<std::string>& argv, std::string_view help) {
  Parameter& parameter = add(Parameter::Kind::workload, "", "COMMAND", help);
  append(parameter, argv);
}

void Syntax::required_workload(std::vector<std::string>& argv, std::string_view help) {
  workload(argv, help);
  parameters_.back().required = true;
}

const Parameter* Syntax::workload_parameter() const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [](const Parameter& parameter) { return parameter.kind == Parameter::Kind::workload; });
  return found == parameters_.end() ? nullptr : &*found;
}

std::vector<Parameter> Syntax::remembering(std::set<std::string, std::less<>>& seen) const {
  std::vector<Parameter> parameters = parameters_;
  for (Parameter& parameter : parameters) {
    const std::string& called = parameter.names.empty() ? parameter.placeholder : parameter.first_long_name();
    parameter.take = [take = std::move(parameter.take), kind = parameter.kind, name = called, given = given_,
                      &seen](const std::string& text) {
      seen.insert(name);
      if (given) given->options.push_back({name, kind == Parameter::Kind::flag ? std::string() : text});
      return take(text);
    };
  }
  return parameters;
}

void Syntax::note_preset(std::string_view name, bool& flag) {
  for (Parameter& parameter : parameters_) {
    if (parameter.is_named(name)) parameter.preset = &flag;
  }
}

Result<> Syntax::take_preset(const OptionPreset& preset, const std::set<std::string, std::less<>>& seen) const {
  const auto parameter = std::ranges::find_if(parameters_, [&](const Parameter& one) { return one.is_named(preset.option); });
  if (parameter == parameters_.end() || (!parameter->repeatable && seen.contains(parameter->first_long_name()))) return {};
  const std::vector<std::string>& choices = parameter->choices;
  if (preset.option == "--gpu-model" && parameter->preset == nullptr) return {};
  // A format that was asked for in another way.
  const bool is_format = preset.option == "--format";
  if (is_format && (seen.contains("--json") || seen.contains("--why") || std::ranges::count(choices, "text") == 0)) return {};
  if (parameter->kind == Parameter::Kind::flag) {
    if (preset.values.front() == "true") parameter->take("");
    return {};
  }
  for (const std::string& value : preset.values) {
    if (!choices.empty() && std::ranges::count(choices, value) == 0) continue;
    const std::string expected = parameter->take(value);
    if (!expected.empty()) return fail(ErrorKind::usage, "{}: expected {}, found '{}'", preset.option, expected, value).at(preset.where);
    if (parameter->preset != nullptr) *parameter->preset = true;
  }
  return {};
}

Result<> Syntax::parse(std::span<const std::string> args, std::span<const OptionPreset> presets) const {
  std::set<std::string, std::less<>> seen;
  TRY(parse_only(args, seen));
  for (const OptionPreset& preset : presets) TRY(take_preset(preset, seen));
  return {};
}

Result<> Syntax::parse_only(std::span<const std::string> args, std::set<std::string, std::less<>>& seen) const {
  const std::vector<Parameter> all = remembering(seen);
  for (const Parameter& parameter : all) {
    if (!parameter.takes_rest) continue;
    const auto name = std::ranges::find_if(args, [&](const std::string& arg) { return parameter.is_named(arg); });
    for (auto it = name; it != args.end(); ++it) {
      if (it != name) parameter.take(*it);
    }
    args = args.subspan(0, static_cast<std::size_t>(name - args.begin()));
  }
  const Parameter* workload = workload_parameter();
  const auto separator = workload == nullptr ? args.end() : std::find(args.begin(), args.end(), "--");
  TRY(parse_arguments(all, args.subspan(0, static_cast<std::size_t>(separator - args.begin()))));
  if (workload == nullptr) return {};
  if (separator != args.end()) {
    for (auto it = separator + 1; it != args.end(); ++it) workload->take(*it);
  }
  if (workload->required && (separator == args.end() || separator + 1 == args.end())) {
    return fail(ErrorKind::usage, "expected a command after --");
  }
  return {};
}

std::size_t Syntax::leading_options(std::span<const std::string> args) const {
  std::size_t i = 0;
  while (i < args.size() && args[i].size() > 1 && args[i][0] == '-' && args[i] != "--") {
    const Result<std::string> name = full_option_name(parameters_, args[i]);
    const bool has_value = args[i].find('=') != std::string::npos;
    const auto parameter =
        !name ? parameters_.end()
              : std::find_if(parameters_.begin(), parameters_.end(), [&](const Parameter& one) { return one.is_named(*name); });
    const bool takes_next = parameter != parameters_.end() && parameter->kind == Parameter::Kind::option && parameter->implied.empty();
    i += takes_next && !has_value ? 2 : 1;
  }
  return std::min(i, args.size());
}

}  // namespace frx::cli
