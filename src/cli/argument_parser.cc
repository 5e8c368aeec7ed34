#include "cli/argument_parser.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "base/text.h"

namespace frx::cli {
namespace {

std::vector<std::string_view> long_names(std::span<const Parameter> parameters) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters) {
    for (const std::string& name : parameter.names) {
      if (name.starts_with("--")) names.push_back(name);
    }
  }
  return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view near = nearest(word, names);
  return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near);
}

// A value of an option or argument that CLI11 has collected. Returns what is wrong with it.
std::string take(const Parameter& parameter, const std::string& value) {
  const std::string name = parameter.names.empty() ? parameter.placeholder : parameter.longest_name();
  if (!parameter.choices.empty() && std::find(parameter.choices.begin(), parameter.choices.end(), value) == parameter.choices.end()) {
    return fmt::format("{}: expected one of {}, found '{}'", name, join(parameter.choices, ", "), printable(value));
  }
  const std::string expected = parameter.take(value);
  return expected.empty() ? "" : fmt::format("{}: expected {}, found '{}'", name, expected, printable(value));
}

// CLI11 wants "-o,--output", or the bare placeholder for a positional.
std::string cli11_name(const Parameter& parameter, std::size_t index) {
  return parameter.names.empty() ? fmt::format("argument{}", index) : join(parameter.names, ",");
}

void declare(CLI::App& app, const Parameter& parameter, std::size_t index, std::string& wrong) {
  if (parameter.kind == Parameter::Kind::workload) return;
  if (parameter.kind == Parameter::Kind::flag) {
    app.add_flag_callback(cli11_name(parameter, index), [&parameter] { parameter.take(""); });
    return;
  }
  CLI::Option* option = app.add_option(cli11_name(parameter, index), [&parameter, &wrong](const CLI::results_t& values) {
    for (const std::string& value : values) {
      if (wrong.empty()) wrong = take(parameter, value);
    }
    return wrong.empty();
  });
  option->type_size(1);
  if (!parameter.repeatable) {
    option->expected(1)->take_last();
  } else if (parameter.names.empty()) {
    option->expected(1, CLI::detail::expected_max_vector_size)->take_all()->allow_extra_args();
  } else {
    option->expected(1)->take_all();  // one value each time it is given
  }
}

bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && !std::isdigit(static_cast<unsigned char>(argument[1]));
}

// Long names in full and nothing unknown, so that CLI11 only ever sees what it can place.
Result<std::vector<std::string>> normalise(std::span<const Parameter> parameters, std::span<const std::string> args) {
  std::vector<std::string> result;
  bool only_arguments = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& argument = args[i];
    only_arguments = only_arguments || argument == "--";
    if (only_arguments || !looks_like_option(argument)) {
      result.push_back(argument);
      continue;
    }
    TRY_ASSIGN(std::string name, full_option_name(parameters, argument));
    if (!name.starts_with("--")) {
      result.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const bool is_flag = std::any_of(parameters.begin(), parameters.end(),
                                     [&](const Parameter& one) { return one.kind == Parameter::Kind::flag && one.is_named(name); });
    if (is_flag && equals != argument.npos) return fail(ErrorKind::usage, "{} takes no value", name);
    if (equals != argument.npos) name += argument.substr(equals);
    const auto implying =
        std::ranges::find_if(parameters, [&](const Parameter& one) { return !one.implied.empty() && one.is_named(name); });
    if (implying != parameters.end()) {
      result.push_back(name + "=" + implying->implied);
      continue;
    }
    if (!is_flag && equals == argument.npos && i + 1 < args.size() && looks_like_option(args[i + 1])) {
      // A value may begin with '-', such as a flag for a compiler; before an option of ours it was forgotten.
      const bool is_flag_of_compiler = args[i + 1].size() > 2 && args[i + 1][1] != '-';  // -DN=4
      if (args[i + 1] == "--" || (!is_flag_of_compiler && full_option_name(parameters, args[i + 1])))
        return fail(ErrorKind::usage, "expected a value after {}", name);
      name += "=" + args[++i];
    }
    result.push_back(std::move(name));
  }
  return result;
}

Result<> required_are_there(std::span<const Parameter> parameters, const CLI::App& app) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (!parameter.required || parameter.kind == Parameter::Kind::workload) continue;
    const std::string name = parameter.names.empty() ? cli11_name(parameter, i) : parameter.names.back();
    if (app.count(name) == 0) {
      return fail(ErrorKind::usage, "expected {}", parameter.names.empty() ? parameter.placeholder : parameter.longest_name());
    }
  }
  return {};
}

}  // namespace

Result<std::string> full_option_name(std::span<const Parameter> parameters, std::string_view argument) {
  const auto is_known = [&](std::string_view name) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& one) { return one.is_named(name); });
  };
  if (!argument.starts_with("--")) {
    const std::string_view name = argument.substr(0, 2);
    if (is_known(name)) return std::string(name);
    return fail(ErrorKind::usage, "unknown option '{}'", printable(argument))
        .hint(did_you_mean("-" + std::string(argument), long_names(parameters)));
  }
  const std::string_view typed = argument.substr(0, argument.find('='));
  if (is_known(typed)) return std::string(typed);
  const std::vector<std::string_view> names = long_names(parameters);
  std::vector<std::string> fits;
  for (const std::string_view name : names) {
    if (typed.size() > 2 && name.starts_with(typed)) fits.emplace_back(name);
  }
  if (fits.size() == 1) return fits.front();
  if (fits.size() > 1) return fail(ErrorKind::usage, "'{}' could be {}", printable(typed), join(fits, " or "));
  return fail(ErrorKind::usage, "unknown option '{}'", printable(typed)).hint(did_you_mean(typed, names));
}

Result<> parse_arguments(std::span<const Parameter> parameters, std::span<const std::string> args) {
  TRY_ASSIGN(std::vector<std::string> normal, normalise(parameters, args));
  std::string wrong;
  try {
    CLI::App app;
    app.set_help_flag();  // --help is answered before
    for (std::size_t i = 0; i < parameters.size(); ++i) declare(app, parameters[i], i, wrong);
    std::reverse(normal.begin(), normal.end());  // CLI11 takes arguments off the end
    app.parse(normal);
    return required_are_there(parameters, app);
  } catch (const CLI::ExtrasError&) {
    const auto is_argument = [](const Parameter& one) { return one.kind == Parameter::Kind::argument; };
    const bool takes_some = std::any_of(parameters.begin(), parameters.end(), is_argument);
    return fail(ErrorKind::usage, "{}", takes_some ? "more arguments than expected" : "expected options only, found an argument");
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string name = error.what();  // "--output: 1 required TEXT missing"
    return fail(ErrorKind::usage, "expected a value after {}", name.substr(0, name.find(':')));
  } catch (const CLI::Error& error) {
    return fail(ErrorKind::usage, "{}", wrong.empty() ? printable(error.what()) : wrong);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return fail(ErrorKind::usage, "{}", printable(error.what()));
  }
}

}  // namespace frx::cli
