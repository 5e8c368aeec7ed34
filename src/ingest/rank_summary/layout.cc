#include "ingest/rank_summary/layout.h"

#include <zlib.h>

namespace frx::ingest::rank_summary {

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace frx::ingest::rank_summary
