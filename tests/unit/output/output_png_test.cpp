// Tests the PNG picture, read back by cairo: it must have the boxes of the layout in their colours.
#include <doctest/doctest.h>

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/flame/picture.h"
#include "output/output.h"
#include "support/module.h"

using namespace profile;

namespace {

class Pixels {
 public:
  explicit Pixels(std::string png) : png_(std::move(png)), surface_(read(this), cairo_surface_destroy) {
    REQUIRE(cairo_surface_status(surface_.get()) == CAIRO_STATUS_SUCCESS);
    REQUIRE(cairo_image_surface_get_format(surface_.get()) == CAIRO_FORMAT_RGB24);
  }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;

  [[nodiscard]] int width() const { return cairo_image_surface_get_width(surface_.get()); }
  [[nodiscard]] int height() const { return cairo_image_surface_get_height(surface_.get()); }
  [[nodiscard]] Colour at(int x, int y) const {
    REQUIRE((x >= 0 && y >= 0 && x < width() && y < height()));
    const auto* const row =
        reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface_.get()) +
                                               std::ptrdiff_t{y} * cairo_image_surface_get_stride(surface_.get()));
    return {static_cast<std::uint8_t>(row[x] >> 16), static_cast<std::uint8_t>(row[x] >> 8),
            static_cast<std::uint8_t>(row[x])};
  }

 private:
  static cairo_surface_t* read(Pixels* self) {
    return cairo_image_surface_create_from_png_stream(
        [](void* from, unsigned char* to, unsigned count) {
          auto& pixels = *static_cast<Pixels*>(from);
          if (count > pixels.png_.size() - pixels.at_) return CAIRO_STATUS_READ_ERROR;
          std::copy_n(pixels.png_.begin() + static_cast<std::ptrdiff_t>(pixels.at_), count, to);
          pixels.at_ += count;
          return CAIRO_STATUS_SUCCESS;
        },
        self);
  }

  std::string png_;
  std::size_t at_ = 0;
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
};

// Returns the number of boxes that were checked.
int check_boxes(const FlameView& view, const PictureSize& size = {}) {
  std::ostringstream out;
  const FlamePicture picture(view, size);
  load_module<PictureModule>().draw(out, picture);
  const Pixels pixels(out.str());
  CHECK(pixels.width() == static_cast<int>(picture.width()));
  CHECK(pixels.height() == static_cast<int>(picture.height()));
  CHECK(pixels.at(1, 1) == picture.background());
  int looked_at = 0;
  for (const PictureBox& box : picture.boxes()) {
    if (box.width < 5 || box.height < 5) continue;
    // No letter covers this corner.
    const int x = static_cast<int>(std::ceil(box.x)) + 1;
    const int y = static_cast<int>(std::ceil(box.y)) + 1;
    CHECK(pixels.at(x, y) == box.fill);
    ++looked_at;
    if (box.label.empty()) continue;
    bool has_letters = false;
    for (int i = x; i < static_cast<int>(box.x + box.width) - 1; ++i) {
      for (int j = y; j < static_cast<int>(box.y + box.height) - 1; ++j) has_letters |= pixels.at(i, j) != box.fill;
    }
    CHECK_MESSAGE(has_letters, box.label);
  }
  return looked_at;
}

// One stack of `depth` frames.
Profile stack_of(std::size_t depth) {
  Profile profile;
  const ProcessId process = profile.process(1, 0, "p");
  const FrameId itself = test::Namer(profile).user(process, 0x1000, "itself", "p", 0);
  profile.add({.process = process,
               .thread_name = profile.strings.intern("p"),
               .user = profile.stack(std::vector(depth, itself)),
               .value = 1,
               .samples = 1});
  return profile;
}

// A stream that takes `limit` bytes and then fails.
class FullDisk final : public std::streambuf {
 public:
  explicit FullDisk(std::size_t limit) : limit_(limit) {}

 protected:
  int_type overflow(int_type c) override { return limit_ == 0 ? traits_type::eof() : (--limit_, c); }

 private:
  std::size_t limit_;
};

}  // namespace

TEST_CASE("a PNG picture has the boxes of the layout in their colours, with letters on them") {
  const Profile fixed = test::fixed_profile();
  CHECK(check_boxes(OwnFlameView(fixed).view()) > 30);
  CHECK(check_boxes(OwnFlameView(fixed).view(), {.width = 700, .height = 500}) > 20);
  const Profile wall = test::wall_profile();
  CHECK(check_boxes(OwnFlameView(wall).view()) > 10);
  const Profile lines = test::profile_with_lines();
  CHECK(check_boxes(OwnFlameView(lines).view()) > 10);
}

TEST_CASE("a PNG picture shows a comparison and an empty profile") {
  const Profile fixed = test::fixed_profile();
  Profile before;
  test::add_dd(before);
  CHECK(check_boxes(OwnFlameView(fixed, &before).view()) > 30);
  const Profile nothing;
  CHECK(check_boxes(OwnFlameView(nothing).view()) == 0);
}

TEST_CASE("the pictures of a film have one size for all depths of stacks, and encoders accept it") {
  const Output png = find_output_format("png")->make({});
  const auto size_of = [&png](const Profile& profile) {
    std::ostringstream out;
    png.report(out, profile);
    const Pixels pixels(out.str());
    return std::pair(pixels.width(), pixels.height());
  };
  const auto first = size_of(test::fixed_profile());
  CHECK(first == std::pair(1200, 800));
  CHECK(size_of(Profile()) == first);
  CHECK(size_of(stack_of(60)) == first);
  CHECK(size_of(stack_of(2000)) == first);

  const Output other = find_output_format("png")->make({});
  std::ostringstream out;
  other.report(out, stack_of(100));
  CHECK(Pixels(out.str()).height() == 2200);  // 1,722 pixels plus a quarter, rounded up to hundreds
}

TEST_CASE("a full output stream is left failed, and nothing else happens") {
  FullDisk disk(100);
  std::ostream out(&disk);
  const Profile profile = test::fixed_profile();
  CHECK_NOTHROW(write_flame_png(out, OwnFlameView(profile).view()));
  CHECK_FALSE(out.good());
}
