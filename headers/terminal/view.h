// `--top`: a live view in the terminal, like top: the functions that take most, by themselves and with what they call,
// the processes, the stacks. Drawn by ncurses.
#pragma once

#include <memory>
#include <string_view>

#include "model/profile.h"

namespace profile {

class TopView {
 public:
  TopView() = default;
  virtual ~TopView() = default;  // gives the terminal back as it was
  TopView(const TopView&) = delete;
  TopView& operator=(const TopView&) = delete;

  // What was sampled since the last call; symbolised.
  virtual void add(const Profile& profile) = 0;
  // Readable when a key was pressed, or when the terminal takes again what it did not take before.
  [[nodiscard]] virtual int poll_fd() const = 0;
  // Takes the keys that were pressed, and goes on drawing. False when the person wants to quit.
  [[nodiscard]] virtual bool on_ready() = 0;
  // The terminal may have another size now (SIGWINCH).
  virtual void on_resize() = 0;
};

// Takes the terminal over. Throws Error when stdin and stdout are none.
std::unique_ptr<TopView> make_top_view(const RunInfo& run);

// Of the module that has ncurses: support/module.h.
struct TopViewModule {
  static constexpr std::string_view module = "terminal";
  decltype(&make_top_view) make;
};

}  // namespace profile
