#include "ingest/cubin/spills.h"

#include <algorithm>

#include "ingest/cubin/machine_code.h"

namespace frx::ingest::cubin {
namespace {

// From this version on a kernel without marks has no spills; this is unchecked for 12.8 and 12.9.
constexpr std::uint32_t first_version_that_marks = 130;

struct Marks {
  std::vector<std::uint32_t> offsets;  // ascending
  bool written = false;                // there is a record of them, if an empty one
  bool understood = true;
};

// Pairs of a kind and an offset. Only kind 1 has been observed; the length of others is unknown.
void add_marks(const AttributeRecord& record, Marks& marks) {
  marks.written = true;
  for (std::size_t i = 0; i + 1 < record.numbers(); i += 2) {
    constexpr std::uint32_t spill = 1;
    if (record.number(i) != spill) marks.understood = false;
    marks.offsets.push_back(record.number(i + 1));
  }
}

Marks read_marks(const std::vector<AttributeRecord>& attributes) {
  Marks marks;
  for (const AttributeRecord& record : attributes) {
    if (record.attribute == Attribute::annotations) add_marks(record, marks);
  }
  std::sort(marks.offsets.begin(), marks.offsets.end());
  marks.offsets.erase(std::unique(marks.offsets.begin(), marks.offsets.end()), marks.offsets.end());
  return marks;
}

std::size_t instructions(const model::LocalAccesses& accesses) { return std::size_t{accesses.loads} + accesses.stores; }

}  // namespace

// A record holds at most 65535 bytes. Of the marks of a kernel with more, ptxas 13.0 writes the first ones, as many
// as remain of their number after division by 8192. Such a kernel is recognised where nothing but spills uses local
// memory: every access up to the last mark is marked, and the number of all leaves the same remainder.
std::optional<model::LocalAccesses> spills_of(std::string_view code, const model::LocalAccesses& local,
                                              const std::vector<AttributeRecord>& attributes, std::uint32_t cuda_version) {
  constexpr std::size_t marks_per_record = 8192;
  const Marks marks = read_marks(attributes);
  if (!marks.understood) return std::nullopt;
  if (!marks.written) {
    const bool none = local == model::LocalAccesses() || cuda_version >= first_version_that_marks;
    return none ? std::optional(model::LocalAccesses()) : std::nullopt;
  }
  const model::LocalAccesses marked = local_accesses_at(code, marks.offsets);
  if (instructions(marked) != marks.offsets.size()) return std::nullopt;  // the marks mean something else
  const std::size_t unmarked = instructions(local) - instructions(marked);
  if (unmarked < marks_per_record) return marked;
  const std::string_view up_to_last = code.substr(0, marks.offsets.empty() ? 0 : std::size_t{marks.offsets.back()} + 16);
  const bool only_spills = unmarked % marks_per_record == 0 && facts_of(up_to_last).local == marked;
  return only_spills ? std::optional(local) : std::nullopt;
}

}  // namespace frx::ingest::cubin
