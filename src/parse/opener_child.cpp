#include "parse/opener_child.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "parse/opener_jobs.h"
#include "support/clock.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr std::size_t first_workers = 4;
constexpr std::size_t most_workers = 16;
// An ordinary open takes microseconds; from a disk that must spin up, or a server far away, it takes longer. The limit
// is counted in looks and not in time, because no look happens while the machine stands still.
constexpr unsigned stuck_after_looks = 8;
// If all workers have jobs that take this long, another worker starts: they may be about to get stuck.
constexpr std::uint64_t slow_after_ns = 50'000'000;
constexpr int look_every_ms = 100;
// How often closing is tried again for files that stayed open because their owner's files do not answer. A server may
// be gone by then.
constexpr int close_again_every_ms = 10'000;

// How often the thread has had a CPU. A thread that waits for a CPU, or for a lock that other threads also want, makes
// progress now and then. nullopt: it runs or waits for a CPU now.
std::optional<std::uint64_t> turns_of(pid_t tid) {
  const std::string task = "/proc/self/task/" + std::to_string(tid);
  const auto stat = read_first_line(task + "/stat");
  const std::size_t bracket = stat ? stat->rfind(')') : std::string::npos;
  if (bracket == std::string::npos || bracket + 2 >= stat->size() || (*stat)[bracket + 2] == 'R') return std::nullopt;
  const auto times = read_first_line(task + "/schedstat");
  return times ? std::strtoull(times->c_str() + times->rfind(' ') + 1, nullptr, 10) : 0;
}

struct Job : OpenerJob {
  std::optional<FileOwner> waited_for;  // whose turn it waited for; the next that waits goes on when this one is done
};

struct Worker {
  pid_t tid = 0;
  std::uint64_t since_ns = 0;  // when it was last seen to make progress; 0: it waits for a job
  std::optional<std::uint64_t> turns;
  unsigned looks = 0;  // how many looks since then
  Job job;
  std::optional<FileOwner> owner;     // of the files that it touches now, when known
  std::optional<FileOwner> its_turn;  // the owner whose turn this job has
  bool is_given_up = false;
  bool is_put_off = false;  // the job must wait for its turn
};

class OpenerProcess {
 public:
  OpenerProcess(Fd questions, const std::vector<std::string>& debug_directories)
      : questions_(std::move(questions)), places_(debug_directories) {
    for (std::size_t i = 0; i < first_workers; ++i) add_worker();
  }

  [[noreturn]] void run() {
    for (;;) {
      pollfd awaited{.fd = questions_.fd(), .events = POLLIN, .revents = 0};
      if (::poll(&awaited, 1, is_busy() ? look_every_ms : close_again_every_ms) > 0) {
        auto message = questions_.receive();
        if (!message) ::_exit(0);  // the main process is gone
        dispatch(std::move(*message));
      }
      look_after_workers();
      close_again();
    }
  }

 private:
  void dispatch(Message message) {
    WireReader in(message.bytes);
    Job job;
    in.read(job.id, job.call);
    if (!in.ok()) return;
    if (job.call == OpenerCall::way) {
      const auto way = in.get<WayNumber>();
      if (in.ok() && message.fds.size() == 1) files_.set_way(way, std::move(message.fds[0]));
      return;
    }
    if (job.call == OpenerCall::distrust) {
      if (const KeptFilePtr file = files_.find(in.get<FileNumber>())) files_.distrust(file->owner);
      return;
    }
    if (job.call == OpenerCall::close) files_.begin_close(in.get<FileNumber>(), job.id);
    job.rest = message.bytes.substr(sizeof job.id + sizeof job.call);
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    work_.notify_one();
  }

