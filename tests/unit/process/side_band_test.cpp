// Tests side-band records: their bytes, their rings, and the order in which the rings of several CPUs are read.
#include "process/side_band.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "side_band_records.h"

using namespace profile;
using namespace profile::test;
using Type = SideBandRecord::Type;

namespace {

constexpr FileIdentity some_file{0xfe, 1, 332835};

// A ring of `size_bytes`. The test writes it as the kernel does.
struct TestRing {
  explicit TestRing(std::size_t size_bytes) : data(size_bytes), ring(data.data(), size_bytes) {}
  void write(const Bytes& bytes) {
    for (const std::byte byte : bytes) data[head++ % data.size()] = byte;
    ring.extend(head);
  }
  Bytes data;
  RecordRing ring;
  std::uint64_t head = 0;
};

std::vector<std::uint64_t> merged_times(std::vector<RecordRing*> rings, std::uint64_t before) {
  std::vector<std::uint64_t> times;
  merge_records(rings, before, [&](const SideBandRecord& record) { times.push_back(record.time_ns); });
  return times;
}

}  // namespace

TEST_CASE("the record of a mapping has its range, file and path") {
  const Bytes bytes = mmap_bytes(42, 10, 0x7000, 0x3000, 0x1000, some_file, "/usr/lib/libx.so");
  const auto record = parse_side_band(bytes);
  REQUIRE(record);
  CHECK(record->type == Type::mmap);
  CHECK(record->time_ns == 42);
  CHECK(record->tgid == 10);
  CHECK(record->start == 0x7000);
  CHECK(record->length == 0x3000);
  CHECK(record->offset == 0x1000);
  CHECK(record->file == some_file);
  CHECK(record->file.generation == 7);
  CHECK(record->executable);
  CHECK(record->text == "/usr/lib/libx.so");
  CHECK_FALSE(parse_side_band(mmap_bytes(42, 10, 0x7000, 0x3000, 0, some_file, "/x", 7, 1))->executable);
}

TEST_CASE("records of fork, exec, name, exit and loss are distinguished") {
  const auto fork = parse_side_band(fork_bytes(5, 20, 10));
  REQUIRE(fork);
  CHECK(fork->type == Type::fork);
  CHECK(fork->tgid == 20);
  CHECK(fork->parent_tgid == 10);
  const Bytes exec_of_dd = comm_bytes(6, 20, 20, "dd", true);
  const auto exec = parse_side_band(exec_of_dd);
  REQUIRE(exec);
  CHECK(exec->type == Type::exec);
  CHECK(exec->text == "dd");
  CHECK(parse_side_band(comm_bytes(6, 20, 21, "dd", false))->type == Type::comm);
  CHECK(parse_side_band(exit_bytes(7, 20, 21))->tid == 21);
  const auto lost = parse_side_band(lost_bytes(8, 99));
  REQUIRE(lost);
  CHECK(lost->type == Type::lost);
  CHECK(lost->lost == 99);
}

TEST_CASE("a process outside of this pid namespace has the id zero") {
  CHECK(parse_side_band(fork_bytes(5, 0xffffffff, 10))->tgid == 0);
  CHECK(parse_side_band(fork_bytes(5, 0, 10))->tgid == 0);
}

TEST_CASE("a record that is cut off anywhere is refused, and nothing outside of it is read") {
  const Bytes whole = mmap_bytes(42, 10, 0x7000, 0x3000, 0x1000, some_file, "/x");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // The copy has exactly this size, so that the address sanitizer detects a read beyond it.
    Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_FALSE(parse_side_band(cut));
    if (size < sizeof(perf_event_header)) continue;
    const auto claimed = static_cast<std::uint16_t>(size);
    std::memcpy(cut.data() + offsetof(perf_event_header, size), &claimed, sizeof claimed);
    (void)parse_side_band(cut);
  }
}

