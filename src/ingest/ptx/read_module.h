// PTX text into a module.
//
// The readable part of a damaged file is read: a statement that is not understood is counted in
// Module::skipped_statements, and its function is not `is_complete`. The time is linear in the size of the
// text, and so is the memory; nothing depends on numbers that a file claims.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/ptx_module.h"

namespace frx::ingest::ptx {

// Does this text begin like PTX: `.version` before anything but comments?
bool looks_like_ptx(std::string_view text);

// `file` is for messages. Malformed: there is neither `.version` nor a function in it, or it has 4 GB or more.
Result<::frx::model::ptx::Module> read_module(std::string file, std::string_view text);

}  // namespace frx::ingest::ptx
