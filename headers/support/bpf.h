// RAII types over libbpf: an opened object, its links and its ring. It also has two services that every loader needs:
// libbpf's log, and a wait until no running program can still see an old state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "support/fd.h"

struct bpf_link;
struct bpf_map;
struct bpf_object;
struct bpf_program;
struct ring_buffer;

namespace profile {

struct BpfObjectCloser {
  void operator()(bpf_object* object) const noexcept;
};
using BpfObject = std::unique_ptr<bpf_object, BpfObjectCloser>;

struct BpfLinkCloser {
  void operator()(bpf_link* link) const noexcept;
};
using BpfLink = std::unique_ptr<bpf_link, BpfLinkCloser>;

struct RingBufferCloser {
  void operator()(ring_buffer* ring) const noexcept;
};
using RingBuffer = std::unique_ptr<ring_buffer, RingBufferCloser>;

// Opens an object from the bytes of its ELF file (a skeleton's) and loads nothing.
// `types_path`: a file with BTF of the kernel types that the object reads; it must exist until the object is loaded.
// nullptr: libbpf reads all types of the kernel.
[[nodiscard]] BpfObject open_bpf_object(const void* elf, std::size_t size, const char* name,
                                        const char* types_path = nullptr);
// Loads it into the kernel. Throws Error that names the reason: privilege, BTF, lockdown or kernel version.
void load_bpf_object(bpf_object& object);

// `result` comes from a libbpf function that sets something up. Throws Error "cannot <what>" when it is not 0.
void check_bpf(int result, const char* what);

// The map or program of that name. Throws Error when there is none, which is a defect of this program.
[[nodiscard]] bpf_map& bpf_map_named(bpf_object& object, const char* name);
[[nodiscard]] bpf_program& bpf_program_named(bpf_object& object, const char* name);

// The constants of a section, at least `bytes` long. The caller writes them before loading; the object owns the memory.
[[nodiscard]] void* bpf_section_memory(bpf_object& object, const char* section, std::size_t bytes);

// The values of an array map or of a section of global variables, in memory shared with the kernel.
class SharedArray {
 public:
  SharedArray(int map_fd, std::size_t bytes);
  ~SharedArray();
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_;
  std::size_t bytes_;
};

// Sends libbpf's messages to stderr when `verbose`; otherwise drops them.
void set_bpf_log(bool verbose);

// Waits until every BPF program that runs now has ended, so that all its writes are done. The kernel promises this for
// an update of a map of maps (since 5.0): see maybe_wait_bpf_programs() in kernel/bpf/syscall.c.
class ProgramBarrier {
 public:
  ProgramBarrier();
  void wait() const;

 private:
  Fd inner_;
  Fd outer_;
};

// Turns on the kernel's run-time statistics while it lives. on() is false when the kernel refuses.
class BpfRunTimeStats {
 public:
  BpfRunTimeStats();
  [[nodiscard]] bool on() const { return static_cast<bool>(fd_); }

 private:
  Fd fd_;
};

struct BpfCost {
  std::uint64_t runs = 0;
  std::uint64_t run_time_ns = 0;
};
[[nodiscard]] BpfCost cost_of(const bpf_program& program);

}  // namespace profile
