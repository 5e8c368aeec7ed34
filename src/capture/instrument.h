// Inserts the fournex SDK into a training script, without ever damaging it.
//
// Python's own parser decides where: the import and init() are inserted after the imports at the top of the file, the step context around
// the training loop only when there is exactly one and its step is known. The result has to parse to the same program plus the inserted
// code; otherwise nothing is proposed. The script itself is never written.
#pragma once

#include <string>

#include "capture/host.h"

namespace frx::capture {

struct Instrumentation {
  enum class State { proposed, already_there, refused };

  State state = State::refused;
  std::string reason;      // of a refusal
  std::string new_text;    // the whole file, when proposed
  std::string diff;        // unified, when proposed
  bool has_steps = false;  // the training loop is instrumented too
  std::string suggestion;  // why it is not, and where it seems to be
};

// The lines to paste when nothing is patched.
std::string instrumentation_snippet();

// Fails when the file cannot be read or no Python can be run.
Result<Instrumentation> instrument(const std::string& path, const Host& host);

}  // namespace frx::capture
