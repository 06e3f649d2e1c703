// Makes the bytes of side-band records for tests, as the kernel writes them (perf_event_open(2)).
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "process/side_band.h"

namespace profile::test {

using Bytes = std::vector<std::byte>;

class RecordBytes {
 public:
  RecordBytes(std::uint32_t type, std::uint16_t misc) : header_{type, misc, 0} { put(header_); }

  template <class Value>
  RecordBytes& put(const Value& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
    return *this;
  }
  RecordBytes& text(std::string_view value) {
    for (const char character : value) bytes_.push_back(static_cast<std::byte>(character));
    do bytes_.push_back(std::byte{0});
    while (bytes_.size() % 8 != 0);
    return *this;
  }
  // Ends the record. Its time is the last field.
  Bytes at(std::uint64_t time_ns) {
    put(time_ns);
    header_.size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    return bytes_;
  }

 private:
  perf_event_header header_;
  Bytes bytes_;
};

inline Bytes fork_bytes(std::uint64_t time, std::uint32_t tgid, std::uint32_t parent, std::uint32_t tid = 0) {
  return RecordBytes(PERF_RECORD_FORK, 0).put(tgid).put(parent).put(tid ? tid : tgid).put(parent).put(time).at(time);
}
inline Bytes exit_bytes(std::uint64_t time, std::uint32_t tgid, std::uint32_t tid = 0) {
  const std::uint32_t parent = 1;
  return RecordBytes(PERF_RECORD_EXIT, 0).put(tgid).put(parent).put(tid ? tid : tgid).put(parent).put(time).at(time);
}
inline Bytes comm_bytes(std::uint64_t time, std::uint32_t tgid, std::uint32_t tid, std::string_view comm, bool exec) {
  const auto misc = static_cast<std::uint16_t>(exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
  return RecordBytes(PERF_RECORD_COMM, misc).put(tgid).put(tid).text(comm).at(time);
}
inline Bytes mmap_bytes(std::uint64_t time, std::uint32_t tgid, std::uint64_t start, std::uint64_t length,
                        std::uint64_t offset, const FileIdentity& file, std::string_view path,
                        std::uint64_t inode_generation = 7, std::uint32_t protection = 5) {
  return RecordBytes(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER)
      .put(tgid)
      .put(tgid)
      .put(start)
      .put(length)
      .put(offset)
      .put(file.device_major)
      .put(file.device_minor)
      .put(file.inode)
      .put(inode_generation)
      .put(protection)
      .put(std::uint32_t{2})
      .text(path)
      .at(time);
}
inline Bytes lost_bytes(std::uint64_t time, std::uint64_t count) {
  return RecordBytes(PERF_RECORD_LOST, 0).put(std::uint64_t{1}).put(count).at(time);
}

}  // namespace profile::test
