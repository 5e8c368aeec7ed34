// What the commands of frx config share: settings as answers.
#pragma once

#include <memory>
#include <string_view>

#include "answer/answer.h"
#include "cli/settings.h"

namespace frx::cli {

// Every setting with its value and where that is from.
answer::Answer answer_about_settings(std::shared_ptr<const Settings> settings);
// The files, whether they are there or not.
answer::Answer answer_about_files(std::shared_ptr<const Settings> settings);
// One setting: what it does, who may set it, and all its values, the one that holds first.
answer::Answer answer_about_setting(std::shared_ptr<const Settings> settings, const SettingKind& kind);

}  // namespace frx::cli
