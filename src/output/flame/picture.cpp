// Top: title, totals, command line, left-out boxes and legend, always as many lines, so that the frames of a film do
// not jump. Bottom: the boxes; the root box is the lowest.
#include "output/flame/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "output/header.h"
#include "output/text_cells.h"
#include "output/text_table.h"
#include "support/plural.h"

namespace profile {
namespace {

constexpr double margin = 10;
constexpr double title_size = 16;
constexpr double text_size = 12;
constexpr double title_line = 26;  // baseline of the title
constexpr double line_height = 17;
constexpr double header_height = title_line + 4 * line_height + 16;
// Possible row heights. The lower ones are used only if the picture has too little room for the stacks.
constexpr std::array<double, 5> row_heights{16, 12, 8, 6, 4};
constexpr double least_row_with_text = 12;
constexpr double letter_part = 0.75;  // letter height, as a part of the row height
constexpr double row_gap = 1;
constexpr double label_margin = 3;
constexpr double narrowest = 0.1;  // narrower boxes are not drawn

constexpr std::size_t shortest_cut_label = 3;  // in cells; a shorter cut label is useless

unsigned even(double size) { return static_cast<unsigned>(std::ceil(size / 2)) * 2; }

}  // namespace

FlamePicture::FlamePicture(const FlameView& view, const PictureSize& size)
    : view_(view),
      graph_(view.before == nullptr ? FlameGraph(*view.table, view.cells)
                                    : FlameGraph(*view.table, view.cells, view.before_cells, view.changes)) {
  choose_size(size);
  draw_boxes();
  if (size.has_clock) draw_clock();
  draw_header();
  draw_legend();
}

void FlamePicture::choose_size(const PictureSize& size) {
  width_ = even(std::clamp(size.width, least_picture_width, greatest_picture_size));
  right_ = title_right_ = width_ - margin;
  const double around = header_height + margin;
  const double asked = graph_.depth() + 1.0;  // number of levels
  const double least = around + row_heights.front();
  height_ = even(std::clamp(size.height != 0 ? size.height : around + asked * row_heights.front(), least,
                            static_cast<double>(greatest_picture_size)));
  const double room = height_ - around;
  const auto* const fits =
      std::find_if(row_heights.begin(), row_heights.end(), [&](double row) { return asked * row <= room; });
  row_ = fits == row_heights.end() ? row_heights.back() : *fits;
  levels_ = static_cast<std::uint32_t>(std::min(asked, std::floor(room / row_)));
}

void FlamePicture::draw_boxes() {
  if (graph_.total() == 0) return;
  const double scale = (width_ - 2 * margin) / static_cast<double>(graph_.total());
  const std::vector<FlameBox>& boxes = graph_.boxes();
  for (std::size_t i = 0; i < boxes.size();) {
    const FlameBox& box = boxes[i];
    const double width = static_cast<double>(box.total) * scale;
    const bool is_high = box.depth >= levels_;
    if (!is_high && width >= narrowest) {
      draw_box(box, margin + static_cast<double>(box.start) * scale, width);
      ++i;
      continue;
    }
    // All boxes on this one are also too high or too narrow.
    LeftOut& left_out = is_high ? high_ : narrow_;
    left_out.value += box.total;
    do {
      ++left_out.boxes;
      ++i;
    } while (i < boxes.size() && boxes[i].depth > box.depth);
  }
}

void FlamePicture::draw_box(const FlameBox& box, double x, double width) {
  const std::string name = graph_.name_of(box);
  // Leaves a gap on the right side. The gap of a narrow box is smaller, so that the box stays visible.
  PictureBox drawn;
  drawn.x = x;
  drawn.y = height_ - margin - (box.depth + 1) * row_;
  drawn.width = width - std::min(0.5, width / 4);
  drawn.height = row_ - row_gap;
  drawn.shows = &box;
  // The root box is the whole in both profiles.
  if (view_.changes != nullptr && box.depth != 0 && (box.change == nullptr || !box.change->is_sure)) {
    drawn.fill = unsure_change;
  } else if (graph_.is_comparison()) {
    drawn.fill = colour_of_change(ratio(box.before, graph_.total_before()), ratio(box.total, graph_.total()));
  } else {
    drawn.fill = colour_of(graph_.kind_of(box), name);
  }
  const double room = width - 2 * label_margin;
  if (row_ >= least_row_with_text && room > 0) {
    const auto cells = static_cast<std::size_t>(room / (cell_width * label_size()));
    std::string label = cut_to_cells(name, cells);
    if (label.size() == name.size() || cells >= shortest_cut_label) drawn.label = std::move(label);
  }
  boxes_.push_back(std::move(drawn));
}

void FlamePicture::write(double x, double y, double size, Colour colour, const std::string& text) {
  const auto cells = static_cast<std::size_t>(std::max(0.0, right_ - x) / (cell_width * size));
  const std::string cut = cut_to_cells(text, cells);
  texts_.push_back(
      {.x = x, .y = y, .size = size, .colour = colour, .text = cut, .whole = cut == text ? std::string() : text});
}

std::string FlamePicture::notes() const {
  std::string text;
  const auto add = [&text](const std::string& note) { text += (text.empty() ? "" : "; ") + note; };
  const auto left_out = [&](const LeftOut& what, const std::string& why) {
    if (what.boxes == 0) return;
    add("left out: " + grouped(what.boxes) + plural(what.boxes, " box", " boxes") + why + " (" +
        share_of(what.value, graph_.total()) + ")");
  };
  left_out(narrow_, " narrower than " + decimal(narrowest) + " px");
  left_out(high_, " above level " + std::to_string(levels_));
  if (graph_.only_before() != 0) {
    add("gone, and without a box: " + share_of(graph_.only_before(), graph_.total_before()) + " of before");
  }
  return text;
}

// "06:12:33 UTC" in the upper right corner; the title ends before it.
void FlamePicture::draw_clock() {
  const std::string clock = clock_time_of(view_.profile->began_unix_ns);
  if (clock.empty()) return;
  const double x = right_ - static_cast<double>(clock.size()) * cell_width * title_size;
  write(x, title_line, title_size, ink, clock);
  title_right_ = x - 2 * cell_width * title_size;
}

void FlamePicture::draw_header() {
  const FlameCaption caption = caption_of(view_, graph_);
  double y = title_line;
  const double right = std::exchange(right_, title_right_);
  write(margin, y, title_size, ink, caption.title);
  right_ = right;
  for (const std::string& line :
       {caption.totals, caption.command.empty() ? std::string() : "$ " + caption.command, notes()}) {
    y += line_height;
    if (!line.empty()) write(margin, y, text_size, faint_ink, line);
  }
  if (graph_.total() == 0) write(margin, height_ - margin - 4, text_size, ink, "Nothing was recorded.");
}

void FlamePicture::draw_legend() {
  constexpr double patch = 10;
  double x = margin;
  const double y = title_line + 4 * line_height;
  const auto entry = [&](Colour colour, std::string_view words) {
    boxes_.push_back({.x = x, .y = y - patch + 1, .width = patch, .height = patch, .fill = colour, .label = {}});
    write(x + patch + 5, y, text_size, faint_ink, std::string(words));
    x += patch + 5 + (static_cast<double>(words.size()) + 2) * cell_width * text_size;
  };
  if (graph_.is_comparison()) {
    entry(colour_of_change(0.1, 0), "smaller share than before");
    entry(colour_of_change(0, 0), "unchanged");
    entry(colour_of_change(0, 0.1), "larger share");
    if (view_.changes != nullptr) entry(unsure_change, "the change may be chance");
    return;
  }
  std::set<FlameKind> drawn;  // the legend has added no boxes yet
  for (const PictureBox& box : boxes_) drawn.insert(graph_.kind_of(*box.shows));
  for (const FlameKind kind : drawn) entry(colour_of(kind), word_of(kind, view_.profile->run));
}

double FlamePicture::label_size() const { return row_ * letter_part; }
double FlamePicture::label_x(const PictureBox& box) const { return box.x + label_margin; }
double FlamePicture::label_y(const PictureBox& box) const { return box.y + box.height - row_ / 4; }

}  // namespace profile
