// The kernel's side of the side-band: opens the perf events, maps their rings, and waits for them.
#include "process/side_band.h"

#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <string>

#include "support/clock.h"
#include "support/error.h"
#include "support/privilege.h"

namespace profile {
namespace {

// The bytes for all CPUs together, and the most and the least for one CPU. 256 KB hold some 1,500 records, or 100
// execs.
constexpr std::size_t all_rings_bytes = 1 << 20;
constexpr std::size_t most_ring_bytes = 256 << 10;
constexpr std::size_t least_ring_bytes = 16 << 10;
// Every record wakes the reader, because the file of a mapping may be gone soon. The reader may wait a moment for more
// records.
constexpr std::uint32_t wake_up_bytes = 1;
// The room of this many records is given back to the kernel at once.
constexpr int records_per_release = 64;

std::size_t page_bytes() {
  static const std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t ring_bytes(std::size_t cpus) {
  const std::size_t share = all_rings_bytes / std::max<std::size_t>(cpus, 1);
  return std::max(std::bit_floor(std::clamp(share, least_ring_bytes, most_ring_bytes)), page_bytes());
}

Fd open_event(int cpu) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  attr.mmap = 1;
  attr.mmap2 = 1;
  attr.comm = 1;
  attr.comm_exec = 1;
  attr.task = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.watermark = 1;
  attr.wakeup_watermark = wake_up_bytes;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return Fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

[[noreturn]] void refuse(int cpu, int error) {
  std::string attempted = "cannot watch processes start on CPU " + std::to_string(cpu);
  if (const auto missing = missing_for_perf(error)) throw Error(attempted + ": " + *missing);
  if (error == EMFILE) throw Error(attempted + ": too many open files; raise `ulimit -n`");
  throw system_error(attempted, error);
}

}  // namespace

class SideBand::Ring {
 public:
  Ring(int cpu, Fd event, void* pages, std::size_t data_bytes)
      : cpu_(cpu),
        event_(std::move(event)),
        pages_(pages),
        data_bytes_(data_bytes),
        records_(static_cast<const std::byte*>(pages) + page_bytes(), data_bytes) {}
  ~Ring() { ::munmap(pages_, page_bytes() + data_bytes_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // nullptr when the CPU is gone. Throws Error.
  static std::unique_ptr<Ring> open(int cpu, std::size_t data_bytes) {
    Fd event = open_event(cpu);
    if (!event && errno == ENODEV) return nullptr;
    if (!event) refuse(cpu, errno);
    // Without the right to lock memory, only a smaller ring may fit.
    for (;; data_bytes /= 2) {
      void* pages = ::mmap(nullptr, page_bytes() + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
      if (pages != MAP_FAILED) return std::make_unique<Ring>(cpu, std::move(event), pages, data_bytes);
      if (errno != EPERM && errno != ENOMEM) refuse(cpu, errno);
      if (data_bytes <= page_bytes()) throw system_error("cannot map the ring of process records", errno);
    }
  }

  [[nodiscard]] int cpu() const { return cpu_; }
  [[nodiscard]] int fd() const { return event_.get(); }
  [[nodiscard]] RecordRing& records() { return records_; }
  // Makes the records visible that the kernel has written since.
  void refresh() { records_.extend(std::atomic_ref(control().data_head).load(std::memory_order_acquire)); }
  // Gives the room of the records that were read back to the kernel.
  void release() { std::atomic_ref(control().data_tail).store(records_.tail(), std::memory_order_release); }

 private:
  [[nodiscard]] perf_event_mmap_page& control() { return *static_cast<perf_event_mmap_page*>(pages_); }

  int cpu_;
  Fd event_;
  void* pages_;
  std::size_t data_bytes_;
  RecordRing records_;
};

SideBand::SideBand(const CpuList& cpus) : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw system_error("cannot wait for process records", errno);
  set_cpus(cpus);
}

SideBand::~SideBand() = default;

bool SideBand::set_cpus(const CpuList& cpus) {
  std::erase_if(rings_, [&](const std::unique_ptr<Ring>& ring) {
    return !std::binary_search(cpus.begin(), cpus.end(), ring->cpu());
  });
  bool added = false;
  for (const int cpu : cpus) {
    if (std::any_of(rings_.begin(), rings_.end(), [cpu](const auto& ring) { return ring->cpu() == cpu; })) continue;
    auto ring = Ring::open(cpu, ring_bytes(cpus.size()));
    if (!ring) continue;
    epoll_event interest{};
    interest.events = EPOLLIN;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, ring->fd(), &interest) != 0) {
      throw system_error("cannot wait for process records", errno);
    }
    rings_.push_back(std::move(ring));
    added = true;
  }
  merging_.clear();
  for (const auto& ring : rings_) merging_.push_back(&ring->records());
  return added;
}

// Takes the records stamped before a moment T, which is before the first look at any ring. The kernel writes the record
// of a cause (fork) before its effect (the child's exec, on another CPU) can get its time stamp.
// So the causes of everything stamped before T, samples too, are in a ring when we look, and no guessed delay is
// needed.
std::uint64_t SideBand::read(const ApplyRecord& apply) {
  const std::uint64_t before_ns = monotonic_ns();
  std::vector<RecordRing*> full;
  for (const auto& ring : rings_) {
    ring->refresh();
    if (ring->records().is_full()) full.push_back(&ring->records());
  }
  int unreleased = 0;
  merge_records(merging_, before_ns, [&](const SideBandRecord& record) {
    apply(record);
    if (++unreleased < records_per_release) return;
    unreleased = 0;
    for (const auto& ring : rings_) ring->release();
  });
  for (const auto& ring : rings_) ring->release();
  // The kernel reports a loss, and how many records were lost, only in front of the next record that finds room. We
  // must know now that some may be lost.
  for (const RecordRing* ring : full) {
    SideBandRecord loss;
    loss.lost_since = ring->last_time_ns();
    apply(loss);
  }
  return before_ns;
}

}  // namespace profile
