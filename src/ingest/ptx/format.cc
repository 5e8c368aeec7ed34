// How PTX is recognised: by its directive .version.

#include "ingest/observation.h"
#include "ingest/ptx/read_module.h"

namespace frx::ingest {
namespace {

constexpr std::uint64_t largest_ptx = std::uint64_t{4} << 30;
constexpr std::string_view ptx_endings[] = {".ptx"};

Match recognises_ptx(const Look& look) { return ptx::looks_like_ptx(look.head) ? Match::certain : Match::no; }

Result<Observation> read_ptx(Source& source, const ReadOptions&) {
  TRY_ASSIGN(const std::string text, source.text(largest_ptx));
  TRY_ASSIGN(model::ptx::Module module, ptx::read_module(source.name(), text));
  return Observation{std::move(module)};
}

}  // namespace

constinit const Format ptx_format = {
    .id = "ptx",
    .title = "PTX",
    .kind = Kind::ptx,
    .endings = ptx_endings,
    .recognises = recognises_ptx,
    .read = read_ptx,
};

}  // namespace frx::ingest
