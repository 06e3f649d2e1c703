// A flame graph as SVG, for documents and browsers.
#include "output/flame/view.h"
#include "output/output.h"

namespace profile {

Output make_svg(const OutputOptions&) {
  return {
      .report = [](std::ostream& out, const Profile& profile) { write_flame_svg(out, OwnFlameView(profile).view()); }};
}

}  // namespace profile
