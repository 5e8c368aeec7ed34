// Sentences, tables and members about late ranks and nodes and slow links, for reports of few ranks and of many.
#pragma once

#include <string>
#include <vector>

#include "answer/document.h"
#include "answer/json_object.h"
#include "history/compared_ranks.h"
#include "report/fleet_report.h"
#include "report/ranks_report.h"

namespace frx::compose {

// What is said of ranks, whichever report it is from; valid as long as that.
struct FleetView {
  explicit FleetView(const report::RanksReport& report);
  explicit FleetView(const report::FleetReport& report);
  explicit FleetView(const history::ComparedRanks& ranks);

  const derive::ranks::Fleet& fleet;
  const Interner& words;
  std::vector<std::int64_t> numbers;    // of the ranks
  std::vector<std::string_view> nodes;  // of each rank; "": not known
};

// Indices of those that are late, with their node or by themselves, the costliest first.
std::vector<std::size_t> late_ranks(const derive::ranks::Fleet& fleet);
// "every step", "12 of 20 steps, every 4".
std::string of_steps(const derive::ranks::Record& record);
void put_record(answer::JsonObject& out, const derive::ranks::Record& record);
// Who is late, always or at times, in a sentence; why none is named where none is.
std::string fleet_sentence(const FleetView& view);
void add_late(answer::Document& page, const FleetView& view);
// Nothing where no link is slow.
void add_slow_links(answer::Document& page, const FleetView& view);
// "1,250 tensor parallel of 8 ranks, 400 data parallel of 25".
std::string groups_text(const FleetView& view);
std::string clocks_text(const FleetView& view);

// Of few ranks, each of which has a row already: late nodes, ranks that come and go, slow links. False where there is none of these.
bool has_more_than_late_ranks(const FleetView& view);

void put_fleet(answer::JsonObject& out, const FleetView& view);
// Its members late_nodes and slow_links; groups.
void put_late_nodes(answer::JsonObject& out, const FleetView& view);
void put_slow_links(answer::JsonObject& out, const FleetView& view);
void put_group_roles(answer::JsonObject& out, const FleetView& view);
void put_fleet_report(answer::JsonObject& out, const report::FleetReport& report);
answer::Document document_of(const report::FleetReport& report);

}  // namespace frx::compose
