// What one process of a layout trial says of itself. Whatever the text is, names of files stay names in its own folder, times are above 0,
// and a part of a tensor has a stride.
#include "fuzz/input.h"
#include "report/layout/trial_side.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  const frx::fuzz::ExactInput input(data, size);
  const frx::Result<frx::report::TrialSide> side = frx::report::read_trial_side("side.json", std::string(input.text()));
  if (!side) {
    require(!side.error().message.empty() && side.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(side->trace.find('/') == std::string::npos);
  for (const frx::report::TrialWindow& window : side->windows) require(window.ns > 0 && (!window.items || *window.items > 0));
  for (const frx::report::TrialTensor& tensor : side->outputs)
    require(!tensor.file.empty() && tensor.file.find('/') == std::string::npos && tensor.stride > 0);
  return 0;
}
