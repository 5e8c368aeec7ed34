// The profile of one kernel as an answer, in the documented order and formats (docs/kernel-profile.md).
#pragma once

#include <memory>
#include <string>

#include "answer/answer.h"
#include "report/kernels/kernel_profile.h"

namespace frx::compose {

struct KernelProfileView {
  enum class Kind : std::uint8_t {
    measured,
    without_ncu,      // there is no ncu, so nothing was run
    without_program,  // there is ncu, and no program to run
  };

  Kind kind = Kind::measured;
  bool with_roofline = false;  // other levels of memory and the ceilings, too
  std::string exported_to;     // "" where nothing was written
  std::string ncu;             // its path; without_program
  std::string binary_command;  // "frx kernel binary": by which a program is profiled that is not named here
};

answer::Answer answer_of(std::shared_ptr<const report::KernelProfile> profile, KernelProfileView view);

}  // namespace frx::compose
