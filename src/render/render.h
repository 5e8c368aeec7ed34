// Writes an answer in one of the formats of renderers.def.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/answer.h"
#include "base/result.h"
#include "render/style.h"

namespace frx::render {

struct Renderer {
  std::string_view name;
  std::string_view needs;  // what an answer has to have for it: "findings in files"
  bool (*can_write)(const answer::Answer& answer);
  void (*write)(const answer::Answer& answer, const Style& style, const answer::TextSink& sink);
  bool draws = false;  // answer::Figure
};

// In the order of renderers.def.
std::span<const Renderer* const> renderers();

// Fails, saying what would do, for a format that does not exist or that the answer has nothing for; nothing is then written.
Result<> render(const answer::Answer& answer, std::string_view format, const Style& style, const answer::TextSink& sink);

// True for a format that shows figures: an analysis has to keep what they are drawn from.
bool draws_figures(std::string_view format);

// The names and contents of the files of a brief; none where the answer has no brief.
std::vector<std::pair<std::string, std::string>> brief_files(const answer::Answer& answer);

#define FRX_RENDERER(name) extern const Renderer name##_renderer;
#include "render/renderers.def"
#undef FRX_RENDERER

}  // namespace frx::render
