// The expansion of macros. Whatever the text is, each byte of the result comes from the file, what an argument wrote is what the file has
// there, and the result is not much larger than the text.
#include <algorithm>

#include "fuzz/input.h"
#include "ingest/cuda/preprocessor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  const frx::fuzz::ExactInput input(data, size);
  const std::string_view text = input.text();
  const frx::ingest::cuda::Preprocessed plain = frx::ingest::cuda::preprocess(text);
  if (plain.origins.empty()) {
    require(plain.text.size() == text.size());
    return 0;
  }
  require(plain.origins.front().begin == 0);
  require(plain.text.size() <= (std::size_t{64} << 20) + 64 * text.size());
  require(std::ranges::is_sorted(plain.origins, {}, &frx::model::cuda::Origin::begin));
  require(std::ranges::is_sorted(plain.unrolls, {}, &frx::model::cuda::Unroll::end));
  for (std::size_t i = 0; i < plain.origins.size(); ++i) {
    const frx::model::cuda::Origin& origin = plain.origins[i];
    const std::size_t end = i + 1 < plain.origins.size() ? plain.origins[i + 1].begin : plain.text.size();
    require(origin.begin <= end);
    if (origin.file_end != 0) {
      require(origin.file_begin < origin.file_end && origin.file_end <= text.size());
    } else {
      require(origin.file_begin + (end - origin.begin) <= text.size() + 1);
    }
  }
  return 0;
}
