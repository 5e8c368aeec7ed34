// How compiled device code is recognised: by the first bytes of ELF files, fat binaries and archives.

#include "ingest/fatbin/device_code.h"
#include "ingest/fatbin/images.h"
#include "ingest/observation.h"

namespace frx::ingest {
namespace {

constexpr std::uint64_t largest_device_code = std::uint64_t{4} << 30;
constexpr std::string_view device_code_endings[] = {".cubin", ".fatbin"};

Match recognises_device_code(const Look& look) {
  return fatbin::file_kind(look.head) != fatbin::FileKind::other ? Match::certain : Match::no;
}

Result<Observation> read_device_code(Source& source, const ReadOptions&) {
  TRY_ASSIGN(const std::string bytes, source.text(largest_device_code));
  TRY_ASSIGN(model::DeviceCode code, fatbin::read_device_code(source.name(), bytes));
  return Observation{std::move(code)};
}

}  // namespace

constinit const Format device_code_format = {
    .id = "device-code",
    .title = "compiled device code",
    .kind = Kind::device_code,
    .endings = device_code_endings,
    .recognises = recognises_device_code,
    .read = read_device_code,
};

}  // namespace frx::ingest
