// A report of layouts that was written before, and what changed since: itself is the same as it, whatever it says; every finding has a
// change, and none is told twice.
#include <set>

#include "fuzz/input.h"
#include "report/layout/layout_diff.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  using frx::report::LayoutOutcome;
  const frx::fuzz::ExactInput input(data, size);
  const frx::Result<frx::report::LayoutRecord> record = frx::report::read_layout_record("a.json", input.text());
  if (!record) {
    require(!record.error().message.empty() && record.error().message.find('\n') == std::string::npos);
    return 0;
  }
  const frx::report::LayoutDiff same = frx::report::diff_layouts(*record, *record);
  require(same.findings.size() == record->findings.size());
  require(same.count(LayoutOutcome::same) + same.count(LayoutOutcome::inconclusive) == same.findings.size());
  frx::report::LayoutRecord half = *record;
  half.findings.resize(half.findings.size() / 2);
  const frx::report::LayoutDiff grown = frx::report::diff_layouts(half, *record);
  std::set<std::size_t> seen;
  for (const frx::report::LayoutFindingChange& one : grown.findings) require(one.after && seen.insert(*one.after).second);
  require(seen.size() == record->findings.size());
  require(grown.count(LayoutOutcome::gone) == 0);
  return 0;
}
