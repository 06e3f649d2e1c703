#include "app/messages.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "app/print.h"
#include "support/plural.h"

namespace profile {
namespace {

constexpr std::size_t most_unsaid = 100;

}  // namespace

Progress::Progress(bool enabled) : shown_(enabled && ::isatty(STDERR_FILENO) == 1) {}

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

void Messages::say(const std::string& text) {
  if (is_held_) {
    unsaid_.push_back(text);
    if (unsaid_.size() > most_unsaid) {
      unsaid_.pop_front();
      ++left_out_;
    }
    return;
  }
  progress_.clear();
  profile::say(text);
}

void Messages::note(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) note(line);
}

void Messages::note(const std::string& text) {
  if (!quiet_) say(text);
}

void Messages::begin_line() {
  if (!quiet_ && !progress_.is_shown() && ::isatty(STDERR_FILENO) == 1) std::fputc('\n', stderr);
}

void Messages::release() {
  is_held_ = false;
  if (left_out_ != 0) say("profile: " + number_of(std::exchange(left_out_, 0), "earlier line") + " left out");
  for (const std::string& text : std::exchange(unsaid_, {})) say(text);
}

}  // namespace profile
