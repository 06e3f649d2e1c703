// Tests the table of sources: each name is unique, and each source has the right kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "output/output.h"
#include "sampling/source.h"
#include "sampling/tracepoint.h"
#include "support/nearest_names.h"

using namespace profile;

namespace {

std::string kind_of(const char* event) {
  const SourceKind* kind = find_source_kind(event);
  return kind == nullptr ? "" : std::string(kind->name);
}

std::vector<std::string> nearest(const char* event) { return nearest_source_names(event); }

}  // namespace

TEST_CASE("the first source is the default one") { CHECK(source_kinds().front().name == SamplingOptions().event); }

TEST_CASE("every source has a unique name and a complete description") {
  std::set<std::string_view> names;
  for (const SourceKind& kind : source_kinds()) {
    CAPTURE(kind.name);
    CHECK(names.insert(kind.name).second);
    if (!kind.alias.empty()) CHECK(names.insert(kind.alias).second);
    CHECK_FALSE(kind.group.empty());
    CHECK_FALSE(kind.summary.empty());
    CHECK((find_output_format(kind.default_format) != nullptr));
    CHECK((kind.make != nullptr));
    CHECK((kind.missing != nullptr));
  }
}

TEST_CASE("the sources of a group are neighbours") {
  std::set<std::string_view> groups;
  std::string_view group;
  for (const SourceKind& kind : source_kinds()) {
    if (kind.group != group) CHECK(groups.insert(kind.group).second);
    group = kind.group;
  }
}

TEST_CASE("a source is found by its name or alias, with modifiers if it has them") {
  for (const SourceKind& kind : source_kinds()) {
    const bool is_shape = std::any_of(kind.name.begin(), kind.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (is_shape) continue;
    CAPTURE(kind.name);
    CHECK((find_source_kind(kind.name) == &kind));
    if (!kind.alias.empty()) CHECK((find_source_kind(kind.alias) == &kind));
  }
  CHECK(kind_of("cpu-clock:u") == "cpu-clock");
  CHECK(kind_of("cs:k") == "context-switches");
  CHECK(kind_of("cycles:uk") == "cycles");
  CHECK(kind_of("cycles:x") == "cycles");
  CHECK(kind_of("L1-dcache-load-misses:u") == "CACHE-OPERATIONS");
  CHECK(kind_of("r01c2") == "rNNNN");
  CHECK(kind_of("sched:sched_switch") == "SYSTEM:EVENT");
  for (const char* event : {"", "cpu-clok", ":", "sched:", ":sched_switch", "a:b:c", "sched:../x", "cpu-clok:u"}) {
    CAPTURE(event);
    CHECK(kind_of(event).empty());
  }
}

TEST_CASE("a tracepoint name is two words with a colon between them") {
  CHECK(is_tracepoint_name("syscalls:sys_enter_read"));
  CHECK(is_tracepoint_name("intel-sst:sst_ipc"));
  CHECK_FALSE(is_tracepoint_name("sched"));
  CHECK_FALSE(is_tracepoint_name("sched:"));
  CHECK_FALSE(is_tracepoint_name("sched:a/b"));
  CHECK_FALSE(is_tracepoint_name("../sched:x"));
  CHECK_FALSE(is_tracepoint_name("sched:k"));
}

TEST_CASE("the most probable name is suggested first") {
  CHECK(nearest("cpu-clok").front() == "cpu-clock");
  CHECK(nearest("CPU-Clock").front() == "cpu-clock");
  CHECK(nearest("cpu").front() == "cpu-clock");
  CHECK(nearest("io") == std::vector<std::string>{"block-io"});
  CHECK(nearest("page-fault").front() == "page-faults");
  CHECK(nearest("cachemisses").front() == "cache-misses");
  CHECK(nearest("LLC-load-miss").front() == "LLC-load-misses");
  CHECK(nearest("branch-instruction").front() == "branch-instructions");
  CHECK(nearest("cpu-clok:u") == std::vector<std::string>{"cpu-clock:u"});
  CHECK(nearest("switches") == std::vector<std::string>{"cgroup-switches", "context-switches"});
}

TEST_CASE("the suggestions for a tracepoint system complete its name") {
  for (const char* system : {"sched", "irq", "block"}) {
    CAPTURE(system);
    if (!is_tracepoint_system(system)) continue;  // there is no kernel to ask, or it refuses
    const std::vector<std::string> names = nearest(system);
    REQUIRE_FALSE(names.empty());
    CHECK(names.front() == system + std::string(":EVENT"));
    for (const std::string& name : names) CHECK(name.find(system) != std::string::npos);
  }
  for (const char* word : {"", "sched:", "../sched", "shed"}) CHECK_FALSE(is_tracepoint_system(word));
}

TEST_CASE("every suggestion is an existing name") {
  for (const char* typed : {"", "x", "cpu", "misses", "zzzzzzzzzzzzzzzzzzzz", "SYSTEM", "rNNNN"}) {
    CAPTURE(typed);
    const auto names = nearest(typed);
    CHECK_FALSE(names.empty());
    CHECK(names.size() <= 5);
    for (const std::string& name : names) {
      CAPTURE(name);
      // A shape is shown whole and is no event itself.
      const bool is_shape = name.find(':') != std::string::npos;
      CHECK((is_shape || find_source_kind(name) != nullptr));
    }
  }
}

TEST_CASE("the nearest names are sorted and unique, and there are more of them if they fit badly") {
  const std::vector<std::string> names = {"sched", "csd", "dev", "sched", "block", "irq"};
  CHECK(nearest_names("shed", names) == std::vector<std::string>{"sched"});
  CHECK(nearest_names("sched", names) == std::vector<std::string>{"sched"});
  CHECK(nearest_names("zz", names) == std::vector<std::string>{"csd", "dev", "irq"});
  CHECK(nearest_names("lock", names) == std::vector<std::string>{"block"});
  CHECK(nearest_names("", {}).empty());
}

TEST_CASE("the nearest names are added to an error message, if there are any") {
  CHECK(suggestion("; ", {"a", "b"}) == "; the nearest: a, b");
  CHECK(suggestion("; ", {}).empty());
}
