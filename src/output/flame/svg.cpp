// Draws the picture as SVG. It fetches nothing and is valid XML for any names; texts can be selected and searched, and
// boxes have tooltips. The picture is complete without its script.
#include <charconv>
#include <ostream>
#include <string>
#include <string_view>

#include "output/clean_text.h"
#include "output/flame/picture.h"
#include "output/flame/svg_script.h"
#include "output/shown_frame.h"

namespace profile {
namespace {

// "12.5": at most two decimals.
void append_pixels(std::string& out, double value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 2);
  std::string_view text(digits, error == std::errc() ? static_cast<std::size_t>(end - digits) : 0);
  while (text.ends_with('0')) text.remove_suffix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  out += text;
}

void append_colour(std::string& out, const Colour& colour) {
  out += '#';
  for (const std::uint8_t channel : {colour.red, colour.green, colour.blue}) append_all(out, hex(channel, 2));
}

class Svg {
 public:
  Svg(std::ostream& out, const FlamePicture& picture) : out_(out), picture_(picture) {}

  void write() {
    head();
    for (const PictureText& text : picture_.texts()) {
      text_ += text.whole.empty() ? "" : "<g>";
      if (!text.whole.empty()) element("title", text.whole);
      begin_text(text.x, text.y);
      number("font-size", text.size);
      colour("fill", text.colour);
      end_text(text.text);
      text_ += text.whole.empty() ? "\n" : "</g>\n";
      flush();
    }
    text_ += "<g";
    number("font-size", picture_.label_size());
    colour("fill", ink);
    text_ += ">\n";
    for (const PictureBox& box : picture_.boxes()) {
      draw(box);
      flush();
    }
    text_ += "</g>\n";
    if (picture_.graph().total() != 0) text_.append("<script><![CDATA[").append(svg_script).append("]]></script>\n");
    text_ += "</svg>\n";
    flush();
  }

 private:
  void head() {
    text_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"";
    number("width", picture_.width());
    number("height", picture_.height());
    text_ += " viewBox=\"0 0 " + std::to_string(picture_.width()) + ' ' + std::to_string(picture_.height()) + '"';
    // xml:space keeps the blanks in names.
    text_ += " font-family=\"DejaVu Sans Mono, monospace\" xml:space=\"preserve\">\n<rect";
    number("width", picture_.width());
    number("height", picture_.height());
    colour("fill", picture_.background());
    text_ += "/>\n";
  }

  void draw(const PictureBox& box) {
    if (box.shows != nullptr) {
      text_ += "<g>";
      element("title", picture_.tooltip(box));
    }
    text_ += "<rect";
    number("x", box.x);
    number("y", box.y);
    number("width", box.width);
    number("height", box.height);
    colour("fill", box.fill);
    if (box.shows != nullptr) {
      text_ += " data-start=\"" + std::to_string(box.shows->start) + "\" data-total=\"" +
               std::to_string(box.shows->total) + '"';
    }
    text_ += "/>";
    if (!box.label.empty()) {
      begin_text(picture_.label_x(box), picture_.label_y(box));
      end_text(box.label);
    }
    text_ += box.shows == nullptr ? "\n" : "</g>\n";
  }

  void element(std::string_view name, std::string_view text) {
    text_.append("<").append(name).append(">");
    append_markup(text_, text);
    text_.append("</").append(name).append(">");
  }
  void begin_text(double x, double y) {
    text_ += "<text";
    number("x", x);
    number("y", y);
  }
  void end_text(std::string_view text) {
    text_ += '>';
    append_markup(text_, text);
    text_ += "</text>";
  }
  void number(std::string_view attribute, double value) {
    text_.append(" ").append(attribute).append("=\"");
    append_pixels(text_, value);
    text_ += '"';
  }
  void colour(std::string_view attribute, const Colour& value) {
    text_.append(" ").append(attribute).append("=\"");
    append_colour(text_, value);
    text_ += '"';
  }
  void flush() {
    out_ << text_;
    text_.clear();
  }

  std::ostream& out_;
  const FlamePicture& picture_;
  std::string text_;
};

}  // namespace

void draw_svg(std::ostream& out, const FlamePicture& picture) { Svg(out, picture).write(); }

void write_flame_svg(std::ostream& out, const FlameView& view) { draw_svg(out, FlamePicture(view)); }

}  // namespace profile
