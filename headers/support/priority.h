// Whose turn it is on a machine that has more to do than it can.
#pragma once

namespace profile {

// While it lives, the thread that made it goes before those of ordinary niceness, if it may: what waits in the kernel
// for somebody who does not get a CPU is lost when its buffers are full. A niceness that was chosen (nice(1)) is left
// alone.
class RaisedPriority {
 public:
  RaisedPriority() noexcept;
  ~RaisedPriority();
  RaisedPriority(const RaisedPriority&) = delete;
  RaisedPriority& operator=(const RaisedPriority&) = delete;

 private:
  bool is_raised_ = false;
};

}  // namespace profile
