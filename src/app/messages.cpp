#include "app/messages.h"

#include <utility>

#include "app/print.h"
#include "support/plural.h"

namespace profile {
namespace {

constexpr std::size_t most_unsaid = 100;

}  // namespace

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

void Messages::note(const std::string& text) {
  if (!quiet_) say(text);
}

void Messages::release() {
  is_held_ = false;
  if (left_out_ != 0) say("profile: " + number_of(std::exchange(left_out_, 0), "earlier line") + " left out");
  for (const std::string& text : std::exchange(unsaid_, {})) say(text);
}

}  // namespace profile
