// How large the pictures of flame graphs are.
#pragma once

namespace profile {

// In pixels. A given height is kept within fixed limits: rows become lower, and boxes that still do not fit are left
// out and counted. 0: as high as the stacks need, up to the limit.
struct PictureSize {
  unsigned width = 1200;
  unsigned height = 0;
  bool has_clock = false;  // the time at which the profile began is in the corner
};

inline constexpr unsigned least_picture_width = 500;  // room for the legend
inline constexpr unsigned least_picture_height = 200;
// Limit of width and height: about half of the limit of cairo's surfaces. An image of 1,200 by 16,000 pixels takes 77
// MB while it is drawn as PNG.
inline constexpr unsigned greatest_picture_size = 16'000;

}  // namespace profile
