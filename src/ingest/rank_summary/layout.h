// How the parts of a file of rank summaries are laid out in bytes; for the reader and the writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/pack.h"
#include "model/rank_summary.h"

namespace frx::model {

template <class Archive>
void fields(Archive& archive, RankHead& head) {
  archive(head.trace, head.node, head.gpu, head.device, head.rank, head.world_size, head.base_time_ns, head.clock_broken, head.described,
          head.cut_short, head.outside_steps, head.point_to_point, head.steps, head.step_time_ns, head.exposed_communication, head.busy,
          head.label);
}

template <class Archive>
void fields(Archive& archive, CollectiveShape& shape) {
  archive(shape.what, shape.kind, shape.type, shape.in_elements, shape.out_elements, shape.bytes);
}

}  // namespace frx::model

namespace frx::ingest::rank_summary {

enum SectionKind : std::uint32_t { head_section = 1, words_section = 2, recording_section = 3, calls_section = 4 };

inline constexpr std::size_t fixed_head = 8 + 4 + 4;                     // magic, version, ranks
inline constexpr std::size_t directory_row = 8 + 8;                      // of a rank
inline constexpr std::size_t table_row = 4 + 8 + 8 + 4 + 8 + 8 + 8 + 4;  // of a section
inline constexpr std::uint32_t most_ranks = 1'000'000, most_sections = 1'000'000;

std::uint32_t crc_of(std::string_view bytes);

}  // namespace frx::ingest::rank_summary
