// The terminal of --top, by ncurses: taken over by the constructor, given back as it was by the destructor. What is
// global in ncurses stays inside; there is one at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <signal.h>
#include <termios.h>

#include "support/fd.h"
#include "terminal/output.h"
#include "terminal/page.h"

// As <ncurses.h>, whose macros are nobody else's business, declares it.
struct screen;

namespace profile {

class TopScreen {
 public:
  // Throws Error when stdin or stdout is no terminal, or one that cannot be drawn on.
  TopScreen();
  ~TopScreen();
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  // Readable when there is input, or when the terminal takes output again that it did not take.
  [[nodiscard]] int poll_fd() const { return ready_.get(); }
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::size_t height() const;

  // Nothing is drawn while the terminal has not taken what was drawn before; see flush().
  void draw(const std::vector<TopLine>& lines);
  // Gives the terminal more of what it did not take. True when something was not drawn for its sake, and now can be.
  [[nodiscard]] bool flush();
  // The next draw() sends everything, whatever is thought to be there already.
  void forget_drawn();
  // Takes note of the terminal's size.
  void resize();

  struct Input {
    TopKey key = TopKey::character;
    char32_t character = 0;
  };
  // The next key that was pressed; none: there is none for now.
  [[nodiscard]] std::optional<Input> next_input();
  // The terminal is gone, or nobody can press a key any more.
  [[nodiscard]] bool is_closed() const;

 private:
  // What ncurses does to the handling of signals is undone: they are read as events of the loop.
  class KeptSignals {
   public:
    KeptSignals();
    ~KeptSignals();
    void put_back();  // all but that of Ctrl-Z, which has to give the terminal back while we are stopped

   private:
    struct sigaction interrupt_ {};
    struct sigaction terminate_ {};
    struct sigaction resize_ {};
    struct sigaction stop_ {};
  };

  void start_colors();
  void adapt_terminal();
  [[nodiscard]] int attributes_of(TopStyle style) const;

  termios before_{};
  TerminalOutput output_;
  Fd ready_;
  bool is_overdue_ = false;
  KeptSignals signals_;
  ::screen* screen_ = nullptr;
  bool has_colors_ = false;
};

}  // namespace profile
