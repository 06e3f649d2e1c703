// A flame graph in pixels, computed once for all picture formats. The SVG and PNG code only draw its boxes and texts,
// so both show the same picture.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "output/flame/colours.h"
#include "output/flame/graph.h"
#include "output/flame/view.h"
#include "output/picture_size.h"

namespace profile {

// Lines of clean text, without newlines.
struct FlameCaption {
  std::string title;    // what was measured
  std::string totals;   // the total value and the account of the run
  std::string command;  // command line of the profiler; empty when not known
};

[[nodiscard]] FlameCaption caption_of(const FlameView& view, const FlameGraph& graph);
// Several lines: the whole name; value and share; module and source line; in a comparison the change of the share.
[[nodiscard]] std::string tooltip_of(const FlameView& view, const FlameGraph& graph, const FlameBox& box);

// "4,700,000"
[[nodiscard]] std::string grouped(std::uint64_t number);
// "12.3 %", "1.23 %". A share above 0 never reads as 0: "<0.01 %".
[[nodiscard]] std::string share_of(std::uint64_t part, std::uint64_t whole);

struct PictureBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Colour fill;
  std::string label;                // cut to the box; empty if no text fits
  const FlameBox* shows = nullptr;  // nullptr: a colour patch of the legend
};

struct PictureText {
  double x = 0;
  double y = 0;  // of the baseline
  double size = 0;
  Colour colour;
  std::string text;   // cut to the width of the picture
  std::string whole;  // the text before the cut; empty if nothing was cut
};

class FlamePicture {
 public:
  // The objects that `view` points to must outlive this object.
  explicit FlamePicture(const FlameView& view, const PictureSize& size = {});
  FlamePicture(const FlamePicture&) = delete;
  FlamePicture& operator=(const FlamePicture&) = delete;

  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] unsigned height() const { return height_; }  // even
  [[nodiscard]] const std::vector<PictureBox>& boxes() const { return boxes_; }
  [[nodiscard]] const std::vector<PictureText>& texts() const { return texts_; }
  [[nodiscard]] const FlameGraph& graph() const { return graph_; }
  [[nodiscard]] Colour background() const { return graph_.is_comparison() ? comparison_paper : paper; }
  // Position and letter size of the label of a box.
  [[nodiscard]] double label_x(const PictureBox& box) const;
  [[nodiscard]] double label_y(const PictureBox& box) const;
  [[nodiscard]] double label_size() const;
  // `box` must be a box of the graph: box.shows is not nullptr.
  [[nodiscard]] std::string tooltip(const PictureBox& box) const { return tooltip_of(view_, graph_, *box.shows); }

 private:
  // Boxes that are not drawn, and their part of the total.
  struct LeftOut {
    std::uint64_t boxes = 0;
    std::uint64_t value = 0;
  };

  void choose_size(const PictureSize& size);
  void draw_boxes();
  void draw_box(const FlameBox& box, double x, double width);
  void draw_header();
  void draw_clock();
  void draw_legend();
  void write(double x, double y, double size, Colour colour, const std::string& text);
  [[nodiscard]] std::string notes() const;

  FlameView view_;
  FlameGraph graph_;
  unsigned width_ = 0;
  unsigned height_ = 0;
  double right_ = 0;          // where the texts end
  double title_right_ = 0;    // where the title ends
  double row_ = 0;            // height of a level
  std::uint32_t levels_ = 0;  // number of levels that are drawn
  LeftOut narrow_;
  LeftOut high_;
  std::vector<PictureBox> boxes_;
  std::vector<PictureText> texts_;
};

// draw_svg is in flame/svg.cpp, draw_png in picture/png.cpp.
void draw_svg(std::ostream& out, const FlamePicture& picture);
void draw_png(std::ostream& out, const FlamePicture& picture);

// The functions of the module that links cairo (support/module.h).
struct PictureModule {
  static constexpr std::string_view module = "picture";
  decltype(&draw_png) draw;
};

}  // namespace profile
