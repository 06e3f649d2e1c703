// Copies the records of the ring buffers into an inbox. A sample waits there until the timeline knows its process, and
// until its stack is complete.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "abi/record.h"
#include "support/bpf.h"

namespace profile {

class Generations;

class SampleRings {
 public:
  // `samples` is a ring buffer of a loaded object. Both arguments must outlive this object. Throws Error when the ring
  // cannot be mapped.
  SampleRings(const bpf_map& samples, const Generations& generations);
  SampleRings(const SampleRings&) = delete;
  SampleRings& operator=(const SampleRings&) = delete;
  // Adds a second ring, for walks that lack a table. Its records come before those of the first. Throws Error likewise.
  void add_unfinished(const bpf_map& unfinished);

  // Readable when there is a record in either ring.
  [[nodiscard]] int poll_fd() const;
  // Copies the records of the rings, but at most the size of each ring, because samples may come faster than it reads.
  // Throws Error and bad_alloc.
  void read();
  // The same while other work waits, which may be a call of take_each() or look_at_each(): then it does nothing. It
  // also stops when the inbox is so large that samples are better lost. Throws likewise.
  void read_meanwhile();
  [[nodiscard]] bool is_empty() const { return inbox_.empty(); }
  // True if a BPF program has reported since forget_half_full() that the histogram is half full.
  [[nodiscard]] bool is_half_full() const { return is_half_full_; }
  void forget_half_full() { is_half_full_ = false; }

  enum class Fate { counted, waits };
  // Calls `take(record, others_wait)` for each record, oldest first; a record is whole words. Records that wait stay
  // for the next call. `others_wait`: an earlier record waits.
  template <class Take>
  void take_each(Take take) {
    const Iterating iterating(*this);
    std::size_t kept = 0;
    for (std::size_t at = 0; at < inbox_.size();) {
      const std::size_t words = inbox_[at] + 1;
      const auto begin = inbox_.begin() + static_cast<std::ptrdiff_t>(at);
      if (take(std::span<const std::uint64_t>(inbox_).subspan(at + 1, words - 1), kept != 0) == Fate::waits) {
        std::copy_n(begin, words, inbox_.begin() + static_cast<std::ptrdiff_t>(kept));
        kept += words;
      }
      at += words;
    }
    inbox_.resize(kept);
  }
  // Calls `look(record)` for each record; all records stay.
  template <class Look>
  void look_at_each(Look look) {
    const Iterating iterating(*this);
    for (std::size_t at = 0; at < inbox_.size(); at += inbox_[at] + 1) {
      look(std::span(inbox_).subspan(at + 1, inbox_[at]));
    }
  }

 private:
  // The records that a callback looks at must not move.
  class Iterating {
   public:
    explicit Iterating(SampleRings& rings) : rings_(rings) { rings_.is_iterated_ = true; }
    ~Iterating() { rings_.is_iterated_ = false; }
    Iterating(const Iterating&) = delete;
    Iterating& operator=(const Iterating&) = delete;

   private:
    SampleRings& rings_;
  };
  struct Ring {
    RingBuffer reader;
    std::int64_t size_bytes = 0;
  };
  void open(const bpf_map& map, Ring& ring);
  static int on_record(void* context, void* data, std::size_t size) noexcept;

  const Generations& generations_;
  Ring samples_;
  Ring unfinished_;                // the poll_fd of the other ring watches the poll_fd of this one
  std::int64_t budget_bytes_ = 0;  // bytes that read() may still copy from the current ring
  // For each record: the number of its words, then the words.
  std::vector<std::uint64_t> inbox_;
  bool is_iterated_ = false;
  bool is_half_full_ = false;
  bool out_of_memory_ = false;
};

}  // namespace profile
