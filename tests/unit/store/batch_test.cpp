// Tests what is sent to a store for a tick: the rows, and which stacks are sent again.
#include "store/batch.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "push/store_request.h"
#include "store/tables.h"

using namespace profile;

namespace {

std::string unpacked(const std::string& gzip) {
  z_stream stream{};
  REQUIRE(::inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string bytes(std::size_t{1} << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  REQUIRE(::inflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  ::inflateEnd(&stream);
  return bytes;
}

// Reads values of RowBinary, as ClickHouse does.
struct Values {
  std::string bytes;
  std::size_t at = 0;

  template <class Number>
  Number number() {
    Number value{};
    REQUIRE(at + sizeof value <= bytes.size());
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::size_t size() {
    std::size_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= std::size_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
  }
  std::string text() {
    const std::size_t length = size();
    REQUIRE(at + length <= bytes.size());
    at += length;
    return bytes.substr(at - length, length);
  }
  [[nodiscard]] bool is_end() const { return at == bytes.size(); }
};

struct SampleRow {
  std::uint32_t time = 0;
  std::uint32_t duration_ms = 0;
  std::string host, service, version;
  std::vector<std::string> labels;
  std::string event, title, unit;
  std::uint32_t frequency_hz = 0;
  std::uint64_t period_events = 0;
  std::string process;
  std::uint64_t stack = 0, value = 0, samples = 0, batch = 0;
};

std::vector<SampleRow> samples_in(const StoreInsert& insert) {
  Values in{unpacked(insert.rows)};
  std::vector<SampleRow> rows;
  while (!in.is_end()) {
    SampleRow& row = rows.emplace_back();
    row.time = in.number<std::uint32_t>();
    row.duration_ms = in.number<std::uint32_t>();
    row.host = in.text();
    row.service = in.text();
    row.version = in.text();
    for (std::size_t left = in.size(); left != 0; --left) row.labels.push_back(in.text());
    row.event = in.text();
    row.title = in.text();
    row.unit = in.text();
    row.frequency_hz = in.number<std::uint32_t>();
    row.period_events = in.number<std::uint64_t>();
    row.process = in.text();
    for (std::uint64_t* const number : {&row.stack, &row.value, &row.samples, &row.batch}) {
      *number = in.number<std::uint64_t>();
    }
  }
  return rows;
}

std::uint64_t stack_in(const StoreInsert& insert, std::vector<std::uint64_t>& frames) {
  Values in{unpacked(insert.rows)};
  static_cast<void>(in.number<std::uint16_t>());
  static_cast<void>(in.text());
  const auto id = in.number<std::uint64_t>();
  for (std::size_t left = in.size(); left != 0; --left) frames.push_back(in.number<std::uint64_t>());
  return id;
}

// Two processes of one name with the same stack, at addresses that differ.
struct Tick {
  Profile profile;
  PushLabels labels{{"service", "shop"}, {"host", "a"}, {"version", "1f"}, {"team", "x"}, {"pod", "p"}};

  explicit Tick(std::uint64_t unix_s, std::uint64_t slide = 0) {
    profile.began_unix_ns = unix_s * 1'000'000'000 + 5;
    profile.duration_ns = 10'000'000'000;
    add(10, slide + 0x1000, 3);
    add(11, slide + 0x5000, 4);
  }
  void add(std::uint32_t tgid, std::uint64_t address, std::uint64_t value, const char* leaf = "leaf") {
    const ProcessId process = profile.process(tgid, 0, "worker");
    std::vector<FrameId> frames;
    for (const char* const name : {leaf, "main"}) {
      Frame frame;
      frame.address = RuntimeAddress{address++};
      frame.space = process;
      frame.unnamed = Unnamed::named;
      frame.symbol = profile.strings.intern(name);
      frame.module = profile.strings.intern("shop");
      frame.binary = profile.binary({.path = profile.strings.intern("/usr/bin/shop")});
      frame.binary_address = ElfAddress{0x40};
      frames.push_back(profile.frame(frame));
    }
    profile.add({.process = process, .user = profile.stack(frames, StackEnd::root), .value = value, .samples = value});
  }
  StoreRequest request(StoreBatches& batches, std::uint64_t samples) const {
    batches.begin(profile);
    batches.add(profile, labels, profile.rows());
    const auto batch = batches.take();
    CHECK(batch.samples == samples);
    const auto request = store_request_of(batch.body);
    REQUIRE(request.has_value());
    return *request;
  }
};

}  // namespace

TEST_CASE("a tick is one insert of its samples, summed by process name and stack, after its frames and stacks") {
  StoreBatches batches;
  const StoreRequest request = Tick(1'000'000).request(batches, 7);
  REQUIRE(request.inserts.size() == 3);
  CHECK(request.inserts[0].sql.starts_with("INSERT INTO frames(day,service,frame,kind,name,module,path,build_id,"));
  CHECK(request.inserts[1].sql == "INSERT INTO stacks(day,service,stack,frames) FORMAT RowBinary");
  CHECK(request.inserts[2].sql ==
        "INSERT INTO samples(time,duration_ms,host,service,version,labels,event,title,unit,frequency_hz,period_events,"
        "process,stack,value,samples,batch) FORMAT RowBinary");
  CHECK(request.tables == store_columns());
  const auto rows = samples_in(request.inserts[2]);
  REQUIRE(rows.size() == 1);
  const SampleRow& row = rows[0];
  CHECK(row.time == 1'000'000);
  CHECK(row.duration_ms == 10'000);
  CHECK(row.host == "a");
  CHECK(row.service == "shop");
  CHECK(row.version == "1f");
  CHECK(row.labels == std::vector<std::string>{"pod=p", "team=x"});
  CHECK(row.event == "cpu-clock");
  CHECK(row.unit == "samples");
  CHECK(row.frequency_hz == 49);
  CHECK(row.process == "worker");
  CHECK(row.value == 7);
  CHECK(row.samples == 7);
  CHECK(request.count ==
        "SELECT count() FROM samples WHERE service = 'shop' AND event = 'cpu-clock' AND time = "
        "toDateTime(1000000) AND batch = " +
            std::to_string(row.batch) + " FORMAT TabSeparated");
  std::vector<std::uint64_t> frames;
  CHECK(stack_in(request.inserts[1], frames) == row.stack);
  CHECK(frames.size() == 3);  // the end, main, leaf
  CHECK(std::set(frames.begin(), frames.end()).size() == 3);
}

TEST_CASE("a stack has the same number on every host, and another with another function or build") {
  StoreBatches a;
  StoreBatches b;
  const StoreRequest one = Tick(1'000'000).request(a, 7);
  const StoreRequest two = Tick(1'000'010, 0x7000).request(b, 7);
  const auto rows = samples_in(one.inserts[2]);
  CHECK(rows[0].stack == samples_in(two.inserts[2])[0].stack);
  CHECK(rows[0].batch != samples_in(two.inserts[2])[0].batch);
  CHECK(rows[0].stack == 3396425953658078117U);  // also of another build of this program
  StoreBatches c;
  Tick other(1'000'000);
  other.profile.forget_rows();
  other.add(12, 0x9000, 1, "other");
  CHECK(samples_in(other.request(c, 1).inserts[2])[0].stack != rows[0].stack);
}

TEST_CASE("stacks are sent until the store has them, and anew each hour and day") {
  StoreBatches batches;
  const auto inserts = [&](std::uint64_t unix_s) { return Tick(unix_s).request(batches, 7).inserts.size(); };
  CHECK(inserts(1'000'000) == 3);
  CHECK(inserts(1'000'010) == 3);  // the first may still get lost
  batches.note_all_stored();
  CHECK(inserts(1'000'020) == 1);
  CHECK(inserts(1'003'599) == 1);
  CHECK(inserts(1'003'600) == 3);  // an hour later
  batches.note_all_stored();
  CHECK(inserts(1'003'610) == 1);
  CHECK(inserts(1'036'790) == 3);
  batches.note_all_stored();
  CHECK(inserts(1'036'799) == 1);
  CHECK(inserts(1'036'800) == 3);  // midnight, UTC
  batches.note_lost();
  batches.note_all_stored();
  CHECK(inserts(1'036'810) == 3);
  batches.note_all_stored();
  CHECK(inserts(1'036'820) == 1);
  batches.note_emptied();
  CHECK(inserts(1'036'830) == 3);
  batches.note_all_stored();
  CHECK(inserts(1'000'000) == 3);  // the clock was set
}

TEST_CASE("another service gets the stacks for itself, and a tick without rows is no batch") {
  StoreBatches batches;
  Tick tick(1'000'000);
  static_cast<void>(tick.request(batches, 7));
  batches.note_all_stored();
  tick.labels["service"] = "it's";
  const StoreRequest request = tick.request(batches, 7);
  CHECK(request.inserts.size() == 3);
  CHECK(request.count.find("service = 'it\\'s' AND") != std::string::npos);
  batches.begin(tick.profile);
  CHECK(batches.take().body.empty());
}
