#include "sampling/blocked_tasks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/bpf.h"
#include "support/error.h"
#include "support/fd.h"

namespace profile {
namespace {

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
