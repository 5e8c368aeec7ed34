// Our hot lines against NVIDIA's own: in real reports its rules mark instructions and lines with sentences such as
//
//   This line is responsible for 21.3% of all warp stalls. 96.3% of the stalls for this line are of type wait.
//   75.00% of this line's global accesses are excessive.
//
// Found by comparison: "all warp stalls" are all samples of the launch, also those of warps that did go on (`selected`)
// and in cycles that issued. Where one instruction is marked twice, the second sentence names its second reason.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <regex>
#include <set>

#include "base/files.h"
#include "corpus/ncu_report_oracle.h"
#include "ingest/ncu_report/code_places.h"
#include "ingest/ncu_report/fields.h"
#include "knowledge/knowledge.h"
#include "report/hot_lines.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

using namespace ingest::nsight;
using report::HotLine;

// A sentence about an instruction (address) or, where the report knows lines, about one of them.
struct Marker {
  std::uint64_t address = 0, line = 0;
  std::string text, file;
};

std::vector<Marker> markers_in(std::string_view rule) {
  std::vector<Marker> markers;
  for (Fields field(rule); field.next();) {
    if (field.number() != 5) {
      field.skip();
      continue;
    }
    Marker& marker = markers.emplace_back();
    for (Fields part(field.bytes()); part.next();) {
      switch (part.number()) {
        case 2: marker.line = part.integer(); break;
        case 3: marker.address = part.integer(); break;
        case 4: marker.text = part.bytes(); break;
        case 6: marker.file = part.bytes(); break;
        default: part.skip();
      }
    }
  }
  return markers;
}

struct Figures {
  Agreement shares, reasons, main_reasons, global, shared, hot_places, global_lines, shared_lines;
  std::vector<std::string> differences;
};

class MarkerChecker : public ReportConsumer {
 public:
  MarkerChecker(const knowledge::MetricCatalogue& metrics, std::string report, Figures& figures)
      : metrics_(metrics), report_(std::move(report)), figures_(figures) {}

  Result<> source(const SourceData& source) override {
    places_.take(source);
    return {};
  }

  Result<> launch(const Launch& launch, std::uint64_t, const StringTable& names) override {
    std::vector<Marker> markers;
    for (const std::string_view rule : launch.rules) {
      for (Marker& marker : markers_in(rule)) markers.push_back(std::move(marker));
    }
    if (!markers.empty()) check(launch, names, markers);
    return {};
  }

