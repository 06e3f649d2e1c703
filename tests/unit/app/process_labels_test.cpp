// Tests which service a process counts for, by what the system and the timeline tell of it.
#include "app/process_labels.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

using namespace profile;

namespace {

// A number that no process has: it is above the kernel's limit.
constexpr std::uint32_t ended = 1U << 23;

void add_row(Profile& profile, std::uint32_t tgid, std::uint32_t image, std::string_view comm) {
  profile.add({.process = profile.process(tgid, image, comm), .value = 1, .samples = 1});
}

}  // namespace

TEST_CASE("a process counts for the service of its cgroup, of its ancestor's, or for one of its name") {
  const auto self = static_cast<std::uint32_t>(::getpid());
  std::map<std::uint32_t, ProcessFacts> known;
  known[self].cgroup = "/system.slice/web.service";
  known[ended].inherited_cgroup = "/system.slice/build.service";
  known[ended + 2].cgroup = "/";  // its program cannot be read, as of a thread of the kernel
  int asked = 0;
  Services services([&](std::uint32_t tgid, std::uint32_t, bool is_new) {
    CHECK(is_new);
    ++asked;
    return known[tgid];
  });
  Profile profile;
  add_row(profile, self, 1, "httpd");
  add_row(profile, ended, 1, "cc1");
  add_row(profile, ended + 1, 1, "odd \n name");
  add_row(profile, ended + 2, 1, "kworker/0:1");
  add_row(profile, 0, 0, "swapper/0");
  services.look(profile);
  const auto labels_of = [&](std::size_t i) { return services.of(profile.process(static_cast<ProcessId>(i))).labels; };
  CHECK(labels_of(0) == PushLabels{{"service", "web"}});
  CHECK(labels_of(1) == PushLabels{{"service", "build"}});
  CHECK(labels_of(2) == PushLabels{{"service", "odd ? name"}});
  CHECK(labels_of(3) == PushLabels{{"service", "kernel"}});
  CHECK(labels_of(4) == PushLabels{{"service", "kernel"}});
  CHECK(services.of(profile.process(static_cast<ProcessId>(0))).program ==
        std::filesystem::read_symlink("/proc/self/exe").string());
  CHECK(services.of(profile.process(static_cast<ProcessId>(1))).program.empty());

  // Each is asked about once, as long as it is in the profiles.
  const int first = asked;
  services.look(profile);
  CHECK(asked == first);
  add_row(profile, self, 2, "next");
  services.look(profile);
  CHECK(asked == first + 1);
  services.look(Profile());
  services.look(profile);
  CHECK(asked == 2 * first + 2);
}
