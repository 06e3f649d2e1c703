// The terminal of --top, drawn by ncurses. The constructor takes over the terminal and the destructor restores it. The
// global state of ncurses stays inside, so only one TopScreen can exist at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <signal.h>
#include <termios.h>

#include "support/fd.h"
#include "terminal/output.h"
#include "terminal/page.h"

// Declared as in <ncurses.h>, which is not included here because of its macros.
struct screen;

namespace profile {

// The type of the terminal of stdin and stdout (TERM), checked before the first byte is written to it. Throws Error
// when one of them is not a terminal, when the type is unknown, or when the terminal cannot move its cursor.
[[nodiscard]] std::string checked_terminal_type();

class TopScreen {
 public:
  // Throws Error when stdin or stdout is not a terminal, or when the terminal cannot be drawn on.
  TopScreen();
  ~TopScreen();

  // Readable when there is input, or when a terminal that was blocked accepts output again.
  [[nodiscard]] int poll_fd() const { return ready_.get(); }
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::size_t height() const;

  // Draws nothing while the terminal has not accepted all earlier output; see flush().
  void draw(const std::vector<TopLine>& lines);
  // Writes more of the pending output. True when a draw() was skipped because of it and can be done now.
  [[nodiscard]] bool flush();
  // The next draw() sends the whole screen again.
  void forget_drawn();
  // Reads the terminal's new size.
  void resize();

  struct Input {
    TopKey key = TopKey::character;
    char32_t character = 0;
  };
  // The next key that was pressed; nullopt: no key is waiting.
  [[nodiscard]] std::optional<Input> next_input();
  // The terminal has gone, so no key can be pressed any more.
  [[nodiscard]] bool is_closed() const;

 private:
  // Restores the signal handlers that ncurses replaces, because the event loop reads these signals.
  class KeptSignals {
   public:
    KeptSignals();
    ~KeptSignals();
    void put_back();  // except for Ctrl-Z: the handler of ncurses restores the terminal while we are stopped

   private:
    std::map<int, struct sigaction> kept_;  // by signal
  };

  void start_colors();
  void adapt_terminal();
  [[nodiscard]] unsigned attributes_of(TopStyle style) const;

  termios before_{};
  TerminalOutput output_;
  Fd ready_;
  bool is_overdue_ = false;
  KeptSignals signals_;
  ::screen* screen_ = nullptr;
  bool has_colors_ = false;
};

}  // namespace profile
