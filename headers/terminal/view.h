// `--top`: a live view in the terminal, like top. It shows the functions that cost most (self and total), the processes
// and the stacks. ncurses draws it.
#pragma once

#include <memory>
#include <string_view>

#include "model/profile.h"

namespace profile {

class TopView {
 public:
  virtual ~TopView() = default;  // restores the terminal

  // `profile` holds the samples since the last call, symbolised.
  virtual void add(const Profile& profile) = 0;
  // Readable when a key was pressed, or when a terminal that was blocked accepts output again.
  [[nodiscard]] virtual int poll_fd() const = 0;
  // Handles the pressed keys and continues to draw. False when the user quits or the terminal is closed.
  [[nodiscard]] virtual bool on_ready() = 0;
  // The terminal may have another size now (SIGWINCH).
  virtual void on_resize() = 0;
};

// Throws Error when stdin or stdout is not a terminal, or not one that can be drawn on.
void check_top_terminal();
// Takes over the terminal. Throws Error when that fails.
std::unique_ptr<TopView> make_top_view(const RunInfo& run);

// The interface of the module that contains ncurses (support/module.h).
struct TopViewModule {
  static constexpr std::string_view module = "terminal";
  decltype(&check_top_terminal) check;
  decltype(&make_top_view) make;
};

}  // namespace profile
