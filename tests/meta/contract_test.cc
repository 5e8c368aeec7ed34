// docs/contract.md says what is promised, and the program keeps it: names, members, codes and values of its tables are those of the
// program and its data, in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/test_io.h"
#include "knowledge/gpu_match.h"
#include "knowledge/thresholds.h"
#include "meta/contract.h"
#include "support/json_schema.h"

namespace frx::testing {
namespace {

using knowledge::Library;

std::string printed(const std::vector<std::string>& arguments) {
  cli::TestIo io;
  io.io.width = 100;
  cli::run(arguments, io.io);
  return io.out();
}

// `command`: its name, of one word or two.
std::string help_of(std::string_view command) {
  std::vector<std::string> words;
  for (const std::string_view word : split(command, ' ')) words.emplace_back(word);
  words.emplace_back("--help");
  return printed(words);
}

// The lines of a help text below "HEADING:", up to the next empty line.
std::string part_of_help(const std::string& help, const std::string& heading) {
  const std::size_t begin = help.find("\n" + heading + "\n");
  if (begin == help.npos) return "";
  const std::size_t from = begin + heading.size() + 2;
  return help.substr(from, help.find("\n\n", from) - from) + "\n";
}

// "--color WHEN" and its default, or "–", as the help has them.
std::map<std::string, std::string> options_in(const std::string& help, const std::string& heading) {
  std::map<std::string, std::string> options;
  const std::regex begin(R"(^ {2,6}(-{1,2}[a-zA-Z].*?)(  .*)?$)");
  const std::string part = part_of_help(help, heading);
  std::string current;
  for (const std::string_view line : split(part, '\n')) {
    std::smatch match;
    const std::string text(line);
    if (std::regex_match(text, match, begin)) options[current = match[1]] = "";
    if (!current.empty()) options[current] += " " + std::string(trim(match.empty() ? text : match[2].str()));
  }
  options.erase("-h, --help");
  const std::regex given(R"(\[default: ([^\]]*)\])");
  for (auto& [option, words] : options) {
    std::smatch match;
    words = std::regex_search(words, match, given) ? match[1].str() : "–";
  }
  return options;
}

std::map<std::string, std::string> promised_options(std::string_view section, std::size_t columns) {
  std::map<std::string, std::string> options;
  for (const Row& row : contract_rows(section, columns)) {
    if (!is_planned(row)) options[names_in(row[0]).at(0)] = row[1];
  }
  return options;
}

Names codes_in(const std::string& help) {
  Names codes;
  const std::regex code(R"(^  ([0-9]+)  )");
  const std::string part = part_of_help(help, "Exit code:");
  for (const std::string_view line : split(part, '\n')) {
    std::smatch match;
    const std::string text(line);
    if (std::regex_search(text, match, code)) codes.insert(match[1]);
  }
  return codes;
}

// One member of each file of a folder of data/.
Names in_data(std::string_view folder, std::string_view member = "id") {
  Names names;
  for (const Value& root : Library::builtin().folder(folder)) {
    if (root[member]) names.insert(std::string(root[member].text()));
  }
  return names;
}

// The same of each entry of a list in those files.
Names in_list(std::string_view folder, std::string_view list, std::string_view member) {
  Names names;
  for (const Value& root : Library::builtin().folder(folder)) {
    for (std::size_t i = 0; i < root[list].size(); ++i) names.insert(std::string(root[list].item(i)[member].text()));
  }
  return names;
}

// What golden cases print.
std::string all_golden_output() {
  std::string all;
  for (const Case& one : golden_cases()) {
    for (const Section& section : one.sections) all += is_input(section) ? "" : section.text;
  }
  return all;
}

TEST(Contract, CommandsAreThoseOfTheProgram) {
  Names commands;
  for (const cli::Command* command : cli::commands()) commands.insert(std::string(command->name));
  EXPECT_EQ(contract_names("1.2", 2), commands);
}

TEST(Contract, OptionsAreThoseOfTheHelp) {
  EXPECT_EQ(promised_options("3", 2), options_in(printed({"--help"}), "Options, before the command:"));
  std::size_t number = 0;
  for (const Row& row : contract_rows("1.2", 2)) {
    if (is_planned(row)) continue;
    const std::string name = names_in(row[0])[0], section = fmt::format("3.{}", ++number);
    EXPECT_THAT(contract_section(section), ::testing::StartsWith(fmt::format("\n### {} {}\n", section, name)));
    EXPECT_EQ(promised_options(section, 3), options_in(help_of(name), "Options:")) << name;
  }
}

TEST(Contract, ExitCodesAreThoseOfTheHelp) {
  for (const cli::ExitCodeLine& line : cli::common_exit_codes())
    EXPECT_THAT(contract_section("1.4"), ::testing::HasSubstr(fmt::format("| `{}` | {} |", line.code, line.meaning)));
  for (const Row& row : contract_rows("1.4", 2)) {
    const std::string name = names_in(row[0]).at(0);
    if (row[0][1] >= '0' && row[0][1] <= '9') continue;
    Names promised;
    for (const std::string_view code : split(row[1], ',')) promised.insert(std::string(trim(code)));
    EXPECT_EQ(promised, codes_in(help_of(name))) << name;
  }
  EXPECT_EQ(contract_names("1.4", 2).size(), cli::common_exit_codes().size() + cli::commands().size());
}

TEST(Contract, ModesAreThoseThatGoldenCasesShow) {
  Names shown;
  const std::string all = all_golden_output();
  const std::regex mode(R"re("mode": "([a-z_]+)")re");
  for (std::sregex_iterator it(all.begin(), all.end(), mode), end; it != end; ++it) shown.insert((*it)[1]);
  shown.insert("serve");  // ends only when it is told to: tests/serve/api_test.py
  EXPECT_EQ(contract_names("1.5", 3), shown);
}

TEST(Contract, LabelsAreThoseOfTheData) {
  EXPECT_EQ(contract_names("5.1", 3), in_data("run_labels"));
  EXPECT_EQ(contract_names("5.2", 3), in_data("bottlenecks"));
  EXPECT_EQ(contract_names("5.3", 2), in_list("code_labels", "labels", "id"));
  std::map<std::string, std::string> displays;
  for (const char* folder : {"run_labels", "bottlenecks"}) {
    for (const Value& root : Library::builtin().folder(folder)) displays[std::string(root["id"].text())] = root["display"].text();
  }
  for (const char* section : {"5.1", "5.2"}) {
    for (const Row& row : contract_rows(section, 3)) EXPECT_EQ(row[1], displays[names_in(row[0]).at(0)]);
  }
}

TEST(Contract, RulesAreThoseOfTheData) {
  EXPECT_EQ(contract_names("5.4", 4), in_data("code_rules/cuda"));
  Names of_code = in_data("code_rules/ptx");
  of_code.merge(in_data("code_rules/cubin"));
  EXPECT_EQ(contract_names("5.5", 3), of_code);
  for (const Value& root : Library::builtin().folder("code_rules/cuda")) {
    const std::string row = fmt::format("| `{}` | {} | {} | {} |", root["id"].text(), root["severity"].text(), root["category"].text(),
                                        root["tier"] ? root["tier"].text() : "default");
    EXPECT_THAT(contract_section("5.4"), ::testing::HasSubstr(row));
  }
}

TEST(Contract, ThresholdsHaveTheirValues) {
  const Result<knowledge::Thresholds> thresholds = knowledge::Thresholds::load(Library::builtin());
  ASSERT_TRUE(thresholds);
  std::map<std::string, double> promised, defaults;
  for (const Row& row : contract_rows("5.6", 3)) promised[names_in(row[0]).at(0)] = std::stod(row[1]);
  for (const knowledge::Threshold& threshold : thresholds->all()) defaults[std::string(threshold.name)] = threshold.value;
  EXPECT_EQ(promised, defaults);
  EXPECT_THAT(contract_section("5.6"), ::testing::HasSubstr("`" + thresholds->hash() + "`"));
}

TEST(Contract, PresetsCardsDimensionsAndDiagnosesAreThoseOfTheData) {
  EXPECT_EQ(contract_names("5.11", 2), in_list("metrics", "presets", "name"));
  EXPECT_EQ(contract_names("7.1", 3), in_data("recommendations"));
  EXPECT_EQ(contract_names("8.4", 2), in_list("reconciliation", "diagnoses", "id"));
  EXPECT_EQ(contract_names("8.2", 2), in_list("compare", "dimensions", "id"));
  for (const Value& root : Library::builtin().folder("recommendations")) {
    if (root["id"])
      EXPECT_THAT(contract_section("7.1"), ::testing::HasSubstr(fmt::format("| `{}` | {} | {} |", root["id"].text(),
                                                                            root["category"].text(), root["title"].text())));
  }
  for (const Value& root : Library::builtin().folder("compare")) {
    for (std::size_t i = 0; i < root["dimensions"].size(); ++i) {
      const Value dimension = root["dimensions"].item(i);
      EXPECT_THAT(contract_section("8.2"), ::testing::HasSubstr(fmt::format("| `{}` | {:.0f} % |", dimension["id"].text(),
                                                                            100 * dimension["weight"].number().value_or(0))));
    }
  }
}

TEST(Contract, GpuNamesAreUnderstood) {
  const Result<knowledge::GpuCatalogue> gpus = knowledge::GpuCatalogue::load(Library::builtin());
  ASSERT_TRUE(gpus);
  const std::vector<Row> rows = contract_rows("6.1", 3);
  EXPECT_GE(rows.size(), 10u);
  for (const Row& row : rows) {
    knowledge::GpuQuery query;
    query.name = row[0];
    const knowledge::GpuMatch match = knowledge::match_gpu(*gpus, query);
    EXPECT_EQ(row[1], match.product ? fmt::format("`{}`", match.product->key) : "–") << row[0];
    EXPECT_EQ(row[2], match.limits ? fmt::format("`{}`", match.limits->family_key) : "–") << row[0];
  }
}

TEST(Contract, MembersAreThoseOfTheSchemas) {
  std::map<std::string, Names> promised, described;
  for (const Row& row : contract_rows("10", 2)) {
    const std::vector<std::string> members = names_in(row[1]);
    promised[names_in(row[0]).at(0)] = Names(members.begin(), members.end());
  }
  for (const fs::path& file : files_below("data/schemas", ".json")) {
    const Json schema = Json::parse(content(file));
    for (const auto& [member, ignored] : schema["properties"].items()) described[file.stem()].insert(member);
  }
  EXPECT_EQ(promised, described);
}

TEST(Contract, FilesAndVariablesAreThoseOfTheProgram) {
  const auto texts_in = [](const char* file, const char* pattern) {
    Names found;
    const std::string text = content(repository() / file);
    const std::regex quoted_text(pattern);
    for (std::sregex_iterator it(text.begin(), text.end(), quoted_text), end; it != end; ++it) found.insert((*it)[1]);
    return found;
  };
  EXPECT_EQ(contract_names("4.1", 2), texts_in("src/model/bundle_paths.h", R"re(string_view [a-z_]+ = "([a-z_/]+\.[a-z]+)";)re"));
  EXPECT_EQ(contract_names("4.3", 2), texts_in("src/capture/collect.cc", R"re(\{"(FRX_[A-Z_]+)", )re"));
  const Json event = Json::parse(content(repository() / "data/schemas/run_event_v0.json"));
  EXPECT_EQ(contract_names("4.4", 2), event["properties"]["event_type"]["enum"].get<Names>());
  for (const std::string& line : contract_names("8.6", 2))
    EXPECT_THAT(content(repository() / "include/frx/frx_bench.cuh"), ::testing::HasSubstr(line.substr(0, line.size() - 1)));
  for (const std::string& file : contract_names("4.5", 2))
    EXPECT_THAT(all_golden_output() + content(repository() / "src/cli/explain_brief.cc"), ::testing::HasSubstr(file));
}

TEST(Contract, HeadingsStandInGoldenCases) {
  const std::string all = all_golden_output();
  for (const Row& row : contract_rows("9", 2)) {
    for (const std::string_view heading : split(row[1], ',')) {
      EXPECT_THAT(all, ::testing::HasSubstr("\n" + std::string(trim(heading)))) << row[0];
    }
  }
}

TEST(Contract, WhatIsPlannedIsNotThere) {
  for (const Row& row : contract_rows("1.2", 2)) {
    if (is_planned(row)) EXPECT_EQ(cli::command_named(names_in(row[0]).at(0)), nullptr) << row[0] << " is not planned any more";
  }
}

}  // namespace
}  // namespace frx::testing
