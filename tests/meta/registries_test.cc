// What a registry lists is complete: a format has a golden case and fuzz seeds, a command has a
// golden case and its page of reference. The failure names what is missing.
#include <gtest/gtest.h>

#include <set>

#include "cli/command.h"
#include "ingest/observation.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"
#include "meta/repository.h"
#include "render/render.h"

namespace frx::testing {
namespace {

const knowledge::MetricCatalogue& metrics() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::MetricCatalogue metrics = knowledge::MetricCatalogue::load(library).value();
  return metrics;
}

// The id of the format that the bytes are recognised as and read without an error, or "". A profile says which one it was when it is read.
std::string format_of(const std::string& name, const std::string& bytes) {
  ingest::Source source = ingest::Source::of(name, bytes);
  const Result<ingest::Recognised> recognised = ingest::recognise(source, metrics());
  if (!recognised) return "";
  const ingest::Format* const format = recognised->format;
  const Result<ingest::Observation> observed = ingest::observe(source, format, {metrics()});
  if (format && !format->hint.empty()) return std::string(format->id);
  if (!observed) return "";
  if (format) return std::string(format->id);
  const std::string& title = std::get<model::Session>(observed->model).format;
  const auto at = std::ranges::find(ingest::formats(), title, &ingest::Format::title);
  return at == ingest::formats().end() ? "" : std::string((*at)->id);
}

std::set<std::string> formats_in_golden_cases() {
  std::set<std::string> found;
  for (const Case& one : golden_cases()) {
    for (const Section& section : one.sections) {
      if (!is_input(section)) continue;
      if (const Result<std::string> bytes = bytes_of(section)) found.insert(format_of(section.name, *bytes));
    }
  }
  return found;
}

std::set<std::string> formats_in_fuzz_seeds() {
  std::set<std::string> found;
  for (const fs::path& seed : files_below("tests/fuzz/corpus", "")) found.insert(format_of(seed.filename(), content(seed)));
  return found;
}

// The command that a line of arguments calls: its first word that is no option, of a family the first two.
std::string command_of(const CaseRun& run) {
  const auto word = std::find_if(run.words.begin(), run.words.end(), [](const std::string& one) { return !one.starts_with('-'); });
  if (word == run.words.end()) return "";
  return cli::family(*word).empty() || word + 1 == run.words.end() ? *word : *word + " " + word[1];
}

TEST(Formats, HaveNamesOfTheirOwn) {
  std::set<std::string_view> ids, titles;
  for (const ingest::Format* format : ingest::formats()) {
    EXPECT_TRUE(ids.insert(format->id).second) << format->id;
    EXPECT_TRUE(titles.insert(format->title).second) << format->title;
  }
}

TEST(Formats, AreReadInOneWayOrSayWhatToDoInstead) {
  for (const ingest::Format* format : ingest::formats()) {
    const int ways =
        (format->read != nullptr) + (format->read_session != nullptr) + (format->read_lines != nullptr) + !format->hint.empty();
    EXPECT_EQ(ways, 1) << format->id;
    EXPECT_EQ(format->begins != nullptr, format->read_lines != nullptr) << format->id;
    EXPECT_NE(format->begins != nullptr, format->recognises != nullptr) << format->id;
  }
}

TEST(Formats, HaveAGoldenCaseEach) {
  const std::set<std::string> found = formats_in_golden_cases();
  for (const ingest::Format* format : ingest::formats()) {
    EXPECT_TRUE(found.contains(std::string(format->id))) << "no case below tests/golden has a file of the format " << format->id;
  }
}

TEST(Formats, HaveFuzzSeedsEach) {
  const std::set<std::string> found = formats_in_fuzz_seeds();
  for (const ingest::Format* format : ingest::formats()) {
    if (!format->hint.empty()) continue;  // nothing reads it
    EXPECT_TRUE(found.contains(std::string(format->id))) << "no seed below tests/fuzz/corpus is of the format " << format->id;
  }
}

TEST(Commands, AreCalledAsTheirFilesAre) {
  std::set<std::string_view> names;
  for (const cli::Command* command : cli::commands()) {
    EXPECT_TRUE(names.insert(command->name).second) << command->name;
    std::string file(command->name);
    std::ranges::replace_if(
        file, [](char c) { return c == '-' || c == ' '; }, '_');
    EXPECT_TRUE(fs::exists(repository() / "src/cli" / ("command_" + file + ".cc"))) << command->name;
  }
}

TEST(Commands, HaveTheirWords) {
  for (const cli::Command* command : cli::commands()) {
    EXPECT_FALSE(command->summary.empty() || command->summary.ends_with('.')) << command->name << ": '" << command->summary << "'";
    EXPECT_FALSE(command->group.empty()) << command->name;
  }
}

TEST(Commands, HaveAGoldenCaseEach) {
  std::set<std::string> called;
  for (const Case& one : golden_cases()) {
    for (const CaseRun& run : one.runs) called.insert(command_of(run));
  }
  for (const cli::Command* command : cli::commands()) {
    EXPECT_TRUE(called.contains(std::string(command->name))) << "no case below tests/golden runs: frx " << command->name;
  }
}

TEST(Renderers, HaveAGoldenCaseEach) {
  std::set<std::string> used = {"text"};
  for (const Case& one : golden_cases()) {
    for (const CaseRun& run : one.runs) {
      const auto option = std::ranges::find(run.words, "--format");
      if (option != run.words.end() && option + 1 != run.words.end()) used.insert(option[1]);
    }
  }
  for (const render::Renderer* one : render::renderers()) {
    EXPECT_TRUE(used.contains(std::string(one->name))) << "no case below tests/golden asks for --format " << one->name;
  }
}

TEST(Commands, StandInTheReference) {
  const std::vector<fs::path> pages = files_below("docs/reference", ".md");
  std::string all;
  for (const fs::path& page : pages) all += content(page);
  for (const cli::Command* command : cli::commands()) {
    EXPECT_NE(all.find("frx " + std::string(command->name)), all.npos)
        << "docs/reference does not mention frx " << command->name << ": ./dev reference";
  }
}

TEST(GoldenCases, AreWellFormed) {
  for (const fs::path& file : files_below("tests/golden", ".case")) {
    const Result<Case> one = parse_case(shown(file), content(file));
    EXPECT_TRUE(one) << (one ? "" : to_string(one.error()));
    if (one) {
      EXPECT_EQ(to_text(*one), content(file)) << shown(file) << ": ./dev rebase writes it differently";
    }
  }
}

TEST(GoldenCases, AreNamedBySentencesWithDashes) {
  for (const fs::path& file : files_below("tests/golden", ".case")) {
    const std::string name = file.stem();
    const bool plain =
        std::all_of(name.begin(), name.end(), [](char c) { return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
    EXPECT_TRUE(plain) << shown(file);
  }
}

}  // namespace
}  // namespace frx::testing
