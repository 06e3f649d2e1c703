// The progress line of a run on a terminal. It is erased at the end.
#pragma once

#include <cstdint>
#include <optional>

namespace profile {

class Progress {
 public:
  // Does nothing unless `enabled` and stderr is a terminal.
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  [[nodiscard]] bool is_shown() const { return shown_; }
  void show(double elapsed_s, std::optional<double> total_s, std::uint64_t samples, std::uint64_t stacks);
  void clear();

 private:
  bool shown_;
  bool on_screen_ = false;
};

}  // namespace profile
