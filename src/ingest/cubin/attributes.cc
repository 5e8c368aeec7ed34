#include "ingest/cubin/attributes.h"

#include "ingest/cubin/byte_reader.h"

namespace frx::ingest::cubin {
std::uint32_t AttributeRecord::number(std::size_t i) const { return i < numbers() ? ByteReader(bytes, 4 * i).u32() : 0; }

Result<std::vector<AttributeRecord>> read_attributes(std::string_view section) {
  std::vector<AttributeRecord> records;
  for (ByteReader reader(section); !reader.at_end();) {
    const std::size_t position = reader.position();
    const std::uint8_t format = reader.u8();
    AttributeRecord record{static_cast<Attribute>(reader.u8()), reader.u16(), {}};
    if (format < 1 || format > 4) {
      return fail(ErrorKind::malformed, "expected an attribute of format 1 to 4 at byte {}, found {}", position, format);
    }
    if (format == 4) record.bytes = reader.take(record.value);
    if (!reader.ok()) return fail(ErrorKind::malformed, "the attribute at byte {} ends behind its section", position);
    records.push_back(record);
  }
  return records;
}

}  // namespace frx::ingest::cubin
