#include "sampling/sample_rings.h"

#include <bpf/libbpf.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>

#include "abi/walk.h"
#include "sampling/generations.h"
#include "support/error.h"

namespace profile {
namespace {

// Some seconds of samples with whole copies of their stacks.
constexpr std::size_t most_read_meanwhile_words = (64U << 20) / sizeof(std::uint64_t);

// Without the end of a record that was reserved for a larger copy of a stack.
std::size_t used_bytes(const void* data, std::size_t size) {
  const auto* const record = static_cast<const ring_unfinished*>(data);
  if (record->header.type != RING_UNFINISHED || size < offsetof(ring_unfinished, stack)) return size;
  return std::min<std::size_t>(size, offsetof(ring_unfinished, stack) + record->bytes);
}

}  // namespace

SampleRings::SampleRings(const bpf_map& samples, const Generations& generations) : generations_(generations) {
  open(samples, samples_);
}

void SampleRings::add_unfinished(const bpf_map& unfinished) {
  open(unfinished, unfinished_);
  epoll_event readable{};
  readable.events = EPOLLIN;
  if (::epoll_ctl(poll_fd(), EPOLL_CTL_ADD, ring_buffer__epoll_fd(unfinished_.reader.get()), &readable) != 0) {
    throw system_error("cannot wait for the BPF ring buffer", errno);
  }
}

void SampleRings::open(const bpf_map& map, Ring& ring) {
  ring.size_bytes = bpf_map__max_entries(&map);
  ring.reader = RingBuffer(ring_buffer__new(bpf_map__fd(&map), on_record, this, nullptr));
  if (!ring.reader) throw system_error("cannot open the BPF ring buffer", errno);
}

int SampleRings::poll_fd() const { return ring_buffer__epoll_fd(samples_.reader.get()); }

int SampleRings::on_record(void* context, void* data, std::size_t size) noexcept {
  auto& self = *static_cast<SampleRings*>(context);
  ring_header header{};
  if (size < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  if (header.type == RING_HALF_FULL) {
    if (header.generation == self.generations_.current()) self.is_half_full_ = true;
    return 0;
  }
  const std::size_t used = used_bytes(data, size);
  try {
    const std::size_t words = (used + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    const std::size_t at = self.inbox_.size();
    self.inbox_.resize(at + 1 + words);
    self.inbox_[at] = words;
    std::memcpy(&self.inbox_[at + 1], data, used);
  } catch (...) {
    self.out_of_memory_ = true;
  }
  self.budget_bytes_ -= static_cast<std::int64_t>(size);
  return self.budget_bytes_ > 0 ? 0 : -ENOBUFS;
}

void SampleRings::read() {
  // A walk in `unfinished_` needs frames that were sent before it through `samples_`. So `samples_` is read last.
  for (const Ring* const ring : {&unfinished_, &samples_}) {
    if (!ring->reader) continue;
    budget_bytes_ = ring->size_bytes;
    const int result = ring_buffer__consume(ring->reader.get());
    if (out_of_memory_) throw std::bad_alloc();
    if (result < 0 && result != -ENOBUFS) throw system_error("cannot read the BPF ring buffer", -result);
  }
}

void SampleRings::read_meanwhile() {
  if (!is_iterated_ && inbox_.size() < most_read_meanwhile_words) read();
}

}  // namespace profile
