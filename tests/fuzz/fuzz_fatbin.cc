// Device code in files of any kind: ELF sections, containers, compressed images and the cubins in them. Whatever
// stands in the bytes, no more is unpacked than is allowed.
#include "fuzz/input.h"
#include "ingest/fatbin/archive.h"
#include "ingest/fatbin/device_code.h"
#include "ingest/fatbin/images.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  constexpr frx::ingest::fatbin::ReadLimits limits{.image_bytes = 1 << 20, .ptx_bytes = 1 << 20, .times_file = 8, .bytes_beyond = 1 << 20};
  const frx::fuzz::ExactInput input(data, size);
  const auto code = frx::ingest::fatbin::read_device_code("input", input.text(), limits);
  if (!code) {
    require(!code.error().message.empty() && code.error().where.starts_with("input"));
    return 0;
  }
  if (frx::ingest::fatbin::file_kind(input.text()) == frx::ingest::fatbin::FileKind::archive) {
    const auto members = frx::ingest::fatbin::members_of_archive(input.text());
    require(members.has_value() && code->notes.size() <= 51);
    for (const auto& member : *members) require(member.position + member.bytes.size() <= size && member.name.size() <= 4096);
    return 0;
  }
  const auto images = frx::ingest::fatbin::list_images(input.text());
  require(images.has_value());
  for (const auto& image : *images) require(image.stored.size() <= size && image.position <= size);
  std::size_t kept = 0;
  for (const auto& ptx : code->ptx) kept += ptx.text.size();
  require(kept <= limits.ptx_bytes && code->ptx.size() <= images->size() && code->notes.size() <= 51);
  return 0;
}
