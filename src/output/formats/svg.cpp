// A flame graph as SVG, for documents and browsers.
#include "output/flame/view.h"
#include "output/output.h"

namespace profile {
namespace {

class Svg final : public Output {
 public:
  void report(std::ostream& out, const Profile& profile) const override {
    write_flame_svg(out, OwnFlameView(profile).view());
  }
};

}  // namespace

std::unique_ptr<Output> make_svg(const OutputOptions&) { return std::make_unique<Svg>(); }

}  // namespace profile
