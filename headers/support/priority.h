// Raises the priority of a thread, so that it also gets a CPU on an overloaded machine.
#pragma once

namespace profile {

// While it lives, the thread that made it runs before threads of ordinary niceness, if the kernel allows it: full
// kernel buffers lose data when their reader gets no CPU. A niceness that the user chose (nice(1)) stays as it is.
class RaisedPriority {
 public:
  RaisedPriority() noexcept;
  ~RaisedPriority();
  RaisedPriority(const RaisedPriority&) = delete;
  RaisedPriority& operator=(const RaisedPriority&) = delete;

 private:
  bool is_raised_ = false;
};

// Gives a child that was just forked the niceness that this program began with, whichever thread has forked it.
void give_up_raised_priority() noexcept;

}  // namespace profile
