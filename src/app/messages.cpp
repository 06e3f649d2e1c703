#include "app/messages.h"

#include <utility>

#include "app/print.h"

namespace profile {

void Messages::say(const std::string& text) {
  if (is_held_) {
    unsaid_.push_back(text);
    return;
  }
  progress_.clear();
  profile::say(text);
}

void Messages::note(const std::string& text) {
  if (!quiet_) say(text);
}

void Messages::release() {
  is_held_ = false;
  for (const std::string& text : std::exchange(unsaid_, {})) say(text);
}

}  // namespace profile
