#include "app/messages.h"

#include <cstdio>
#include <utility>

#include "output/clean_text.h"

namespace profile {

void Messages::say(const std::string& text) {
  if (is_held_) {
    unsaid_.push_back(text);
    return;
  }
  progress_.clear();
  std::fprintf(stderr, "%s\n", clean_text(text).c_str());
}

void Messages::note(const std::string& text) {
  if (!quiet_) say(text);
}

void Messages::release() {
  is_held_ = false;
  for (const std::string& text : std::exchange(unsaid_, {})) say(text);
}

}  // namespace profile
