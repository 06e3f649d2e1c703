// Tests the flame graph in pixels, its colours and how names are cut. The formats svg and png share this code.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/flame/picture.h"
#include "output/text_cells.h"

using namespace profile;

namespace {

// The width of a clean text, in cells.
std::size_t cells_of(std::string_view clean) {
  std::size_t cells = 0;
  while (cut_to_cells(clean, cells) != clean) ++cells;
  return cells;
}

const PictureBox* find(const FlamePicture& picture, std::string_view name) {
  for (const PictureBox& box : picture.boxes()) {
    if (box.shows != nullptr && picture.graph().name_of(*box.shows) == name) return &box;
  }
  return nullptr;
}

bool says(const FlamePicture& picture, std::string_view words) {
  return std::any_of(picture.texts().begin(), picture.texts().end(),
                     [words](const PictureText& text) { return text.text.find(words) != std::string::npos; });
}

// Adds a stack of `depth` frames that no other stack has.
void add_stack(Profile& profile, std::size_t depth, std::uint64_t value) {
  const ProcessId process = profile.process(1, 0, "p");
  std::vector<FrameId> frames(depth);
  for (std::size_t i = 0; i < depth; ++i) {
    frames[i] = profile.frame(process, FrameKind::user, {0x1000 * (profile.stack_count() + 1) + i});
    profile.frames()[static_cast<std::size_t>(frames[i])].unnamed = Unnamed::named;
    profile.frames()[static_cast<std::size_t>(frames[i])].symbol =
        profile.strings.intern("f" + std::to_string(profile.stack_count()) + "_" + std::to_string(i));
  }
  profile.add({.process = process,
               .thread_name = profile.strings.intern("p"),
               .user = profile.stack(frames),
               .value = value,
               .samples = value});
}

void check_inside(const FlamePicture& picture) {
  for (const PictureBox& box : picture.boxes()) {
    CHECK(box.x >= 0);
    CHECK(box.y >= 0);
    CHECK(box.width > 0);
    CHECK(box.height > 0);
    CHECK(box.x + box.width <= picture.width());
    CHECK(box.y + box.height <= picture.height());
    CHECK(picture.label_x(box) + static_cast<double>(cells_of(box.label)) * cell_width * picture.label_size() <=
          box.x + std::max(box.width, 3.0) + 0.5);
  }
  for (const PictureText& text : picture.texts()) {
    CHECK(text.x + static_cast<double>(cells_of(text.text)) * cell_width * text.size <= picture.width());
    CHECK(text.y <= picture.height());
  }
}

}  // namespace

