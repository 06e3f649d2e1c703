// Reads the kernel's own records of forks, execs, names, code mappings and exits. Each CPU has one dummy perf event and
// one small ring buffer; all are read as one stream in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "process/code_file.h"
#include "support/cpu_list.h"
#include "support/fd.h"

namespace profile {

struct SideBandRecord {
  enum class Type : std::uint8_t { fork, exec, comm, mmap, exit, lost };
  Type type = Type::lost;
  std::uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  std::uint32_t tgid = 0;     // 0: none, or a process outside our pid namespace
  std::uint32_t tid = 0;
  std::uint32_t parent_tgid = 0;  // of fork: the process that forked; `tgid` itself for a new thread
  std::string_view text;          // comm, or the mapped file's path; valid while the record is
  std::uint64_t start = 0;        // of mmap
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  FileIdentity file;
  bool executable = false;
  std::uint64_t lost = 0;        // number of records the kernel had no room for
  std::uint64_t lost_since = 0;  // the lost records are not older than this
};

// Parses one record, header included. nullopt for malformed records and for types that are not used. Reads nothing
// outside of `bytes`.
[[nodiscard]] std::optional<SideBandRecord> parse_side_band(std::span<const std::byte> bytes);

// The data of a perf ring buffer, between what was read and what was written.
class RecordRing {
 public:
  // `data` is `size_bytes` long, a power of two.
  RecordRing(const std::byte* data, std::size_t size_bytes) : data_(data), size_bytes_(size_bytes) {}

  // The kernel has written all bytes up to `head`, counted from the start of the ring buffer.
  void extend(std::uint64_t head) { head_ = head; }
  // The oldest unread record; nullptr when there is none.
  [[nodiscard]] const SideBandRecord* peek();
  void pop();
  [[nodiscard]] std::uint64_t tail() const { return tail_; }
  // Whether the kernel may have had no room for a record.
  [[nodiscard]] bool is_full() const { return head_ - tail_ + most_record_bytes > size_bytes_; }
  [[nodiscard]] std::uint64_t last_time_ns() const { return last_time_ns_; }  // of the record that was read last

 private:
  static constexpr std::size_t most_record_bytes = 4352;  // a path of PATH_MAX and the rest of the record
  [[nodiscard]] std::span<const std::byte> bytes_at_tail(std::size_t size);

  const std::byte* data_;
  std::size_t size_bytes_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t last_time_ns_ = 0;
  std::size_t peeked_bytes_ = 0;
  std::optional<SideBandRecord> peeked_;
  std::vector<std::byte> joined_;  // a record that lies across the ring's end
};

using ApplyRecord = std::function<void(const SideBandRecord&)>;

// Passes all records stamped before `before_ns`, from all rings, to `apply` in the order of time.
void merge_records(std::span<RecordRing* const> rings, std::uint64_t before_ns, const ApplyRecord& apply);

class SideBand {
 public:
  // Throws Error when the kernel refuses.
  explicit SideBand(const CpuList& cpus);
  ~SideBand();
  SideBand(const SideBand&) = delete;
  SideBand& operator=(const SideBand&) = delete;

  // True when a CPU was added: what happened on it before was not seen. Before a CPU is removed, call read(); the
  // records still in its ring are lost.
  bool set_cpus(const CpuList& cpus);
  [[nodiscard]] int poll_fd() const { return epoll_.get(); }
  // Passes on the records that have arrived. Returns a time: all records before it are complete, as far as any process
  // can have seen their events.
  std::uint64_t read(const ApplyRecord& apply);

 private:
  class Ring;
  Fd epoll_;
  std::vector<std::unique_ptr<Ring>> rings_;
  std::vector<RecordRing*> merging_;
};

}  // namespace profile
