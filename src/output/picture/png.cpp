// Draws the picture as PNG with cairo. Without an installed font the boxes have no texts.
#include <cairo.h>

#include <memory>
#include <ostream>
#include <string>

#include "output/flame/picture.h"
#include "support/error.h"
#include "support/module.h"

namespace profile {
namespace {

struct Destroy {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;
using FontOptions = std::unique_ptr<cairo_font_options_t, Destroy>;

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(std::string("cannot draw the flame graph as PNG: ") + cairo_status_to_string(status));
}

void use(cairo_t* context, const Colour& colour) {
  cairo_set_source_rgb(context, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
}

void draw_boxes(cairo_surface_t* surface, const FlamePicture& picture) {
  const Context context(cairo_create(surface));
  use(context.get(), picture.background());
  cairo_paint(context.get());
  for (const PictureBox& box : picture.boxes()) {
    use(context.get(), box.fill);
    cairo_rectangle(context.get(), box.x, box.y, box.width, box.height);
    cairo_fill(context.get());
  }
  check(cairo_status(context.get()));
}

// Texts use their own context: a cairo context in an error state draws nothing more, and a font error must not remove
// the boxes.
void draw_texts(cairo_surface_t* surface, const FlamePicture& picture) {
  const Context context(cairo_create(surface));
  cairo_select_font_face(context.get(), "DejaVu Sans Mono", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  // Turns off rounding to pixels, so that letters have the width that the layout expects.
  const FontOptions options(cairo_font_options_create());
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context.get(), options.get());
  const auto write = [&context](double x, double y, const std::string& text) {
    cairo_move_to(context.get(), x, y);
    cairo_show_text(context.get(), text.c_str());
  };
  use(context.get(), ink);
  cairo_set_font_size(context.get(), picture.label_size());
  for (const PictureBox& box : picture.boxes()) {
    if (!box.label.empty()) write(picture.label_x(box), picture.label_y(box), box.label);
  }
  for (const PictureText& text : picture.texts()) {
    use(context.get(), text.colour);
    cairo_set_font_size(context.get(), text.size);
    write(text.x, text.y, text.text);
  }
}

cairo_status_t write_bytes(void* to, const unsigned char* bytes, unsigned count) noexcept {
  try {
    auto& out = *static_cast<std::ostream*>(to);
    out.write(reinterpret_cast<const char*>(bytes), count);
    return out ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
  } catch (...) {
    return CAIRO_STATUS_WRITE_ERROR;
  }
}

constexpr PictureModule functions{.draw = draw_png};

}  // namespace

void draw_png(std::ostream& out, const FlamePicture& picture) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(picture.width()),
                                                   static_cast<int>(picture.height())));
  check(cairo_surface_status(surface.get()));
  draw_boxes(surface.get(), picture);
  draw_texts(surface.get(), picture);
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), write_bytes, &out);
  // The owner of the stream checks it for write errors.
  if (status != CAIRO_STATUS_WRITE_ERROR) check(status);
}

extern "C" const ModuleEntry profile_module_picture{.version = PROFILE_VERSION, .functions = &functions};

}  // namespace profile
