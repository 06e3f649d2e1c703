// Makes the pages of `profile serve`: each in a process of its own, which runs this program with another command line.
// So a page that takes long keeps nobody waiting, its memory is given back, and whatever happens to it happens to no
// other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/fd.h"
#include "web/pages.h"

namespace profile {

class PageMaker {
 public:
  PageMaker();

  struct Job {
    std::vector<std::string> arguments;  // of `profile`, which writes the page on stdout
    PageAnswer page;                     // without its content
    std::shared_ptr<PageWaiter> waiter;
  };
  // Any thread may call. Returns at once.
  void add(Job job);
  // Makes pages, a few at the same time, for about a second or until something has happened.
  void work();

 private:
  struct Running {
    Job job;
    pid_t pid = 0;
    Fd process;
    Fd page;
    Fd messages;  // what it writes on stderr
    std::uint64_t give_up_ns = 0;
  };

  void start(Job job);
  void end(Running& running);

  Fd wake_up_;
  std::mutex mutex_;
  std::deque<Job> waiting_;
  std::vector<Running> running_;  // of the thread that works
};

}  // namespace profile
