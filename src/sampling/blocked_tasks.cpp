#include "sampling/blocked_tasks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "process/stack_walk.h"
#include "support/bpf.h"
#include "support/error.h"
#include "support/fd.h"

namespace profile {
namespace {

// The limit for all copies together; each stack gets at least one page.
constexpr std::size_t most_copied_bytes = 16U << 20;
constexpr std::size_t page_bytes = 4096;

std::vector<char> read_all(int fd) {
  std::vector<char> records;
  for (ssize_t got = 1; got > 0;) {
    const std::size_t at = records.size();
    records.resize(at + (1U << 16));
    do {
      got = ::read(fd, records.data() + at, records.size() - at);
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw system_error("cannot read the threads that are blocked", errno);
    records.resize(at + static_cast<std::size_t>(got));
  }
  return records;
}

}  // namespace

std::size_t bytes_of_stack(std::size_t threads) {
  return std::clamp<std::size_t>(most_copied_bytes / std::max<std::size_t>(threads, 1), page_bytes,
                                 UNFINISHED_MOST_BYTES);
}

std::vector<std::uint64_t> frames_of(const blocked_task& task, std::string_view stack, std::size_t most_frames) {
  if (task.head.user_bytes < 0) return {};
  return walk_user_stack({.instruction = {task.ip}, .stack_pointer = {task.sp}, .frame_pointer = {task.fp}}, stack,
                         most_frames);
}

std::unique_ptr<ring_unfinished> unfinished_walk_of(const blocked_task& task, std::string_view stack) {
  auto begun = std::make_unique_for_overwrite<ring_unfinished>();
  std::memset(begun.get(), 0, offsetof(ring_unfinished, stack));
  begun->header.type = RING_UNFINISHED;
  begun->time_ns = task.head.time_ns;
  begun->stuck = {.pc = task.ip,
                  .sp = task.sp,
                  .fp = task.fp,
                  .extra = task.extra,
                  .file = {},
                  .depth = 1,
                  .lost = 0,
                  .was_interrupted = 1,
                  .unused = 0};
  begun->start_stack = task.start_stack;
  std::copy(std::begin(task.registers), std::end(task.registers), begun->innermost);
  begun->bytes = static_cast<__u32>(stack.copy(begun->stack, sizeof begun->stack));
  begun->of_span = UNFINISHED_BLOCKED;
  return begun;
}

std::vector<BlockedTask> read_blocked_tasks(const bpf_program& scan) {
  const BpfLink link(bpf_program__attach_iter(&scan, nullptr));
  if (!link) throw system_error("cannot look over the threads that are blocked", errno);
  const Fd fd(bpf_iter_create(bpf_link__fd(link.get())));
  if (!fd) throw system_error("cannot look over the threads that are blocked", errno);
  const std::vector<char> records = read_all(fd.get());
  std::vector<BlockedTask> all;
  for (std::size_t at = 0; records.size() - at >= sizeof(blocked_task);) {
    BlockedTask blocked;
    std::memcpy(&blocked.task, records.data() + at, sizeof blocked.task);
    at += sizeof blocked.task;
    const auto stack_bytes = static_cast<std::size_t>(std::max(0, blocked.task.head.kernel_bytes));
    if (records.size() - at < stack_bytes) break;
    blocked.kernel.resize(stack_bytes / sizeof(std::uint64_t));
    if (stack_bytes != 0) std::memcpy(blocked.kernel.data(), records.data() + at, stack_bytes);
    at += stack_bytes;
    all.push_back(std::move(blocked));
  }
  return all;
}

}  // namespace profile
