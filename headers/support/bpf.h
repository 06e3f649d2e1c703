// RAII over libbpf: an opened object, its links, and the two services every loader needs, the library's log and the
// wait until no running program can see an old state.
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

// Opens an object from the bytes of its ELF file (a skeleton's). Nothing is loaded yet. `types_path`: BTF of the kernel
// types that it reads, needed until it is loaded; nullptr: libbpf reads all that the kernel has.
[[nodiscard]] BpfObject open_bpf_object(const void* elf, std::size_t size, const char* name,
                                        const char* types_path = nullptr);
// Loads it into the kernel. Throws Error with what is missing: privilege, BTF, lockdown, kernel version.
void load_bpf_object(bpf_object& object);

// Throws Error when `result`, of one of libbpf's functions that set something up, is not 0: "cannot <what>".
void check_bpf(int result, const char* what);

// The map or program of that name; it is an error in this program if there is none.
[[nodiscard]] bpf_map& bpf_map_named(bpf_object& object, const char* name);
[[nodiscard]] bpf_program& bpf_program_named(bpf_object& object, const char* name);

// The constants of a section, at least `bytes` long, to be written before loading. Owned by the object.
[[nodiscard]] void* bpf_section_memory(bpf_object& object, const char* section, std::size_t bytes);

// The values of an array map or a section of global variables, shared with the kernel.
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

// Where libbpf's messages go: to stderr when `verbose`, otherwise nowhere.
void set_bpf_log(bool verbose);

// Waits until every BPF program that was running has ended, so that what they could still have written is written. The
// kernel promises this for an update of a map of maps (since 5.0): see maybe_wait_bpf_programs() in
// kernel/bpf/syscall.c.
class ProgramBarrier {
 public:
  ProgramBarrier();
  void wait() const;

 private:
  Fd inner_;
  Fd outer_;
};

// Turns the kernel's run-time statistics on for as long as it lives; off (and false) where the kernel refuses.
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
