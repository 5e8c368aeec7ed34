// Ledgers of predictions. Whatever a file says, each prediction is there once, and what is printed of it can be printed.
#include "base/files.h"
#include "base/temporary_directory.h"
#include "cli/prediction_ledger.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  static const frx::TemporaryDirectory folder = frx::TemporaryDirectory::make("/dev/shm").value();
  const std::string path = folder.path() + "/ledger.jsonl";
  const frx::fuzz::ExactInput input(data, size);
  if (!frx::write_file(path, input.text())) return 0;
  const frx::Result<frx::cli::Ledger> ledger = frx::cli::read_ledger(path);
  if (!ledger) {
    require(!ledger.error().message.empty() && ledger.error().where.starts_with(path));
    return 0;
  }
  require(ledger->entries.size() == ledger->ids.size() && ledger->bytes == input.text());
  require(ledger_text(*ledger).size() < 64 * (size + 4096) && ledger_json(*ledger).is_object());
  return 0;
}
