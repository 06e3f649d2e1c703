#include "support/probe_link.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "support/bpf.h"

namespace profile {
namespace {

// The headers of Debian 12 are older than these links.
constexpr auto trace_uprobe_multi = static_cast<bpf_attach_type>(48);
constexpr std::uint32_t flag_on_return = 1;
struct LinkCreate {
  std::uint32_t program = 0;
  std::uint32_t target = 0;
  std::uint32_t attach_type = trace_uprobe_multi;
  std::uint32_t flags = 0;
  std::uint64_t path = 0;
  std::uint64_t offsets = 0;
  std::uint64_t ref_counter_offsets = 0;
  std::uint64_t cookies = 0;
  std::uint32_t count = 0;
  std::uint32_t link_flags = 0;
  std::uint32_t tgid = 0;
  std::uint32_t padding = 0;
};

template <class Value>
std::uint64_t address_of(const Value* value) {
  return reinterpret_cast<std::uint64_t>(value);
}

// A program that does nothing.
Fd idle_program() {
  const std::array<bpf_insn, 2> code{
      bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
      bpf_insn{.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
  LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = trace_uprobe_multi);
  return Fd(bpf_prog_load(BPF_PROG_TYPE_KPROBE, "idle", "GPL", code.data(), code.size(), &options));
}

}  // namespace

bool has_probe_links() {
  const Fd program = idle_program();
  if (!program) return false;
  // No file to probe: a kernel without such links does not look at the path.
  const std::uint64_t offset = 1;
  const Fd none = open_probe_link({.program = program.get(), .path = "/", .offsets = std::span(&offset, 1)});
  return !none && errno == EBADF;
}

void load_for_probe_link(bpf_program& program) {
  check_bpf(bpf_program__set_expected_attach_type(&program, trace_uprobe_multi), "prepare a BPF program for probes");
}

Fd open_probe_link(const ProbeLink& link) {
  LinkCreate create;
  create.program = static_cast<std::uint32_t>(link.program);
  create.path = address_of(link.path);
  create.offsets = address_of(link.offsets.data());
  create.cookies = link.cookies.empty() ? 0 : address_of(link.cookies.data());
  create.count = static_cast<std::uint32_t>(link.offsets.size());
  create.link_flags = link.on_return ? flag_on_return : 0;
  create.tgid = link.tgid;
  return Fd(static_cast<int>(::syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof create)));
}

}  // namespace profile
