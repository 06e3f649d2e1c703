// Fixed profiles with measurements besides stacks, and with rows that differ only in their tags.
// Golden files are made from them, as from fixed_profile.h.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fixed_profile.h"
#include "model/profile.h"

namespace profile::test {

// Durations in which each `ns` occurs `times` times.
inline Durations durations_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ns_and_times) {
  Durations durations;
  for (const auto& [ns, times] : ns_and_times) {
    durations.min_ns = durations.count == 0 ? ns : std::min(durations.min_ns, ns);
    durations.max_ns = std::max(durations.max_ns, ns);
    durations.count += times;
    durations.total_ns += ns * times;
    durations.histogram.add(ns, times);
  }
  return durations;
}

// Time on and off the CPU in one profile. Two rows of dd differ only in their tag; other rows have only a tag, or a
// hostile one.
// 4,700,000 microseconds in 146 samples.
inline Profile wall_profile() {
  Profile profile;
  profile.run.event = "wall";
  profile.run.unit = "microseconds";
  profile.run.title = "Measuring time on and off the CPU in microseconds";
  profile.run.duration_s = 5;
  profile.duration_ns = 5'000'000'000;
  profile.run.tgids = {185};
  Namer name(profile);
  const auto text = [&profile](std::string_view words) { return profile.strings.intern(words); };
  const ProcessId dd = profile.process(185, 0, "dd");
  const StackId user = profile.stack(std::vector{name.user(dd, 0x7f0000000e0d, "read", "libc.so.6", 0xd),
                                                 name.user(dd, 0x555500001010, "main", "dd", 0x10)});
  const StackId kernel = profile.stack(std::vector{name.kernel(0xffffffff81200010, "vfs_read", "kernel", 0x10)});
  const auto add = [&](StackId user_part, StackId kernel_part, std::string_view tag, std::uint64_t value,
                       std::uint64_t samples) {
    Row row;
    row.process = dd;
    row.tid = 186;
    row.thread_name = text("dd");
    row.user = user_part;
    row.kernel = kernel_part;
    row.tag = text(tag);
    row.value = value;
    row.samples = samples;
    profile.add(row);
  };
  add(user, kernel, "", 1'000'000, 50);
  add(user, kernel, "[off-cpu]", 3'500'000, 70);
  add(user, StackId::missed, "[off-cpu]", 120'000, 10);
  add(user, StackId::none, "we;ird\n\xff</script>", 60'000, 12);
  add(StackId::none, StackId::none, "[off-cpu]", 20'000, 4);
  std::vector<ThreadWait>& threads = profile.thread_waits.emplace();
  const auto wait = [&](std::uint32_t tid, std::string_view thread, const Durations& waits) {
    threads.push_back({.tgid = 185, .tid = tid, .name = text(thread), .waits = waits});
  };
  wait(186, "dd", durations_of({{50'000'000, 70}}));
  wait(187, "we;<i>\"\xe2\x80\xa8\n", durations_of({{12'000'001, 10}, {1'000, 8}}));
  wait(187, "again", durations_of({{15'000, 4}}));  // a second thread with the number of the one before
  wait(188, "", durations_of({{999, 4}}));
  profile.account.taken = 150;
  profile.account.recorded = 146;
  profile.account.recorded_by_ring = 3;
  profile.account.filtered = 4;
  return profile;
}

// The same waits without the CPU time. They have no tag, because there is nothing else.
inline Profile waits_profile() {
  Profile profile = wall_profile();
  Profile waits;
  waits.run = profile.run;
  waits.run.event = "off-cpu";
  waits.run.frequency_hz = 0;
  waits.run.title = "Tracing off-CPU time in microseconds";
  waits.thread_waits = std::move(profile.thread_waits);
  waits.strings = std::move(profile.strings);
  const ProcessId dd = waits.process(185, 0, "dd");
  waits.add({.process = dd,
             .thread_name = waits.strings.intern("dd"),
             .user = waits.stack_of(dd, FrameKind::user, std::vector<std::uint64_t>{0x1000, 0x2000}),
             .value = 3'500'000,
             .samples = 70});
  for (Frame& frame : waits.frames()) frame.unnamed = Unnamed::no_jit_map;
  waits.account.taken = waits.account.recorded = 70;
  return waits;
}

// Timed system calls of two processes, with their errors.
// Tables of durations: one with histograms and bytes, one with more rows than printed histograms, one without rows.
inline Profile measures_profile() {
  Profile profile;
  profile.run.event = "syscalls";
  profile.run.title = "Counting system calls";
  profile.run.unit = "calls";
  profile.run.frequency_hz = 0;
  profile.run.user_stacks = profile.run.kernel_stacks = false;
  const auto text = [&profile](std::string_view words) { return profile.strings.intern(words); };
  SyscallReport report;
  report.seconds = 5;
  report.cpus_used = 0.25;
  report.by_process = report.has_durations = report.has_failures = true;
  const auto call = [&](std::uint32_t tgid, std::string_view process, std::string_view name, SyscallCategory category,
                        const Durations& durations, std::uint64_t still_waiting = 0) {
    report.calls.push_back({.tgid = tgid,
                            .process = text(process),
                            .name = text(name),
                            .category = category,
                            .count = durations.count + still_waiting,
                            .durations = durations,
                            .errors = {}});
  };
  call(185, "dd", "read", SyscallCategory::file_io, durations_of({{400, 1800}, {700, 90}, {5'000, 9}, {2'000'000, 1}}));
  call(185, "dd", "openat", SyscallCategory::file_io, durations_of({{3'000, 90}, {90'000, 10}}));
  report.calls.back().failed = 12;
  report.calls.back().errors = {{2, 10}, {512, 1}, {999, 1}};
  call(42, "we;ird\n", "recvfrom", SyscallCategory::network, durations_of({{1'500'000'000, 2}}), 1);
  report.calls.back().failed = 1;
  report.calls.back().errors = {{11, 1}};
  call(42, "we;ird\n", "read", SyscallCategory::file_io, durations_of({{200'000, 2}}));
  call(42, "we;ird\n", "syscall 999", SyscallCategory::other, {}, 1);
  profile.syscalls = report;

  DurationTable requests{.id = "block_requests",
                         .title = "Block requests",
                         .column_names = {"device", "operation"},
                         .rows = {},
                         .has_bytes = true};
  requests.rows.push_back({{text("sda"), text("write")}, durations_of({{150'000, 40}, {900'000, 12}}), 212'992});
  requests.rows.push_back({{text("dm;0\x1b"), text("read")}, durations_of({{1'200'000'000, 1}, {180'000, 3}}), 4'096});
  DurationTable locks{.id = "locks", .title = "Lock waits", .column_names = {"lock"}, .rows = {}};
  for (std::uint64_t i = 0; i < 5; ++i) {
    locks.rows.push_back({{text("lock " + std::to_string(i))}, durations_of({{60 + i, 100 - i}}), 0});
  }
  profile.duration_tables = {requests, locks, {.id = "nothing", .title = "Nothing", .column_names = {}, .rows = {}}};
  profile.account.taken = profile.account.recorded = 2005;
  return profile;
}

}  // namespace profile::test
