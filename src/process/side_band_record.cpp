// Parses the bytes of a side-band record, and puts the records of several CPUs in order. Pure.
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "process/side_band.h"

namespace profile {
namespace {

constexpr std::uint32_t executable_protection = 4;  // PROT_EXEC in the record
constexpr std::size_t time_bytes = sizeof(std::uint64_t);

// Takes values from the front of a record. After one value was missing, all later values are missing, too.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Value>
  Value take() {
    Value value{};
    if (bytes_.size() < sizeof value) {
      failed_ = true;
      bytes_ = {};
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

  // The rest, up to its first zero byte.
  std::string_view text() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    return rest.substr(0, rest.find('\0'));
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

// A task that is outside our pid namespace, or already gone, has the number 0 or -1.
std::uint32_t to_id(std::uint32_t number) { return number == std::numeric_limits<std::uint32_t>::max() ? 0 : number; }

void read_mmap(Reader& reader, SideBandRecord& record) {
  record.start = reader.take<std::uint64_t>();
  record.length = reader.take<std::uint64_t>();
  record.offset = reader.take<std::uint64_t>();
  record.file.device_major = reader.take<std::uint32_t>();
  record.file.device_minor = reader.take<std::uint32_t>();
  record.file.inode = reader.take<std::uint64_t>();
  record.file.generation = static_cast<std::uint32_t>(reader.take<std::uint64_t>());
  record.executable = (reader.take<std::uint32_t>() & executable_protection) != 0;
  reader.take<std::uint32_t>();  // flags
  record.text = reader.text();
}

// Reads the part of the body that belongs to the record's type. False when the type is not used.
bool read_body(const perf_event_header& header, Reader& reader, SideBandRecord& record) {
  using Type = SideBandRecord::Type;
  if (header.type == PERF_RECORD_LOST || header.type == PERF_RECORD_LOST_SAMPLES) {
    record.type = Type::lost;
    if (header.type == PERF_RECORD_LOST) reader.take<std::uint64_t>();  // id
    record.lost = reader.take<std::uint64_t>();
    return true;
  }
  const bool is_task = header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT;
  if (!is_task && header.type != PERF_RECORD_COMM && header.type != PERF_RECORD_MMAP2) return false;
  record.tgid = to_id(reader.take<std::uint32_t>());
  if (is_task) {
    record.type = header.type == PERF_RECORD_FORK ? Type::fork : Type::exit;
    record.parent_tgid = to_id(reader.take<std::uint32_t>());
  }
  record.tid = to_id(reader.take<std::uint32_t>());
  if (header.type == PERF_RECORD_COMM) {
    record.type = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0 ? Type::exec : Type::comm;
    record.text = reader.text();
  } else if (header.type == PERF_RECORD_MMAP2) {
    // We did not ask for the variant with a build id in place of device and inode.
    if ((header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0) return false;
    record.type = Type::mmap;
    read_mmap(reader, record);
  }
  return true;
}

}  // namespace

std::optional<SideBandRecord> parse_side_band(std::span<const std::byte> bytes) {
  perf_event_header header{};
  if (bytes.size() < sizeof header + time_bytes) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.size < sizeof header + time_bytes || header.size > bytes.size()) return std::nullopt;
  SideBandRecord record;
  // sample_id_all is set with the time alone, so the time stands at the very end.
  const std::size_t body_end = header.size - time_bytes;
  record.time_ns = Reader(bytes.subspan(body_end)).take<std::uint64_t>();
  Reader reader(bytes.subspan(sizeof header, body_end - sizeof header));
  if (!read_body(header, reader, record) || reader.failed()) return std::nullopt;
  return record;
}

std::span<const std::byte> RecordRing::bytes_at_tail(std::size_t size) {
  const std::size_t at = tail_ & (size_bytes_ - 1);
  const std::size_t before_end = size_bytes_ - at;
  if (size <= before_end) return {data_ + at, size};
  joined_.resize(size);
  std::memcpy(joined_.data(), data_ + at, before_end);
  std::memcpy(joined_.data() + before_end, data_, size - before_end);
  return joined_;
}

const SideBandRecord* RecordRing::peek() {
  if (peeked_) return &*peeked_;
  while (head_ - tail_ >= sizeof(perf_event_header)) {
    perf_event_header header{};
    std::memcpy(&header, bytes_at_tail(sizeof header).data(), sizeof header);
    if (header.size < sizeof header || header.size > std::min<std::uint64_t>(head_ - tail_, size_bytes_)) {
      // This is not a record, and the records after it cannot be found either. All of it is lost.
      tail_ = head_;
      peeked_bytes_ = 0;
      peeked_ = SideBandRecord{};
      peeked_->time_ns = peeked_->lost_since = last_time_ns_;
      peeked_->lost = 1;
      return &*peeked_;
    }
    peeked_bytes_ = header.size;
    peeked_ = parse_side_band(bytes_at_tail(header.size));
    if (peeked_) {
      if (peeked_->type == SideBandRecord::Type::lost) peeked_->lost_since = last_time_ns_;
      return &*peeked_;
    }
    tail_ += header.size;
  }
  return nullptr;
}

void RecordRing::pop() {
  if (!peeked_) return;
  last_time_ns_ = peeked_->time_ns;
  tail_ += peeked_bytes_;
  peeked_.reset();
}

void merge_records(std::span<RecordRing* const> rings, std::uint64_t before_ns, const ApplyRecord& apply) {
  for (;;) {
    RecordRing* oldest = nullptr;
    std::uint64_t oldest_ns = before_ns;
    for (RecordRing* ring : rings) {
      const SideBandRecord* record = ring->peek();
      if (record == nullptr || record->time_ns >= oldest_ns) continue;
      oldest = ring;
      oldest_ns = record->time_ns;
    }
    if (oldest == nullptr) return;
    apply(*oldest->peek());
    oldest->pop();
  }
}

}  // namespace profile
