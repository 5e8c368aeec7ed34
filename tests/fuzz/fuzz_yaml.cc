// Files of --data DIR: plain YAML, laid over what is built in, and the catalogues loaded from it. The
// first byte of the input says which folder of data/ it goes to.
#include <filesystem>

#include "base/document.h"
#include "base/files.h"
#include "base/temporary_directory.h"
#include "fuzz/input.h"

namespace {

namespace fs = std::filesystem;

// One folder for the whole run, in memory where the system has such a place.
const std::string& overlay() {
  static const frx::TemporaryDirectory folder =
      frx::TemporaryDirectory::make(fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string()).value();
  return folder.path();
}

constexpr std::string_view places[] = {"bottlenecks/fuzz.yaml", "metrics/fuzz.yaml",       "gpus/fuzz.yaml",
                                       "kernels/classes.yaml",  "metrics/rule_facts.yaml", "recommendations/rec_fuzz.yaml"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const frx::fuzz::ExactInput input(data + 1, size - 1);
  const std::string text(input.text());
  const frx::Result<frx::Document> document = frx::parse_yaml("fuzz.yaml", text);
  if (!document) {
    frx::fuzz::require(!document.error().where.empty());
    return 0;
  }
  const std::string file = overlay() + "/" + std::string(places[data[0] % std::size(places)]);
  if (!frx::write_file(file, text)) return 0;
  const auto known = frx::knowledge::Knowledge::load(overlay());
  frx::fuzz::require(known || !known.error().message.empty());
  if (known) (void)known->gpus.check();
  fs::remove(file);
  return 0;
}
