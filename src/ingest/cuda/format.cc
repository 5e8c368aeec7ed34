// How CUDA source is recognised: by its name, or by the declaration of a kernel. A launch (<<<) alone is not enough: logs and pages of
// documentation have it, too.

#include "ingest/cuda/kernel_file.h"
#include "ingest/cuda/read_source.h"
#include "ingest/observation.h"

namespace frx::ingest {
namespace {

constexpr std::uint64_t largest_cuda = std::uint64_t{4} << 30;
constexpr std::string_view cuda_endings[] = {".cu", ".cuh", ".cuda"};

Match recognises_cuda(const Look& look) { return cuda::declares_kernel(look.head) ? Match::likely : Match::no; }

Result<Observation> read_cuda(Source& source, const ReadOptions&) {
  TRY_ASSIGN(std::string text, source.text(largest_cuda));
  TRY_ASSIGN(model::cuda::Source syntax, cuda::read_source(source.name(), std::move(text)));
  return Observation{std::move(syntax)};
}

}  // namespace

constinit const Format cuda_format = {
    .id = "cuda",
    .title = "CUDA source",
    .kind = Kind::cuda,
    .endings = cuda_endings,
    .recognises = recognises_cuda,
    .read = read_cuda,
};

}  // namespace frx::ingest
