// The event stream of a run that goes on. However the stream is cut into pieces, the same steps are read, and they are what the lines say:
// not more of them than lines, none with a batch that is not above 0.
#include <fcntl.h>
#include <unistd.h>

#include "base/temporary_directory.h"
#include "capture/step_tail.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  static const frx::TemporaryDirectory folder = frx::TemporaryDirectory::make("/dev/shm").value();
  const frx::fuzz::ExactInput input(data, size);
  const std::string_view text = input.text();
  const std::string path = folder.path() + "/trace.jsonl";
  frx::capture::StepTail pieces(path), whole(path);
  require(pieces.read().empty());
  const frx::capture::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const std::size_t piece = 1 + size / 5;
  for (std::size_t at = 0; at < size; at += piece) {
    const std::string_view part = text.substr(at, piece);
    require(::write(file.get(), part.data(), part.size()) == static_cast<ssize_t>(part.size()));
    pieces.read();
  }
  const std::vector<frx::capture::LiveStep>&one = pieces.read(), &other = whole.read();
  require(one.size() == other.size() && pieces.bad_lines() == whole.bad_lines());
  require(one.size() + pieces.bad_lines() <= static_cast<std::size_t>(std::ranges::count(text, '\n')));
  for (std::size_t i = 0; i < one.size(); ++i) {
    require(one[i].step_id == other[i].step_id && one[i].end_ns == other[i].end_ns && one[i].loss.has_value() == other[i].loss.has_value());
    require(!one[i].batch_size || *one[i].batch_size > 0);
  }
  for (const double time : step_times_ms(one, 1)) require(time > 0);
  ::unlink(path.c_str());
  return 0;
}