  bool is_busy() {
    const std::lock_guard lock(mutex_);
    return !jobs_.empty() || std::any_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
      return worker.since_ns != 0 && !worker.is_given_up;
    });
  }

  void look_after_workers() {
    if (monotonic_ns() - looked_ns_ < look_every_ms * 1'000'000ULL) return;
    looked_ns_ = monotonic_ns();
    std::vector<std::uint64_t> unanswered;
    std::size_t missing = 0;
    {
      const std::lock_guard lock(mutex_);
      const std::uint64_t now = monotonic_ns();
      for (Worker& worker : workers_) {
        if (worker.since_ns == 0 || worker.is_given_up) continue;
        const auto turns = turns_of(worker.tid);
        if (!turns || turns != worker.turns) {
          worker.turns = turns;
          worker.since_ns = now;
          worker.looks = 0;
          continue;
        }
        if (++worker.looks < stuck_after_looks) continue;
        worker.is_given_up = true;
        if (worker.owner) files_.ban(*worker.owner);
        if (worker.its_turn) {
          while (resume(*worker.its_turn)) {
          }
        }
        if (worker.job.call != OpenerCall::close) unanswered.push_back(worker.job.id);
        if (workers_.size() + missing < most_workers) ++missing;
      }
      if (missing == 0 && !jobs_.empty() && workers_.size() < most_workers && are_all_slow(now)) missing = 1;
      if (missing == 0 && !is_exhausted_ &&
          std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.is_given_up; })) {
        is_exhausted_ = true;
        unanswered.push_back(0);
      }
      if (is_exhausted_) {
        for (auto& [owner, jobs] : waiting_) std::ranges::move(jobs, std::back_inserter(jobs_));
        waiting_.clear();
        for (const Job& job : jobs_) {
          if (job.call != OpenerCall::close) unanswered.push_back(job.id);
        }
        jobs_.clear();
      }
    }
    for (std::size_t i = 0; i < missing; ++i) add_worker();
    for (const std::uint64_t id : unanswered) files_.answer(message_of(id, FileFault::no_answer));
  }

  // Tries to close one file of each owner that has files left to close. A worker that succeeds goes on to the next file
  // of that owner. If a worker gets stuck at this, it is the only one: all other closings wait for it.
  void close_again() {
    constexpr std::uint64_t ns_per_ms = 1'000'000;
    const std::uint64_t now = monotonic_ns();
    if (now - closed_ns_ < close_again_every_ms * ns_per_ms) return;
    closed_ns_ = now;
    const auto closings = files_.closings();
    const std::lock_guard lock(mutex_);
    if (std::ranges::any_of(workers_, [](const Worker& worker) { return worker.is_given_up && worker.job.is_again; })) {
      return;
    }
    for (const auto& [owner, question] : closings) {
      const bool is_stuck = std::ranges::any_of(
          workers_, [&owner = owner](const Worker& worker) { return worker.is_given_up && worker.owner == owner; });
      if (!is_stuck) close_one(question);
    }
  }

  // Adds a job that closes a file. The caller holds the lock.
  void close_one(std::uint64_t question) {
    jobs_.push_back({{.id = question, .call = OpenerCall::close, .rest = {}, .is_again = true}, std::nullopt});
    work_.notify_one();
  }

  bool are_all_slow(std::uint64_t now) const {
    return std::ranges::all_of(workers_, [now](const Worker& worker) {
      return worker.is_given_up || (worker.since_ns != 0 && now - worker.since_ns > slow_after_ns);
    });
  }

  // Lets one of the jobs that wait for this owner's turn go on. False: there is none.
  bool resume(const FileOwner& owner) {
    const auto at = waiting_.find(owner);
    if (at == waiting_.end()) return false;
    jobs_.push_back(std::move(at->second.front()));
    at->second.pop_front();
    if (at->second.empty()) waiting_.erase(at);
    work_.notify_one();
    return true;
  }

  // Lets only one job of an owner run at a time. So an owner with many files that do not answer holds up only one
  // worker.
  bool begin(Worker& worker, const FileOwner& owner, bool has_begun) {
    const std::lock_guard lock(mutex_);
    const bool is_turn = has_begun || std::ranges::none_of(workers_, [&owner](const Worker& other) {
                           return !other.is_given_up && other.its_turn == owner;
                         });
    if (!is_turn) {
      waiting_[owner].emplace_back(worker.job).waited_for = owner;
      worker.is_put_off = true;
      return false;
    }
    worker.owner = owner;
    if (!has_begun) worker.its_turn = owner;
    return true;
  }

  void add_worker() {
    const std::lock_guard lock(mutex_);
    Worker& worker = workers_.emplace_back();
    std::thread([this, &worker] { work(worker); }).detach();
  }

  void work(Worker& worker) {
    OpenerJobs jobs(files_, places_, [this, &worker](const FileOwner& owner, bool has_begun) {
      return begin(worker, owner, has_begun);
    });
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        worker.tid = static_cast<pid_t>(::syscall(SYS_gettid));
        worker.since_ns = 0;
        if (worker.job.is_again && worker.owner && !worker.is_given_up) {
          if (const auto next = files_.closing_of(*worker.owner)) close_one(*next);
        }
        // A job that was refused has begun nothing, but the jobs behind it get their turn all the same.
        const auto its_turn = std::exchange(worker.its_turn, std::nullopt);
        const auto owner = its_turn ? its_turn : worker.job.waited_for;
        if (!std::exchange(worker.is_put_off, false) && owner) resume(*owner);
        if (std::exchange(worker.is_given_up, false)) {
          if (worker.owner) files_.forgive(*worker.owner);
          is_exhausted_ = false;
        }
        work_.wait(lock, [this] { return !jobs_.empty(); });
        worker.job = std::move(jobs_.front());
        jobs_.pop_front();
        worker.owner.reset();
        worker.turns.reset();
        worker.since_ns = monotonic_ns();
        worker.looks = 0;
      }
      jobs.run(worker.job);
    }
  }

  WaitingChannel questions_;
  DebugFileSearch places_;
  OpenerFiles files_{questions_};
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Job> jobs_;
  std::map<FileOwner, std::deque<Job>> waiting_;  // by owner: jobs that wait while another job of that owner runs
  std::list<Worker> workers_;                     // a list: threads keep references to theirs
  std::uint64_t looked_ns_ = 0;
  std::uint64_t closed_ns_ = monotonic_ns();  // when closing was last tried again
  bool is_exhausted_ = false;                 // all workers that there may be are stuck
};

}  // namespace

void run_opener(Fd questions, const std::vector<std::string>& debug_directories) {
  // The opener is never destroyed: its threads may be stuck for ever.
  (new OpenerProcess(std::move(questions), debug_directories))->run();
}

}  // namespace profile
