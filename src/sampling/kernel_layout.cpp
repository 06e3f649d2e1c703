#include "sampling/kernel_layout.h"

#include <unistd.h>

#include <bit>
#include <utility>

#include "sampling/types_file.h"

namespace profile {
namespace {

constexpr std::string_view wanted[] = {
    "task_struct",    "mm_struct",       "vm_area_struct", "file",        "inode",       "super_block",     "pt_regs",
    "maple_range_64", "maple_arange_64", "maple_type",     "bpf_func_id", "uprobe_task", "return_instance", "xol_area"};
// THREAD_SIZE of both architectures, as all distributions build them.
constexpr std::uint32_t thread_bytes = 16384;
// The bit that is set while a writer holds the lock of the mappings: with PREEMPT_RT in rwbase_rt::readers (WRITER_BIAS
// of include/linux/rwbase_rt.h), otherwise in rw_semaphore::count (RWSEM_WRITER_LOCKED of kernel/locking/rwsem.c).
constexpr std::uint32_t rt_writer = 1U << 30;
constexpr std::uint32_t writer = 1;

class Finder {
 public:
  explicit Finder(const KernelTypes& types) : types_(types) {}

  // For a member that must exist: otherwise it is added to missing().
  std::uint32_t bytes_at(std::string_view structure, std::string_view path) {
    if (const auto found = types_.member(structure, path)) return found->bits_at / 8;
    missing_ += (missing_.empty() ? "" : ", ") + std::string(structure) + "." + std::string(path);
    return 0;
  }
  std::uint32_t words_at(std::string_view structure, std::string_view path) {
    return bytes_at(structure, path) / static_cast<std::uint32_t>(sizeof(std::uint64_t));
  }
  std::uint32_t elements(std::string_view structure, std::string_view path) {
    const auto found = types_.member(structure, path);
    return found ? types_.elements(*found) : 0;
  }
  void lacks(std::string_view what) { missing_ += (missing_.empty() ? "" : ", ") + std::string(what); }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  const KernelTypes& types_;
  std::string missing_;
};

void find_tree(const KernelTypes& types, Finder& finder, kernel_layout& layout) {
  if (!types.member("mm_struct", "mm_mt")) {
    layout.tree = LAYOUT_RED_BLACK_TREE;
    layout.mm_tree = finder.bytes_at("mm_struct", "mm_rb.rb_node");
    layout.vma_node = finder.bytes_at("vm_area_struct", "vm_rb");
    return;
  }
  layout.tree = LAYOUT_MAPLE_TREE;
  layout.mm_tree = finder.bytes_at("mm_struct", "mm_mt.ma_root");
  const auto type = [&](std::string_view name) {
    const auto value = types.enumerator("maple_type", name);
    if (!value) finder.lacks(name);
    return static_cast<std::uint32_t>(value.value_or(0));
  };
  layout.leaf_type = type("maple_leaf_64");
  layout.range_type = type("maple_range_64");
  layout.gap_type = type("maple_arange_64");
  layout.range_pivots_at = finder.words_at("maple_range_64", "pivot");
  layout.range_slots_at = finder.words_at("maple_range_64", "slot");
  layout.range_pivots = finder.elements("maple_range_64", "pivot");
  layout.gap_pivots_at = finder.words_at("maple_arange_64", "pivot");
  layout.gap_slots_at = finder.words_at("maple_arange_64", "slot");
  layout.gap_pivots = finder.elements("maple_arange_64", "pivot");
  // A node has 32 words.
  if (layout.range_pivots == 0 || layout.gap_pivots == 0 || layout.range_pivots > 15 || layout.gap_pivots > 15) {
    finder.lacks("nodes of the maple tree as they are known");
  }
}

void find_sequence(const KernelTypes& types, Finder& finder, kernel_layout& layout) {
  layout.sequence = LAYOUT_NO_SEQUENCE;
  if (const auto sequence = types.member("mm_struct", "mm_lock_seq")) {
    layout.sequence = types.is_structure(*sequence) ? LAYOUT_COUNTS : LAYOUT_UNLOCKS;
    layout.mm_sequence =
        layout.sequence == LAYOUT_COUNTS ? finder.bytes_at("mm_struct", "mm_lock_seq.sequence") : sequence->bits_at / 8;
  } else if (const auto counter = types.member("mm_struct", "vmacache_seqnum");
             counter && layout.tree == LAYOUT_RED_BLACK_TREE && types.bytes(*counter) == sizeof(std::uint64_t)) {
    layout.sequence = LAYOUT_VMACACHE;
    layout.mm_sequence = counter->bits_at / 8;
  }
  if (const auto lock = types.member("mm_struct", "mmap_lock.count")) {
    layout.mm_lock = lock->bits_at / 8;
    layout.mm_lock_mask = writer;
  } else if (const auto rt_lock = types.member("mm_struct", "mmap_lock.rwbase.readers")) {
    layout.mm_lock = rt_lock->bits_at / 8;
    layout.mm_lock_mask = rt_writer;
  }
}

void find_task(const KernelTypes& types, Finder& finder, kernel_layout& layout) {
  layout.task_mm = finder.bytes_at("task_struct", "mm");
  layout.task_stack = finder.bytes_at("task_struct", "stack");
  layout.task_exec_id = finder.bytes_at("task_struct", "self_exec_id");
  // Only frames of some scripts need it.
#ifdef __aarch64__
  constexpr std::string_view thread_base = "thread.uw.tp_value";
#else
  constexpr std::string_view thread_base = "thread.fsbase";
#endif
  if (const auto base = types.member("task_struct", thread_base)) layout.task_thread_base = base->bits_at / 8;
  layout.has_typed_pointers = types.enumerator("bpf_func_id", "BPF_FUNC_task_pt_regs") ? 1 : 0;
  const std::uint32_t regs = types.size_of("pt_regs").value_or(0);
  if (regs == 0 || regs > thread_bytes) finder.lacks("pt_regs");
  layout.task_regs_at = thread_bytes - regs;
}

// A time of struct inode, "i_mtime" or "i_ctime". The kernel has had three names for its members so far.
void find_time(const std::string& name, const KernelTypes& types, Finder& finder, std::uint32_t& seconds_at,
               std::uint32_t& ns_at) {
  const std::pair<std::string, std::string> names[] = {{name + "_sec", name + "_nsec"},
                                                       {"__" + name + ".tv_sec", "__" + name + ".tv_nsec"},
                                                       {name + ".tv_sec", name + ".tv_nsec"}};
  for (const auto& [seconds, ns] : names) {
    if (!types.member("inode", seconds)) continue;
    seconds_at = finder.bytes_at("inode", seconds);
    ns_at = finder.bytes_at("inode", ns);
    return;
  }
  finder.lacks("inode." + name);
}

void find_mappings(Finder& finder, kernel_layout& layout) {
  layout.mm_start_stack = finder.bytes_at("mm_struct", "start_stack");
  layout.mm_vdso = finder.bytes_at("mm_struct", "context.vdso");
  layout.vma_start = finder.bytes_at("vm_area_struct", "vm_start");
  layout.vma_end = finder.bytes_at("vm_area_struct", "vm_end");
  layout.vma_mm = finder.bytes_at("vm_area_struct", "vm_mm");
  layout.vma_offset = finder.bytes_at("vm_area_struct", "vm_pgoff");
  layout.vma_file = finder.bytes_at("vm_area_struct", "vm_file");
  layout.vma_flags = finder.bytes_at("vm_area_struct", "vm_flags");
  layout.file_inode = finder.bytes_at("file", "f_inode");
  layout.inode_number = finder.bytes_at("inode", "i_ino");
  layout.inode_generation = finder.bytes_at("inode", "i_generation");
  layout.inode_super = finder.bytes_at("inode", "i_sb");
  layout.super_device = finder.bytes_at("super_block", "s_dev");
  for (const std::uint32_t at :
       {layout.vma_start, layout.vma_end, layout.vma_mm, layout.vma_offset, layout.vma_file, layout.vma_flags}) {
    if (at > LAYOUT_VMA_BYTES - sizeof(std::uint64_t)) finder.lacks("a mapping's members where they are known");
  }
}

// Kernels without uprobes lack all of these; task_probes is 0 then.
void find_probes(const KernelTypes& types, kernel_layout& layout) {
  bool has_all = true;
  const auto at = [&](std::string_view structure, std::string_view path) {
    const auto found = types.member(structure, path);
    has_all = has_all && found;
    return found ? found->bits_at / 8 : 0;
  };
  const std::uint32_t probes = at("task_struct", "utask");
  layout.probes_returns = at("uprobe_task", "return_instances");
  layout.return_address = at("return_instance", "orig_ret_vaddr");
  layout.return_stack = at("return_instance", "stack");
  layout.return_next = at("return_instance", "next");
  layout.mm_probe_area = at("mm_struct", "uprobes_state.xol_area");
  layout.probe_area_start = at("xol_area", "vaddr");
  layout.task_probes = has_all ? probes : 0;
  const auto copy = types.member("uprobe_task", "xol_vaddr");
  const auto instruction = types.member("uprobe_task", "vaddr");
  if (!copy || !instruction) return;
  layout.probes_copy = copy->bits_at / 8;
  layout.probes_instruction = instruction->bits_at / 8;
}

}  // namespace

std::optional<std::string> layout_of(const KernelTypes& types, kernel_layout& layout) {
  layout = {};
  Finder finder(types);
  find_tree(types, finder, layout);
  find_sequence(types, finder, layout);
  find_task(types, finder, layout);
  find_mappings(finder, layout);
  find_time("i_mtime", types, finder, layout.inode_modified_s, layout.inode_modified_ns);
  find_time("i_ctime", types, finder, layout.inode_changed_s, layout.inode_changed_ns);
  find_probes(types, layout);
  layout.page_shift = static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned long>(::sysconf(_SC_PAGESIZE))));
  if (finder.missing().empty()) return std::nullopt;
  return "the kernel's types have not what is needed: " + finder.missing();
}

std::optional<std::string> read_kernel_layout(kernel_layout& layout) {
  const TypesFile file;
  const auto bytes = file.bytes();
  if (bytes.empty()) return "this kernel has no BTF, the description of its types (CONFIG_DEBUG_INFO_BTF)";
  const auto types = KernelTypes::read(bytes, wanted);
  if (!types) return "what the kernel tells of its types (BTF) cannot be read";
  return layout_of(*types, layout);
}

}  // namespace profile
