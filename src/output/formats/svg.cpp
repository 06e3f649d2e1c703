// A flame graph as SVG, for documents and browsers.
#include "output/flame/picture.h"
#include "output/output.h"

namespace profile {

Output make_svg(const OutputOptions& options) {
  return {.report = [size = options.picture](std::ostream& out, const Profile& profile) {
    const OwnFlameView flames(profile);
    draw_svg(out, FlamePicture(flames.view(), size));
  }};
}

}  // namespace profile
