#include "app/progress.h"

#include <unistd.h>

#include <cstdio>

namespace profile {

Progress::Progress(bool enabled) : shown_(enabled && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(double elapsed_s, std::optional<double> total_s, std::uint64_t samples, std::uint64_t stacks) {
  if (!shown_) return;
  std::fprintf(stderr, "\r\033[K%.1f", elapsed_s);
  if (total_s) std::fprintf(stderr, "/%g", *total_s);
  std::fprintf(stderr, " s  %llu samples  %llu stacks%s", static_cast<unsigned long long>(samples),
               static_cast<unsigned long long>(stacks), total_s ? "" : "  Ctrl-C ends");
  std::fflush(stderr);
  on_screen_ = true;
}

void Progress::clear() {
  if (!on_screen_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  on_screen_ = false;
}

}  // namespace profile
