// Reads in /proc about the processes that exist now. It is an interface, so that the timeline can be tested without
// processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/fd.h"

namespace profile {

struct ProcSnapshot {
  std::string comm;
  std::string code_lines;  // executable lines of its maps; empty for a kernel thread or an exiting process
  bool is_kernel_thread = false;
};

// Whether a thread of the process `id` still runs. If `id` is a thread's id: whether that thread does. A thread that
// has ended, and that its parent has not waited for, can still be found in /proc but does not run.
[[nodiscard]] bool has_running_thread(std::uint32_t id);

// Which user a process belongs to.
struct ProcessOwner {
  std::uint32_t uid = 0;
  std::uint32_t innermost_tgid = 0;  // the number of the process in its own PID namespace
};
// The text of /proc/PID/status; nullopt when the process is gone.
[[nodiscard]] std::optional<std::string> status_of_process(std::uint32_t tgid);
[[nodiscard]] std::optional<ProcessOwner> owner_in_status(std::string_view status);
// nullopt when the process is gone.
[[nodiscard]] std::optional<ProcessOwner> owner_of_process(std::uint32_t tgid);

class ProcSource {
 public:
  virtual ~ProcSource() = default;
  [[nodiscard]] virtual std::uint64_t now_ns() = 0;  // CLOCK_MONOTONIC
  [[nodiscard]] virtual std::vector<std::uint32_t> tgids() = 0;
  // The process that the thread belongs to; 0 when there is no such thread.
  [[nodiscard]] virtual std::uint32_t tgid_of(std::uint32_t tid) = 0;
  // False when the process is gone. Overwrites `snapshot` and uses its memory again.
  [[nodiscard]] virtual bool read(std::uint32_t tgid, ProcSnapshot& snapshot) = 0;
  [[nodiscard]] virtual bool is_alive(std::uint32_t tgid) = 0;
  // As has_running_thread().
  [[nodiscard]] virtual bool is_running(std::uint32_t tgid) = 0;
  // The inode of the mount namespace; 0 when not known. For tgid 0 it is our own.
  [[nodiscard]] virtual std::uint64_t mount_namespace(std::uint32_t tgid) = 0;
  // The user of the process; nullopt when it is gone.
  [[nodiscard]] virtual std::optional<std::uint32_t> user_of(std::uint32_t tgid) = 0;
  // The device of our root file system, in the same numbers as FileIdentity. This file system is never unmounted.
  struct Device {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
  };
  [[nodiscard]] virtual Device root_device() = 0;
};

class KernelProcSource final : public ProcSource {
 public:
  KernelProcSource();
  std::uint64_t now_ns() override;
  std::vector<std::uint32_t> tgids() override;
  std::uint32_t tgid_of(std::uint32_t tid) override;
  bool read(std::uint32_t tgid, ProcSnapshot& snapshot) override;
  bool is_alive(std::uint32_t tgid) override;
  bool is_running(std::uint32_t tgid) override;
  std::uint64_t mount_namespace(std::uint32_t tgid) override;
  std::optional<std::uint32_t> user_of(std::uint32_t tgid) override;
  Device root_device() override;

 private:
  [[nodiscard]] bool ask_for_code_lines(int maps, std::string& out);
  [[nodiscard]] bool read_code_lines(const std::string& path, std::string& out);
  [[nodiscard]] bool read_lines_of_any_thread(std::uint32_t tgid, std::string& out);
  [[nodiscard]] bool is_kernel_thread(std::uint32_t tgid) const;
  [[nodiscard]] bool read_comm(std::uint32_t tgid, std::string& out) const;

  Fd proc_;
  std::vector<char> buffer_;
  bool can_ask_ = true;  // the kernel may answer ask_for_code_lines()
};

}  // namespace profile
