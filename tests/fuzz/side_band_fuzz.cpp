// Side-band records, alone and in rings. Input: the bytes of a ring. A record's text lies within the record, reading
// always advances and ends, and only requested records are returned.
#include "process/side_band.h"

#include <linux/perf_event.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace profile;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_record(std::span<const std::byte> bytes) {
  const auto record = parse_side_band(bytes);
  if (!record) return;
  perf_event_header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  require(header.size <= bytes.size() && header.size >= sizeof header + sizeof record->time_ns);
  std::uint64_t time_ns = 0;
  std::memcpy(&time_ns, bytes.data() + header.size - sizeof time_ns, sizeof time_ns);
  require(record->time_ns == time_ns);
  require(record->tgid != UINT32_MAX && record->tid != UINT32_MAX && record->parent_tgid != UINT32_MAX);
  require(record->text.find('\0') == std::string_view::npos);
  if (record->text.empty()) return;
  const auto* const text = reinterpret_cast<const std::byte*>(record->text.data());
  require(text >= bytes.data() + sizeof header);
  require(text + record->text.size() <= bytes.data() + header.size - sizeof time_ns);
}

// A ring that is written up to `head`, perhaps with a wrap-around.
void check_ring(const std::vector<std::byte>& data, std::uint64_t head) {
  RecordRing ring(data.data(), data.size());
  ring.extend(head);
  std::uint64_t last_tail = 0;
  while (const SideBandRecord* record = ring.peek()) {
    require(ring.peek() == record);
    const std::uint64_t time_ns = record->time_ns;
    require(ring.tail() >= last_tail && ring.tail() <= head);
    ring.pop();
    require(ring.last_time_ns() == time_ns);
    require(ring.tail() > last_tail);
    last_tail = ring.tail();
  }
  require(head - ring.tail() < sizeof(perf_event_header));
}

void check_merge(const std::vector<std::byte>& first, const std::vector<std::byte>& second, std::uint64_t before_ns) {
  RecordRing one(first.data(), first.size());
  RecordRing other(second.data(), second.size());
  one.extend(first.size());
  other.extend(second.size());
  const std::array<RecordRing*, 2> rings{&one, &other};
  merge_records(rings, before_ns, [&](const SideBandRecord& record) { require(record.time_ns < before_ns); });
  for (RecordRing* ring : rings) {
    const SideBandRecord* const left = ring->peek();
    require(left == nullptr || left->time_ns >= before_ns);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  // A buffer of exactly this size, so that the address sanitizer finds a read beyond it.
  const std::vector<std::byte> bytes(begin, begin + size);
  check_record(bytes);

  constexpr std::size_t ring_bytes = 512;
  std::vector<std::byte> ring(ring_bytes);
  for (std::size_t i = 0; i < size; ++i) ring[i % ring_bytes] = bytes[i];
  check_ring(ring, size % (2 * ring_bytes));
  std::uint64_t before_ns = 0;
  std::memcpy(&before_ns, bytes.data() + size - sizeof before_ns, sizeof before_ns);
  std::vector<std::byte> turned(ring.begin() + ring_bytes / 2, ring.end());
  turned.insert(turned.end(), ring.begin(), ring.begin() + ring_bytes / 2);
  check_merge(ring, turned, before_ns);
  return 0;
}
