// The table of the child processes: what each is called and does, what it keeps of the profiler's rights, and what
// limits it. A file of another user may take some of them over, so a row grants only what its work needs.
#pragma once

#include <linux/capability.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profile {

enum class ChildKind : std::uint8_t { keeper, opener, parser, fetcher, prober, pusher, asker, writer, count };

// The variable of the environment that has the credentials of --push. Those that read the files of others, and the
// command that is profiled, do not get it.
inline constexpr const char* push_secret = "PROFILE_PUSH_AUTH";

// A right or a limit that stays the profiler's.
inline constexpr std::uint64_t inherited = UINT64_MAX;

struct ChildRow {
  ChildKind kind;
  const char* name;                        // as ps(1) shows it
  std::string_view task;                   // what it runs, as in_words() says it
  std::uint64_t capabilities = inherited;  // that it keeps, a bit for each of Linux's numbers
  uid_t user = 0;                          // that it becomes where this is permitted; 0: the profiler's
  int signal_at_end = SIGKILL;             // that it gets when its parent ends
  bool gives_descriptors = false;          // it sends some to the main process
  bool only_reads = false;                 // any other system call kills it
  bool is_alone = false;                   // it can start threads, but no process, and reach no other one
  bool answers_in_pipe = false;            // its channel is of ChildEnds
  bool is_confined_late = false;           // it needs the profiler's rights at first, and calls confine() itself
  std::size_t descriptors = 0;             // the limit is raised to so many; 0: it stays
  std::uint64_t most_descriptors = inherited;
  std::uint64_t most_threads = inherited;   // of its user
  std::uint64_t file_bytes = inherited;     // of each file that it writes
  std::uint64_t memory_bytes = inherited;   // of its own
  std::uint64_t address_bytes = inherited;  // of its own and shared memory
  std::uint64_t stack_bytes = inherited;
};

template <class... Numbers>
[[nodiscard]] constexpr std::uint64_t capabilities(Numbers... numbers) {
  return (std::uint64_t{0} | ... | (std::uint64_t{1} << numbers));
}

inline constexpr std::array child_rows{
    ChildRow{
        .kind = ChildKind::keeper, .name = "profile-keeper", .task = "starts the others", .gives_descriptors = true},
    ChildRow{.kind = ChildKind::opener,
             .name = "profile-opener",
             .task = "opens files",
             // Looking into map_files needs CAP_CHECKPOINT_RESTORE.
             .capabilities = capabilities(CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE),
             .descriptors = 16384 + 1024},
    ChildRow{.kind = ChildKind::parser,
             .name = "profile-parser",
             .task = "reads files",
             .capabilities = capabilities(),
             // A user id that no user has, so that no user may send signals to the parser. It is in a range that
             // systemd's documentation ("Users, Groups, UIDs and GIDs") leaves without a use.
             .user = 2'130'706'433,
             .only_reads = true,
             .file_bytes = 0,
             // The lines of the largest programs take half a gigabyte.
             .memory_bytes = std::uint64_t{2} << 30,
             .address_bytes = std::uint64_t{4} << 30,
             // The deepest names that are demangled need 7 MB, with sanitizers three times as much.
             .stack_bytes = std::uint64_t{32} << 20},
    ChildRow{.kind = ChildKind::fetcher,
             .name = "profile-fetch",
             .task = "asks debuginfod servers",
             .capabilities = capabilities(),
             // Another user id that no user has: it can neither read nor write what belongs to others.
             .user = 2'130'706'434,
             // Not SIGKILL: gigabytes of a file that was coming would stay in the cache.
             .signal_at_end = SIGTERM,
             .is_alone = true,
             .answers_in_pipe = true,
             .is_confined_late = true,
             .most_descriptors = 256,
             .most_threads = 256,
             // A server may send without an end. This is more than the fetcher takes of one file by itself.
             .file_bytes = std::uint64_t{2} << 30,
             .memory_bytes = std::uint64_t{2} << 30,
             .address_bytes = std::uint64_t{4} << 30},
    ChildRow{.kind = ChildKind::prober,
             .name = "profile-prober",
             .task = "puts probes into files",
             .capabilities = capabilities(CAP_PERFMON, CAP_SYS_ADMIN, CAP_SYS_PTRACE),
             .gives_descriptors = true},
    ChildRow{.kind = ChildKind::pusher,
             .name = "profile-push",
             .task = "pushes profiles",
             .capabilities = capabilities(),
             // As the fetcher's, but another one: what waits in a spool is not to be its.
             .user = 2'130'706'435,
             // It ignores this: it ends when its channel does, and has put into the spool what it was given.
             .signal_at_end = SIGTERM,
             // A process of its own would outlive it, with the lock of the spool.
             .is_alone = true,
             .answers_in_pipe = true,
             .is_confined_late = true,
             // What it is handed lies in memory that is not counted as its own.
             .most_descriptors = 256,
             .most_threads = 256,
             // The largest request is a profile of some megabytes.
             .file_bytes = std::uint64_t{256} << 20,
             // What may wait in memory for a dozen servers.
             .memory_bytes = std::uint64_t{1} << 30,
             .address_bytes = std::uint64_t{4} << 30},
    ChildRow{.kind = ChildKind::asker,
             .name = "profile-ask",
             .task = "asks a store",
             .capabilities = capabilities(),
             .user = 2'130'706'436,
             .is_alone = true,
             .answers_in_pipe = true,
             .is_confined_late = true,
             .most_descriptors = 64,
             .most_threads = 64,
             .file_bytes = 0,
             // What it gets is handed on in pieces.
             .memory_bytes = std::uint64_t{256} << 20,
             .address_bytes = std::uint64_t{4} << 30},
    ChildRow{.kind = ChildKind::writer, .name = "profile-writer", .task = "writes where writing may take for ever"}};

[[nodiscard]] constexpr const ChildRow& row_of(ChildKind kind) {
  return *std::ranges::find(child_rows, kind, &ChildRow::kind);
}
// "the process that opens files"
[[nodiscard]] inline std::string in_words(ChildKind kind) {
  return "the process that " + std::string(row_of(kind).task);
}

// Takes from this process what the row does not grant; this cannot be undone. A child is confined before it runs,
// unless its row says that it does that itself.
void confine(ChildKind kind) noexcept;
// Throws Error, which names `option`, if confine() could not make this process another user than root: then it could
// write root's files.
void check_is_not_root(const std::string& option);

}  // namespace profile