TEST_CASE("boxes are as wide as their shares, and the root box is at the bottom") {
  const Profile profile = test::wall_profile();
  const OwnFlameView flames(profile);
  const FlamePicture picture(flames.view());
  CHECK(picture.width() == 1200);
  const PictureBox* const all = find(picture, "all");
  const PictureBox* const process = find(picture, "dd (185)");
  const PictureBox* const main = find(picture, "main");
  REQUIRE((all != nullptr && process != nullptr && main != nullptr));
  CHECK(all->x == 10);
  CHECK(all->width == 1179.5);
  CHECK(all->y + all->height == picture.height() - 11);
  CHECK(process->y == all->y - 16);
  CHECK(main->y == all->y - 32);
  // `main` has 4,680,000 of 4,700,000 microseconds. The other 20,000 are to its left.
  CHECK(main->x == doctest::Approx(10 + 1180 * 20'000 / 4.7e6));
  CHECK(main->width == doctest::Approx(1180 * 4.68 / 4.7 - 0.5));
  CHECK(says(picture, "process 185: wall, user and kernel stacks, 49 Hz, 5 s"));
  CHECK(says(picture, "4,700,000 microseconds in 146 samples in 5.0 s; 150 taken: 146 recorded, 4 filtered, 0 lost"));
}

TEST_CASE("the pictures of the fixed profiles stay within their bounds") {
  const Profile profiles[] = {test::fixed_profile(), test::wall_profile(), test::profile_with_lines(), Profile()};
  for (const Profile& profile : profiles) {
    for (const PictureSize& size : {PictureSize{}, PictureSize{.width = 777, .height = 201},
                                    PictureSize{.width = 1, .height = 1}, PictureSize{.width = 3000, .height = 2000}}) {
      const OwnFlameView flames(profile);
      const FlamePicture picture(flames.view(), size);
      CHECK(picture.width() % 2 == 0);
      CHECK(picture.height() % 2 == 0);
      check_inside(picture);
    }
  }
}

TEST_CASE("tooltips show name, value, share, module, line and kind") {
  const Profile profile = test::profile_with_lines();
  const OwnFlameView flames(profile);
  const FlamePicture picture(flames.view());
  REQUIRE(find(picture, "deep(int)") != nullptr);
  CHECK(picture.tooltip(*find(picture, "deep(int)")) ==
        "deep(int)\n15 of 17 samples (88.2 %), 8 in itself\napp /src/app/deep.h:7 (inlined)");
  CHECK(picture.tooltip(*find(picture, "vfs_read")) == "vfs_read\n7 of 17 samples (41.2 %), 7 in itself\n[kernel]");
  CHECK(picture.tooltip(*find(picture, "app (77)")) == "app (77)\n17 of 17 samples (100.0 %)");
}

TEST_CASE("a comparison has the colours of the changes and shows the earlier shares") {
  Profile before;
  add_stack(before, 1, 50);  // f0_0, then f1_0
  add_stack(before, 1, 50);
  Profile now;
  add_stack(now, 1, 30);
  add_stack(now, 1, 170);
  const OwnFlameView flames(now, &before);
  const FlamePicture picture(flames.view());
  const PictureBox* const smaller = find(picture, "f0_0");
  const PictureBox* const larger = find(picture, "f1_0");
  REQUIRE((smaller != nullptr && larger != nullptr));
  CHECK(find(picture, "all")->fill == paper);
  CHECK(smaller->fill == colour_of_change(0.5, 0.15));
  CHECK(smaller->fill.blue > smaller->fill.red);
  CHECK(larger->fill.red > larger->fill.blue);
  CHECK(picture.tooltip(*larger) == "f1_0\n170 of 200 samples (85.0 %), 170 in itself\n+35.0 points, from 50.0 %");
  CHECK(says(picture, "smaller share than before"));
}

TEST_CASE("boxes that are too narrow are left out and counted") {
  Profile profile;
  add_stack(profile, 1, 1'000'000);
  add_stack(profile, 5, 10);
  add_stack(profile, 1, 10);
  const OwnFlameView flames(profile);
  const FlamePicture picture(flames.view());
  CHECK(says(picture, "left out: 6 boxes narrower than 0.1 px (<0.01 %)"));
  CHECK(find(picture, "f0_0") != nullptr);
  CHECK(find(picture, "f2_0") == nullptr);
}

TEST_CASE("deep stacks make a higher picture, then lower rows, and the rest is left out and counted") {
  const auto height_of = [](std::size_t depth, const PictureSize& size, std::string_view note) {
    Profile profile;
    add_stack(profile, depth, 3);
    add_stack(profile, 1, 1);
    const OwnFlameView flames(profile);
    const FlamePicture picture(flames.view(), size);
    check_inside(picture);
    CHECK((note.empty() ? !says(picture, "left out") : says(picture, note)));
    return picture.height();
  };
  CHECK(height_of(500, {}, "") > 500 * 16);
  CHECK(height_of(2000, {}, "") == 16'000);
  CHECK(height_of(20'000, {}, "boxes above level 39") == 16'000);
  CHECK(height_of(10, {.width = 1200, .height = 800}, "") == 800);
  CHECK(height_of(100, {.width = 1200, .height = 800}, "") == 800);
  CHECK(height_of(400, {.width = 1200, .height = 800}, "(75.0 %)") == 800);
}

TEST_CASE("the legend has only the drawn kinds, and names a tag by its word") {
  const auto legend_of = [](const Profile& profile) {
    const OwnFlameView flames(profile);
    const FlamePicture picture(flames.view());
    const auto patches = std::count_if(picture.boxes().begin(), picture.boxes().end(),
                                       [](const PictureBox& box) { return box.shows == nullptr; });
    // The texts of the legend are written last.
    std::vector<std::string> words;
    for (auto text = picture.texts().end() - patches; text != picture.texts().end(); ++text)
      words.push_back(text->text);
    return words;
  };
  using Words = std::vector<std::string>;
  Profile plain;
  add_stack(plain, 3, 10);
  CHECK(legend_of(plain) == Words{"user", "process"});
  Row row = plain.rows()[0];
  row.tag = plain.strings.intern("read");
  plain.run.tag = "system call";
  plain.add(row);
  CHECK(legend_of(plain) == Words{"user", "system call", "process"});
  CHECK(legend_of(test::fixed_profile()) == Words{"user", "kernel", "JIT", "unnamed", "process"});
  CHECK(legend_of(Profile()).empty());
}

TEST_CASE("the picture of a profile without samples shows that nothing was recorded") {
  const Profile profile;
  const OwnFlameView flames(profile);
  const FlamePicture picture(flames.view());
  CHECK(says(picture, "Nothing was recorded."));
  CHECK(find(picture, "all") == nullptr);
}

TEST_CASE("a name always has the same colour, and each kind has its own hue") {
  CHECK(hash_of_name("") == 0x811c9dc5);
  CHECK(hash_of_name("a") == 0xe40c292c);
  CHECK(hash_of_name("foobar") == 0xbf9cf968);
  CHECK(colour_of(FlameKind::user, "main") == colour_of(FlameKind::user, "main"));
  // hsl(22, 88%, 72%) and hsl(142, 44%, 68%), as a browser has them.
  CHECK(colour_of(FlameKind::user) == Colour{246, 167, 121});
  CHECK(colour_of(FlameKind::jit) == Colour{137, 209, 164});
  // 0xe40c292c modulo 12 is 4: hsl(205.09, 58%, 70.77%).
  CHECK(colour_of(FlameKind::kernel, "a") == Colour{137, 188, 224});
}

TEST_CASE("an unchanged share is white, and a change by a tenth of the total has the full colour") {
  CHECK(colour_of_change(0.25, 0.25) == Colour{255, 255, 255});
  CHECK(colour_of_change(0, 0.1) == Colour{238, 110, 86});
  CHECK(colour_of_change(0, 1) == Colour{238, 110, 86});
  CHECK(colour_of_change(0.7, 0.2) == Colour{92, 155, 232});
  CHECK(colour_of_change(0, 0.025) == Colour{247, 183, 171});  // half of the full colour: the square root of a quarter
}

TEST_CASE("names are cut between characters, never before a combining character") {
  const std::string dots = "\xe2\x80\xa6";
  CHECK(cut_to_cells("main", 4) == "main");
  CHECK(cut_to_cells("main", 3) == "ma" + dots);
  CHECK(cut_to_cells("main", 1).empty());
  CHECK(cut_to_cells("main", 0).empty());
  CHECK(cut_to_cells("", 0).empty());
  CHECK(cut_to_cells("\xce\xbb\xce\xbb\xce\xbb", 2) == "\xce\xbb" + dots);  // λλλ
  CHECK(cut_to_cells("e\xcc\x81"
                     "e\xcc\x81"
                     "e\xcc\x81",
                     3) ==
        "e\xcc\x81"
        "e\xcc\x81"
        "e\xcc\x81");  // e + acute
  CHECK(cut_to_cells("e\xcc\x81"
                     "e\xcc\x81"
                     "e\xcc\x81",
                     2) == "e\xcc\x81" + dots);
  CHECK(cells_of("\xe6\xbc\xa2\xe5\xad\x97") == 4);  // 漢字
  CHECK(cut_to_cells("\xe6\xbc\xa2\xe5\xad\x97", 3) == "\xe6\xbc\xa2" + dots);
  CHECK(cut_to_cells("\xe6\xbc\xa2\xe5\xad\x97", 2).empty());
  CHECK(cells_of("\xf0\x9f\x94\xa5"
                 "a") == 3);  // a flame
}

TEST_CASE("a picture with a clock has its size and shows in its corner when the profile began") {
  Profile profile = test::wall_profile();
  profile.began_unix_ns = 1'700'000'000'000'000'000;
  profile.run.headline = std::string(300, 'w');
  const OwnFlameView flames(profile);
  const FlamePicture picture(flames.view(), {.width = 1280, .height = 720, .has_clock = true});
  CHECK(picture.width() == 1280);
  CHECK(picture.height() == 720);
  CHECK(says(picture, "22:13:20 UTC"));
  check_inside(picture);
  // The title ends before the clock.
  const auto clock = std::ranges::find(picture.texts(), "22:13:20 UTC", &PictureText::text);
  const auto title =
      std::ranges::find_if(picture.texts(), [](const auto& text) { return text.text.starts_with("www"); });
  REQUIRE((clock != picture.texts().end() && title != picture.texts().end()));
  CHECK(title->x + static_cast<double>(cells_of(title->text)) * cell_width * title->size < clock->x);
  CHECK_FALSE(says(FlamePicture(flames.view()), "22:13:20 UTC "));
}

TEST_CASE("numbers and shares are formatted for readers") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(18446744073709551615ULL) == "18,446,744,073,709,551,615");
  CHECK(share_of(0, 0) == "0.00 %");
  CHECK(share_of(1, 1'000'000) == "<0.01 %");
  CHECK(share_of(1, 3) == "33.3 %");
  CHECK(share_of(1, 30) == "3.33 %");
}
