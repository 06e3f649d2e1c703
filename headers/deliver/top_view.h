// `--top`: a live view in the terminal, like top: the functions that take most, by themselves and with what they call,
// the processes, the stacks. Drawn by ncurses.
#pragma once

#include <memory>

#include "model/profile.h"

namespace profile {

class TopView {
 public:
  // Takes the terminal over. Throws Error when stdin and stdout are none.
  explicit TopView(const RunInfo& run);
  ~TopView();  // gives the terminal back as it was
  TopView(const TopView&) = delete;
  TopView& operator=(const TopView&) = delete;

  // What was sampled since the last call; symbolised.
  void add(const Profile& profile);
  // Readable when a key was pressed, or when the terminal takes again what it did not take before.
  [[nodiscard]] int poll_fd() const;
  // Takes the keys that were pressed, and goes on drawing. False when the person wants to quit.
  [[nodiscard]] bool on_ready();
  // The terminal may have another size now (SIGWINCH).
  void on_resize();

 private:
  class Screen;
  std::unique_ptr<Screen> screen_;
};

}  // namespace profile
