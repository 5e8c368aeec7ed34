// The answer does not depend on where a file is cut into pieces, nor on which rows the cores read by a layout.
#include <gtest/gtest.h>

#include "ingest/ncu_csv.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

// All that was read, as text.
std::string content_of(const model::Session& session) {
  std::string text = fmt::format("{} launches, {} absent\n", session.launches, session.absent_values);
  for (const model::Kernel& kernel : session.kernels) {
    text += fmt::format("kernel {} from line {}\n", kernel.name, kernel.first_line);
    for (const model::LaunchGroup& group : kernel.groups) {
      text += fmt::format(" group of {} launches on device {}\n", group.launches, group.device.value_or(-1));
      for (const model::Spread& of : group.spreads) {
        text += fmt::format("  {} {} {} {} {} {} {} {}\n", of.count, of.sum, of.min, of.max, of.weighted_sum, of.weight, of.of_longest,
                            of.line);
      }
    }
  }
  for (const auto& [id, device] : session.devices) text += fmt::format("device {} {}\n", id, device.name);
  for (const model::Note& note : session.notes) text += fmt::format("note {} {}\n", note.line, note.text);
  for (const model::ProfilerRule& rule : session.rules) text += fmt::format("rule {} {} {}\n", rule.line, rule.kernel, rule.text);
  for (const std::string& name : session.unknown_metrics) text += fmt::format("unknown {}\n", name);
  return text;
}

std::string read_in_pieces(std::string_view bytes, std::size_t piece_size) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  LineReader lines(*source);
  Input input{"profile", lines, testing::catalogue(), {}};
  model::Session session;
  std::string_view header;
  EXPECT_TRUE(lines.next(header));
  const Result<> read = read_ncu_csv(input, header, session, piece_size);
  return read ? fmt::format("{} lines\n{}", lines.line_number(), content_of(session)) : to_string(read.error());
}

// What is read by a layout and what is not, at any place.
void expect_same_in_all_pieces(const std::string& bytes) {
  const std::string whole = read_in_pieces(bytes, bytes.size() + 1);
  EXPECT_NE(whole.find("kernel"), whole.npos) << whole;
  for (const std::size_t size : {1u, 100u, 333u, 1000u, 4096u, 20'000u})
    EXPECT_EQ(read_in_pieces(bytes, size), whole) << "pieces of " << size;
}

constexpr std::string_view launch_columns =
    R"x("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")x";

std::string launch(int id, int device = 0) {
  return fmt::format(R"x("{}","77","app","host","kernel_{}(int, float *)","1","7","(256, 1, 1)","({}, 1, 1)","{}","8.6")x", id, id % 3,
                     64 * (id % 2 + 1), device);
}

std::string tall_rows(int id, int device = 0) {
  std::string rows;
  const auto row = [&](std::string_view section, std::string_view name, std::string_view unit, std::string_view value) {
    rows += fmt::format("{},\"{}\",\"{}\",\"{}\",\"{}\",\"\",\"\"\n", launch(id, device), section, name, unit, value);
  };
  row("GPU Speed Of Light Throughput", "Duration", "us", fmt::format("{},{:03}.25", id + 1, id));
  row("Occupancy", "Achieved Occupancy", "%", fmt::format("{}.5", id % 90));
  row("Command line profiler metrics", "launch__registers_per_thread", "register/thread", fmt::format("{}", 16 + id));
  row("Command line profiler metrics", "device__attribute_display_name", "", fmt::format("GPU {}", device));
  row("Occupancy", "Block Limit SM", "block", id % 7 == 3 ? "n/a" : "16");
  return rows;
}

std::string tall_table() {
  return fmt::format("{},\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Description\"\n",
                     launch_columns);
}

std::string wide_table() {
  return fmt::format(
      "{},\"gpu__time_duration.sum\",\"launch__registers_per_thread\",\"device__attribute_display_name\",\"a__counter.sum\","
      "\"launch__occupancy_limit_warps\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"register/thread\",\"\",\"\",\"block\"\n",
      launch_columns);
}

std::string wide_row(int id, std::string_view last = "16", int device = 0) {
  return fmt::format("{},\"{},{:03}.5\",\"{}\",\"GPU {}\",\"some text\",\"{}\"\n", launch(id, device), id + 1, id, 16 + id, device, last);
}

TEST(NcuCsvPieces, OfATallTable) {
  std::string text = tall_table();
  for (int id = 0; id < 60; ++id) text += tall_rows(id);
  expect_same_in_all_pieces(text);
}

TEST(NcuCsvPieces, OfAWideTable) {
  std::string text = wide_table();
  for (int id = 0; id < 200; ++id) text += wide_row(id);
  expect_same_in_all_pieces(text);
}

TEST(NcuCsvPieces, WithRowsThatAreLikeNoOther) {
  std::string text = wide_table();
  for (int id = 0; id < 60; ++id) {
    text += wide_row(id, id % 11 == 0 ? "n/a" : id % 13 == 0 ? "a text" : id % 17 == 0 ? "-4" : id % 19 == 0 ? "1e3" : "8", id % 2);
    if (id % 9 == 0) text += "==PROF== Profiling\n\nloss 0.5\n";
    if (id % 10 == 0) text += "\"a stray quote\n";
    if (id % 12 == 0) text += "loss 0.5 " + wide_row(id + 100);
    if (id % 14 == 0) text += wide_row(id + 200).substr(0, 90) + "\n";
  }
  expect_same_in_all_pieces(text);
}

TEST(NcuCsvPieces, WithRulesAndFieldsOverSeveralLines) {
  std::string text = tall_table();
  for (int id = 0; id < 40; ++id) {
    text += tall_rows(id, id % 2);
    text += launch(id) + ",\"Occupancy\",\"\",\"\",\"\",\"A rule\",\"Its text, on\nseveral\nlines, says \"\"so\"\".\"\n";
  }
  expect_same_in_all_pieces(text);
}

TEST(NcuCsvPieces, OfSeveralTables) {
  std::string text = wide_table();
  for (int id = 0; id < 30; ++id) text += wide_row(id);
  text += tall_table();
  for (int id = 0; id < 30; ++id) text += tall_rows(id);
  text += wide_table();
  for (int id = 0; id < 30; ++id) text += wide_row(id);
  expect_same_in_all_pieces(text);
}

TEST(NcuCsvPieces, WithLineEndsOfWindowsAndWithoutALastOne) {
  std::string text = wide_table();
  for (int id = 0; id < 30; ++id) text += wide_row(id);
  text.pop_back();
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  expect_same_in_all_pieces(text);
  expect_same_in_all_pieces(windows);
}

TEST(NcuCsvPieces, WithNumbersOfAnotherLanguage) {
  std::string text = wide_table();
  for (int id = 0; id < 30; ++id) {
    text += fmt::format("{},\"{}.{:03},5\",\"{}\",\"GPU 0\",\"some text\",\"16\"\n", launch(id), id + 1, id, 16 + id);
  }
  expect_same_in_all_pieces(text);
}

}  // namespace
}  // namespace frx::ingest
