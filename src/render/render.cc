#include "render/render.h"

#include <algorithm>

#include "base/text.h"

namespace frx::render {
namespace {

constexpr const Renderer* all[] = {
#define FRX_RENDERER(name) &name##_renderer,
#include "render/renderers.def"
#undef FRX_RENDERER
};

std::string formats_of(const answer::Answer& answer) {
  std::vector<std::string> names;
  for (const Renderer* one : all) {
    if (one->can_write(answer)) names.emplace_back(one->name);
  }
  return join(names, ", ");
}

}  // namespace

std::span<const Renderer* const> renderers() { return all; }

bool draws_figures(std::string_view format) {
  return std::ranges::any_of(all, [&](const Renderer* one) { return one->name == format && one->draws; });
}

Result<> render(const answer::Answer& answer, std::string_view format, const Style& style, const answer::TextSink& sink) {
  const auto at = std::ranges::find(all, format, [](const Renderer* one) { return one->name; });
  if (at == std::end(all)) {
    return fail(ErrorKind::usage, "expected {} as format, found '{}'", formats_of(answer), printable(format));
  }
  if (!(*at)->can_write(answer)) {
    return fail(ErrorKind::usage, "{} has no {}, which the format {} is made of", answer.what, (*at)->needs, format)
        .hint("formats for it: " + formats_of(answer));
  }
  (*at)->write(answer, style, sink);
  return {};
}

}  // namespace frx::render
