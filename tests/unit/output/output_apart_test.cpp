// Tests rows that are kept apart by thread and CPU. Formats with a place for thread and CPU show them; the other
// formats print the same text as without them.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "fixed_profile.h"
#include "output/output.h"
#include "pprof_reader.h"

using namespace profile;

namespace {

// The fixed profile, and each of its rows once more with the weight 10. Those are in one row, or in three rows of two
// threads and two CPUs.
Profile doubled(bool apart) {
  Profile profile = test::fixed_profile();
  const std::vector<Row> rows(profile.rows().begin(), profile.rows().end());
  const auto add = [&](Row row, std::uint32_t tid, std::uint32_t cpu, std::uint64_t value) {
    row.tid = tid;
    row.cpu = cpu;
    row.value = row.samples = value;
    profile.add(row);
  };
  for (const Row& row : rows) {
    if (apart) {
      add(row, 7, 0, 5);
      add(row, 7, 1, 3);
      add(row, 8, 1, 2);
    } else {
      add(row, row.tid, row.cpu, 10);
    }
  }
  return profile;
}

std::string printed(const char* format, const Profile& profile) {
  std::ostringstream out;
  find_output_format(format)->make({}).report(out, profile);
  return out.str();
}

std::size_t count_of(const std::string& what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("rows of different threads and CPUs are separate, and the total stays the same") {
  const Profile whole = doubled(false);
  const Profile apart = doubled(true);
  CHECK(apart.total() == whole.total());
  CHECK(apart.rows().size() == 4 * whole.rows().size());
}

TEST_CASE("text formats are the same with and without separate rows") {
  const Profile whole = doubled(false);
  const Profile apart = doubled(true);
  for (const char* format : {"counted", "folded", "residency", "table"}) {
    CHECK_MESSAGE(printed(format, apart) == printed(format, whole), format);
  }
}

TEST_CASE("JSON has the thread and the CPU of separate rows, also for CPU 0") {
  const Profile whole = doubled(false);
  const std::size_t rows = whole.rows().size();
  const std::string before = printed("json", whole);
  CHECK(count_of("\"cpu\"", before) == 0);
  CHECK(count_of("\"tid\"", before) == 0);
  const std::string text = printed("json", doubled(true));
  CHECK(count_of("\"cpu\"", text) == 3 * rows);
  CHECK(count_of("\"tid\"", text) == 3 * rows);
}

TEST_CASE("pprof has labels for the thread and the CPU of separate rows, also for CPU 0") {
  const Profile whole = doubled(false);
  const auto rows = static_cast<std::ptrdiff_t>(whole.rows().size());
  const auto samples_with = [](const test::PprofProfile& read, const std::string& key, const std::string& value) {
    return std::count_if(read.samples.begin(), read.samples.end(), [&](const auto& sample) {
      return std::any_of(sample.labels.begin(), sample.labels.end(), [&](const auto& label) {
        return label.key == key && label.value == value && label.is_number;
      });
    });
  };
  const test::PprofProfile read = test::read_pprof(doubled(true));
  CHECK(samples_with(read, "cpu", "0") == rows);
  CHECK(samples_with(read, "cpu", "1") == 2 * rows);
  CHECK(samples_with(read, "tid", "7") == 2 * rows);
  CHECK(samples_with(read, "tid", "8") == rows);
  CHECK(read.total(0) == static_cast<std::int64_t>(whole.total()));
  const test::PprofProfile before = test::read_pprof(whole);
  CHECK(samples_with(before, "cpu", "0") + samples_with(before, "cpu", "1") == 0);
}
