// A flame graph as PNG, for chats and for films. All frames of a film need one size, and a format does not know the
// later reports, so the first report decides the size.
#include <algorithm>

#include "output/flame/picture.h"
#include "output/output.h"
#include "support/module.h"

namespace profile {
namespace {

constexpr unsigned least_height = 800;
constexpr unsigned height_step = 100;

// Leaves room for stacks a quarter deeper than in the first report. Deeper stacks get lower rows.
unsigned height_for(const FlameView& view) {
  const unsigned asked = FlamePicture(view).height();
  const unsigned with_room = (asked + asked / 4 + height_step - 1) / height_step * height_step;
  return std::max(least_height, with_room);
}

}  // namespace

void write_flame_png(std::ostream& out, const FlameView& view) {
  load_module<PictureModule>().draw(out, FlamePicture(view));
}

Output make_png(const OutputOptions& options) {
  PictureSize size = options.picture;  // of all reports; the first one sets the height that was not asked for
  const auto draw = load_module<PictureModule>().draw;
  const auto report = [size, draw](std::ostream& out, const Profile& profile) mutable {
    const OwnFlameView flames(profile);
    if (size.height == 0) size.height = height_for(flames.view());
    draw(out, FlamePicture(flames.view(), size));
  };
  return {.report = report};
}

}  // namespace profile