TEST_CASE("random bytes in a ring do no harm") {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    TestRing ring(256);
    for (std::byte& byte : ring.data) byte = static_cast<std::byte>(random());
    // Small types and sizes, so that many of them look like records.
    for (std::size_t at = 0; at < 256; at += 64) ring.data[at] = static_cast<std::byte>(random() % 14);
    ring.data[1] = ring.data[2] = ring.data[3] = std::byte{0};
    ring.data[6] = static_cast<std::byte>(random() % 200);
    ring.data[7] = std::byte{0};
    ring.ring.extend(random() % 1000);
    for (int n = 0; n < 100 && ring.ring.peek() != nullptr; ++n) ring.ring.pop();
    CHECK(ring.ring.peek() == nullptr);
  }
}

TEST_CASE("a record across the end of the ring is read whole") {
  TestRing ring(512);
  for (std::uint64_t time = 1; time <= 100; ++time) {
    const std::string path = "/lib/" + std::string(time % 50, 'x');
    ring.write(mmap_bytes(time, 10, 0x1000 * time, 0x1000, 0, some_file, path));
    const SideBandRecord* record = ring.ring.peek();
    REQUIRE(record != nullptr);
    CHECK(record->time_ns == time);
    CHECK(record->start == 0x1000 * time);
    CHECK(record->text == path);
    ring.ring.pop();
    CHECK(ring.ring.peek() == nullptr);
    CHECK(ring.ring.tail() == ring.head);
  }
}

TEST_CASE("a loss is not older than the record before it") {
  TestRing ring(512);
  ring.write(fork_bytes(100, 20, 10));
  ring.write(lost_bytes(250, 3));
  CHECK(ring.ring.peek()->time_ns == 100);
  ring.ring.pop();
  REQUIRE(ring.ring.peek() != nullptr);
  CHECK(ring.ring.peek()->lost_since == 100);
}

TEST_CASE("a damaged ring counts as a loss and can be used again") {
  TestRing ring(512);
  Bytes bad = fork_bytes(100, 20, 10);
  bad[6] = std::byte{3};
  ring.write(bad);
  REQUIRE(ring.ring.peek() != nullptr);
  CHECK(ring.ring.peek()->type == Type::lost);
  ring.ring.pop();
  ring.write(fork_bytes(200, 20, 10));
  REQUIRE(ring.ring.peek() != nullptr);
  CHECK(ring.ring.peek()->time_ns == 200);
}

TEST_CASE("records of several CPUs come in order of time, and those after the limit stay") {
  TestRing first(1024);
  TestRing second(1024);
  for (const std::uint64_t time : {10U, 30U, 50U, 90U}) first.write(fork_bytes(time, 20, 10));
  for (const std::uint64_t time : {20U, 40U, 60U}) second.write(fork_bytes(time, 20, 10));
  CHECK(merged_times({&first.ring, &second.ring}, 50) == std::vector<std::uint64_t>{10, 20, 30, 40});
  // A record that arrives between two reads is put in order among the records that were held back.
  second.write(fork_bytes(70, 20, 10));
  CHECK(merged_times({&first.ring, &second.ring}, 1000) == std::vector<std::uint64_t>{50, 60, 70, 90});
}

TEST_CASE("the room of records that were not passed on is not given back to the kernel") {
  TestRing ring(1024);
  ring.write(fork_bytes(10, 20, 10));
  const std::uint64_t after_first = ring.head;
  ring.write(fork_bytes(50, 20, 10));
  merged_times({&ring.ring}, 20);
  CHECK(ring.ring.tail() == after_first);
}

TEST_CASE("a ring without room for the longest record counts as full") {
  TestRing ring(16384);
  ring.write(fork_bytes(10, 20, 10));
  CHECK_FALSE(ring.ring.is_full());
  while (ring.head < 13'000) ring.write(fork_bytes(20, 20, 10));
  CHECK(ring.ring.is_full());
  merged_times({&ring.ring}, 100);
  CHECK_FALSE(ring.ring.is_full());
  CHECK(ring.ring.last_time_ns() == 20);
}
