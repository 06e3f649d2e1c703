// A flame graph in pixels, computed once for all kinds of pictures: whoever draws, fills the boxes and writes the texts
// as they stand here and decides nothing. So svg and png are the same picture.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "output/flame/caption.h"
#include "output/flame/colours.h"
#include "output/flame/graph.h"
#include "output/flame/view.h"

namespace profile {

// In pixels. A height that is given is kept, whatever is in the picture: rows become lower, and what has no place even
// then is left out and counted. 0: as high as the stacks ask for, within reason.
struct PictureSize {
  unsigned width = 1200;
  unsigned height = 0;
};

struct PictureBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Colour fill;
  std::string label;                // cut to the box; empty where there is no room
  const FlameBox* shows = nullptr;  // nullptr: a patch of the legend
};

struct PictureText {
  double x = 0;
  double y = 0;  // of the line that the letters stand on
  double size = 0;
  Colour colour;
  std::string text;   // cut to the picture
  std::string whole;  // what it was cut from; empty if it was not
};

class FlamePicture {
 public:
  // What `view` refers to must outlive it.
  explicit FlamePicture(const FlameView& view, const PictureSize& size = {});
  FlamePicture(const FlamePicture&) = delete;
  FlamePicture& operator=(const FlamePicture&) = delete;

  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] unsigned height() const { return height_; }  // even
  [[nodiscard]] const std::vector<PictureBox>& boxes() const { return boxes_; }
  [[nodiscard]] const std::vector<PictureText>& texts() const { return texts_; }
  [[nodiscard]] const FlameGraph& graph() const { return graph_; }
  [[nodiscard]] Colour background() const { return graph_.is_comparison() ? comparison_paper : paper; }
  // Where the label of a box begins, and the size of its letters.
  [[nodiscard]] double label_x(const PictureBox& box) const;
  [[nodiscard]] double label_y(const PictureBox& box) const;
  [[nodiscard]] double label_size() const;
  // Of a box of the graph.
  [[nodiscard]] std::string tooltip(const PictureBox& box) const { return tooltip_of(view_, graph_, *box.shows); }

 private:
  // How many boxes, and how much of the total they are.
  struct LeftOut {
    std::uint64_t boxes = 0;
    std::uint64_t value = 0;
  };

  void choose_size(const PictureSize& size);
  void draw_boxes();
  void draw_box(const FlameBox& box, double x, double width);
  void draw_header();
  void draw_legend();
  void write(double x, double y, double size, Colour colour, const std::string& text);
  [[nodiscard]] std::string notes() const;

  FlameView view_;
  FlameGraph graph_;
  unsigned width_ = 0;
  unsigned height_ = 0;
  double row_ = 0;            // height of a level
  std::uint32_t levels_ = 0;  // that are drawn
  LeftOut narrow_;
  LeftOut high_;
  std::vector<PictureBox> boxes_;
  std::vector<PictureText> texts_;
};

// As SVG, in flame/svg.cpp, and as PNG, in picture/png.cpp.
void draw_svg(std::ostream& out, const FlamePicture& picture);
void draw_png(std::ostream& out, const FlamePicture& picture);

// Of the module that has cairo: support/module.h.
struct PictureModule {
  static constexpr std::string_view module = "picture";
  decltype(&draw_png) draw;
};

}  // namespace profile
