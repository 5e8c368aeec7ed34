// What the commands of frx history share: which store, and the circumstances that a record notes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.h"
#include "base/result.h"
#include "cli/io.h"
#include "cli/syntax.h"
#include "history/record_of.h"
#include "history/store.h"
#include "history/views.h"

namespace frx::cli {

struct HistoryOptions {
  std::string store, format = "text";
  bool json = false, open = false;
};
void describe_store(Syntax& syntax, std::string& store);
// --store, --format, --json and --open.
void describe_history(Syntax& syntax, HistoryOptions& options);
// The exit codes 0 and 1 that they all have. `found`: what 0 means.
void describe_history_codes(Syntax& syntax, std::string_view found);

// --store, or else FRX_HISTORY, or else frx/history.db below XDG_STATE_HOME or ~/.local/state. Usage: none of these is known.
Result<std::unique_ptr<history::Store>> open_history(const std::string& store, history::Open how, const Io& io);

// The id of the record that a baseline of this name names; where there is none, the name itself, which may be the beginning of an id.
Result<std::string> id_called(history::Store& store, const std::string& name);
// The record that a baseline of this name names, or whose id begins so. Usage: there is none.
Result<history::Record> record_called(history::Store& store, const std::string& name);

// Milliseconds since 1970, or what SOURCE_DATE_EPOCH says.
std::int64_t moment_of_record(const Io& io);
// The circumstances of a record: time, commit of the working copy, version of frx, this machine.
history::Recording recording_here(const Io& io);

// A time on a command line: a day or a moment (base/moment.h). Usage: none.
Result<std::int64_t> moment_given(std::string_view option, const std::string& text);

// Adds them all, or none.
Result<history::Recorded> record_all(history::Store& store, const std::vector<history::Record>& records,
                                     const std::vector<std::string>& from);

// For --record: keeps the answer that was printed, and says so on the error stream.
Result<> record_answer(Io& io, const answer::Answer& answer);

// Prints in the format that was asked for.
Result<int> print_history(const HistoryOptions& options, std::string_view command, const answer::Answer& answer, Io& io, int code = 0);

}  // namespace frx::cli
