// The ring buffers of samples, copied into an inbox: a sample waits there until the timeline has read of its process,
// and until its stack is whole.
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
  // `samples` is a ring buffer of a loaded object. Both must outlive it. Throws Error when it cannot be mapped.
  SampleRings(const bpf_map& samples, const Generations& generations);
  SampleRings(const SampleRings&) = delete;
  SampleRings& operator=(const SampleRings&) = delete;
  // A second ring, of walks that lack a table; its records come before those of the first. Throws Error likewise.
  void add_unfinished(const bpf_map& unfinished);

  // Readable when there is a record in either.
  [[nodiscard]] int poll_fd() const;
  // Copies what the rings hold, and no more than fits into them: samples may come faster than they are read. Throws
  // Error, and bad_alloc.
  void read();
  [[nodiscard]] bool is_empty() const { return inbox_.empty(); }
  // Whether the kernel side has said that its histogram is half full, since the last call of forget_half_full().
  [[nodiscard]] bool is_half_full() const { return is_half_full_; }
  void forget_half_full() { is_half_full_ = false; }

  enum class Fate { counted, waits };
  // Calls `take(record, others_wait)` for each record, in whole words, oldest first. Those that wait stay for the next
  // call; `others_wait`: there is one before this.
  template <class Take>
  void take_each(Take take) {
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
  // Calls `look(record)` for each; all stay.
  template <class Look>
  void look_at_each(Look look) const {
    for (std::size_t at = 0; at < inbox_.size(); at += inbox_[at] + 1) {
      look(std::span(inbox_).subspan(at + 1, inbox_[at]));
    }
  }

 private:
  struct Ring {
    RingBuffer reader;
    std::int64_t size_bytes = 0;
  };
  void open(const bpf_map& map, Ring& ring);
  static int on_record(void* context, void* data, std::size_t size) noexcept;

  const Generations& generations_;
  Ring samples_;
  Ring unfinished_;                // its poll_fd is watched by that of the other
  std::int64_t budget_bytes_ = 0;  // of the read() under way
  // Records as they came: the number of their words, then the words.
  std::vector<std::uint64_t> inbox_;
  bool is_half_full_ = false;
  bool out_of_memory_ = false;
};

}  // namespace profile
