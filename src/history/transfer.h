// A history as a file that other programs read and that comes back as it was: NDJSON (`history_line_v1`, one record, baseline or prediction
// a line) or CSV with the same members as columns.
//
// A record is its document, with series, time, commit, version and machine; what is kept by name is taken out of the document again when it
// is read, and its id is computed again.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "history/store.h"
#include "history/views.h"

namespace frx::history {

enum class TransferFormat : std::uint8_t { ndjson, csv };

using Put = std::function<Result<>(std::string_view)>;

// All of the store, oldest first.
Result<Moved> export_history(Store& store, TransferFormat format, const Put& put);

// Adds what is not there; the format goes by the first line. Lines of a prediction ledger (`prediction_v1`) are taken, too, and documents
// of frx alone are not. Malformed, with `name` and line: what it was before that stays. Baselines of names that exist are set to what the
// file says.
Result<Moved> import_history(Store& store, ByteSource& source, const std::string& name, std::int64_t now_ms);

}  // namespace frx::history