 private:
  void check(const Launch& launch, const StringTable& names, const std::vector<Marker>& markers) {
    CodeCounters counters(metrics_);
    for (std::uint32_t i = 0; i < names.size(); ++i) counters.add_name(names[i]);
    counters.take(launch, "kernel");
    std::vector<CodeCounters::Code> codes = counters.finish();
    ASSERT_EQ(codes.size(), 1u) << report_;
    places_.resolve(codes[0]);
    by_address_.clear();
    main_named_.clear();
    const std::vector<HotLine> instructions = report::code_instructions(codes[0].profile, metrics_);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const model::CodeInstruction& at = codes[0].profile.instructions[i];
      by_address_[codes[0].begins[at.function] + at.offset] = instructions[i];
    }
    lines_ = report::code_lines(codes[0].profile, metrics_);
    for (const Marker& marker : markers) marker.address ? check_instruction(marker) : check_line(marker);
  }

  void check_instruction(const Marker& marker) {
    static const std::regex stalls(
        R"(responsible for ([\d.]+)% of all warp stalls\. ([\d.]+)% of the stalls for this line are of type (\w+))");
    static const std::regex excess(R"(([\d.]+)% of this line's (global|shared))");
    const HotLine& line = by_address_[marker.address];
    std::smatch said;
    if (std::regex_search(marker.text, said, stalls)) {
      note(figures_.shares, line.share_pct && rounds_to(*line.share_pct, said[1]), marker);
      const auto reason = std::find_if(line.stalls.begin(), line.stalls.end(),
                                       [&](const report::LineStall& stall) { return stall.reason == said[3].str(); });
      note(figures_.reasons, reason != line.stalls.end() && rounds_to(reason->pct, said[2]), marker);
      if (main_named_.insert(marker.address).second)
        note(figures_.main_reasons, !line.stalls.empty() && line.stalls[0].pct <= std::stod(said[2]) + 0.05, marker);
    } else if (std::regex_search(marker.text, said, excess)) {
      const bool global = said[2] == "global";
      const std::optional<report::LineWaste>& waste = global ? line.sectors : line.wavefronts;
      note(global ? figures_.global : figures_.shared, waste && rounds_to(waste->of_line_pct, said[1]), marker);
    }
  }

  void check_line(const Marker& marker) {
    static const std::regex excess(R"(([\d.]+)% of this line's (global|shared))");
    const auto line = std::find_if(lines_.begin(), lines_.end(),
                                   [&](const HotLine& one) { return one.place.line == marker.line && one.place.file == marker.file; });
    std::smatch said;
    if (std::regex_search(marker.text, said, excess)) {
      const bool global = said[2] == "global";
      const bool found = line != lines_.end() && (global ? line->sectors : line->wavefronts);
      note(global ? figures_.global_lines : figures_.shared_lines,
           found && rounds_to((global ? line->sectors : line->wavefronts)->of_line_pct, said[1]), marker);
    } else {
      note(figures_.hot_places, line != lines_.end() && line->samples > 0, marker);
    }
  }

  void note(Agreement& of, bool same, const Marker& marker) {
    of.add(same);
    if (!same && figures_.differences.size() < 8) figures_.differences.push_back(report_ + ": " + marker.text);
  }

  const knowledge::MetricCatalogue& metrics_;
  std::string report_;
  Figures& figures_;
  CodePlaces places_;
  std::map<std::uint64_t, HotLine> by_address_;
  std::set<std::uint64_t> main_named_;
  std::vector<HotLine> lines_;
};

void print(const char* what, const Agreement& agreement) {
  std::printf("%-48s %3llu of %3llu\n", what, static_cast<unsigned long long>(agreement.equal),
              static_cast<unsigned long long>(agreement.compared));
}

TEST(HotLines, AgreeWithTheMarkersOfNvidiasRules) {
  FRX_NEEDS_CORPUS();
  const Result<knowledge::Knowledge> knowledge = knowledge::Knowledge::load("");
  ASSERT_TRUE(knowledge);
  Figures figures;
  for (const std::filesystem::path& path : report_files(*testing::corpus())) {
    MarkerChecker checker(knowledge->metrics, path.filename().string(), figures);
    const Result<std::unique_ptr<ByteSource>> source = open_file(path.string());
    ASSERT_TRUE(source);
    ASSERT_TRUE(read_report(**source, checker)) << path.filename();
  }
  const std::pair<const char*, const Agreement*> all[] = {{"share of the samples, per instruction", &figures.shares},
                                                          {"share of the named stall reason", &figures.reasons},
                                                          {"largest stall reason", &figures.main_reasons},
                                                          {"excessive global sectors, per instruction", &figures.global},
                                                          {"excessive shared wavefronts, per instruction", &figures.shared},
                                                          {"lines with many stalls have samples", &figures.hot_places},
                                                          {"excessive global sectors, per line", &figures.global_lines},
                                                          {"excessive shared wavefronts, per line", &figures.shared_lines}};
  std::uint64_t compared = 0;
  for (const auto& [what, agreement] : all) {
    print(what, *agreement);
    EXPECT_EQ(agreement->equal, agreement->compared) << what << ": " << (figures.differences.empty() ? "" : figures.differences[0]);
    compared += agreement->compared;
  }
  EXPECT_GE(compared, 500u);
}

}  // namespace
}  // namespace frx::corpus
