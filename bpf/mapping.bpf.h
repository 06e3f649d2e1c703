/* Finds the mapping of the current address space that holds an address. It reads the kernel's tree of mappings without
 * the lock. So a mapping may disappear at any moment, and the checks below make that harmless. */
#ifndef PROFILE_MAPPING_BPF_H
#define PROFILE_MAPPING_BPF_H

#include "known_spaces.bpf.h"
#include "layout.bpf.h"
#include "run.bpf.h"
#include "script_step.bpf.h"
#include "walk_maps.bpf.h"

enum level { LEVEL_GOES_ON, LEVEL_NOTHING, LEVEL_VMA };

/* Goes one level down the maple tree. A node has 256 bytes and is aligned to that; the low byte of a pointer to it
 * holds its type. include/linux/maple_tree.h */
__noinline int maple_level(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return LEVEL_NOTHING;
  const __u64 entry = walk->entry, node_at = entry & ~255ULL;
  const __u32 type = entry >> 3 & 15;
  if (entry <= 4096) return LEVEL_NOTHING;
  __u64 *node = walk->node;
  if (bpf_probe_read_kernel(node, NODE_WORDS * sizeof(__u64), (void *)node_at)) return LEVEL_NOTHING;
  /* A dead node is its own parent. Its content was true until now, so this walk may use it but the next one may not. */
  if (node[0] == node_at) walk->keep_nothing = 1;
  __u32 pivots, pivots_at, slots_at;
  if (type == layout.gap_type) {
    pivots = layout.gap_pivots;
    pivots_at = layout.gap_pivots_at;
    slots_at = layout.gap_slots_at;
  } else if (type == layout.range_type || type == layout.leaf_type) {
    pivots = layout.range_pivots;
    pivots_at = layout.range_pivots_at;
    slots_at = layout.range_slots_at;
  } else {
    return LEVEL_NOTHING;
  }
  __u32 i = 0;
  for (i = 0; i < 15; i++) {
    if (i >= pivots) break;
    const __u64 pivot = node[(pivots_at + i) & (NODE_WORDS - 1)];
    if (pivot >= walk->vma_address) {
      walk->high = pivot;
      break;
    }
    if (!pivot && i) break; /* behind the last slot in use */
    walk->low = pivot + 1;
  }
  walk->entry = node[(slots_at + i) & (NODE_WORDS - 1)];
  return type == layout.leaf_type ? LEVEL_VMA : LEVEL_GOES_ON;
}

/* Goes one level down the red-black tree of kernels before 6.1. A node lies inside its VMA. */
__noinline int red_black_level(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk || !walk->entry) return LEVEL_NOTHING;
  __u64 *vma = walk->node;
  const __u64 vma_at = walk->entry - layout.vma_node;
  if (bpf_probe_read_kernel(vma, LAYOUT_VMA_BYTES, (void *)vma_at)) return LEVEL_NOTHING;
  const __u32 node = layout.vma_node / 8; /* its words: parent, right, left */
  if (walk->vma_address >= vma[layout.vma_end / 8 & (NODE_WORDS - 1)]) {
    walk->entry = vma[(node + 1) & (NODE_WORDS - 1)];
  } else if (walk->vma_address < vma[layout.vma_start / 8 & (NODE_WORDS - 1)]) {
    walk->entry = vma[(node + 2) & (NODE_WORDS - 1)];
  } else {
    walk->entry = vma_at;
    return LEVEL_VMA;
  }
  return LEVEL_GOES_ON;
}

#define VMA_EXECUTABLE 4 /* VM_EXEC of include/linux/mm.h */
#define VMA_WORD(walk, member) (walk)->node[layout.member / 8 & (NODE_WORDS - 1)]

/* Puts the mapping that holds walk->vma_address into walk's entry, start, end, file and offset. Returns an enum found.
 */
__noinline int find_vma(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return FOUND_NOTHING;
  if (READ_AT(walk->entry, walk->mm, mm_tree)) return FOUND_NOTHING;
  int level = LEVEL_GOES_ON;
  if (layout.tree == LAYOUT_MAPLE_TREE) {
    if ((walk->entry & 3) != 2) return FOUND_NOTHING; /* only the root has this mark: it points to a node */
    walk->low = 0;
    walk->high = ~0ULL;
    for (int i = 0; i < 6 && level == LEVEL_GOES_ON; i++) level = maple_level(slot);
  } else {
    for (int i = 0; i < 40 && level == LEVEL_GOES_ON; i++) level = red_black_level(slot);
  }
  if (level != LEVEL_VMA || !walk->entry) return FOUND_NOTHING;
  if (bpf_probe_read_kernel(walk->node, LAYOUT_VMA_BYTES, (void *)walk->entry)) return FOUND_TORN;
  walk->start = VMA_WORD(walk, vma_start);
  walk->end = VMA_WORD(walk, vma_end);
  walk->offset = VMA_WORD(walk, vma_offset);
  walk->file = VMA_WORD(walk, vma_file);
  /* A freed VMA may have an rcu_head in the place of its range: 0 and the address of a kernel function. Such a range
   * would hold every address. */
  if (walk->vma_address - walk->start >= walk->end - walk->start || walk->end >> 63) return FOUND_TORN;
  if (VMA_WORD(walk, vma_mm) != walk->mm) return FOUND_TORN;
  /* No call comes from memory that is not executable. */
  if (!walk->of_any_size && !(VMA_WORD(walk, vma_flags) & VMA_EXECUTABLE)) return FOUND_NOTHING;
  /* During a split or a merge the range and the offset may not fit together. Then the tree and the VMA disagree. */
  if (layout.tree == LAYOUT_MAPLE_TREE && !walk->of_any_size &&
      (walk->start != walk->low || walk->end - 1 != walk->high)) {
    return FOUND_TORN;
  }
  return FOUND;
}

/* Whether the VMA has changed since find_vma(). If it has not, it held its file all the time. */
__noinline int has_changed(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return 1;
  if (bpf_probe_read_kernel(walk->node, LAYOUT_VMA_BYTES, (void *)walk->entry)) return 1;
  return VMA_WORD(walk, vma_start) != walk->start || VMA_WORD(walk, vma_end) != walk->end ||
         VMA_WORD(walk, vma_mm) != walk->mm || VMA_WORD(walk, vma_offset) != walk->offset ||
         VMA_WORD(walk, vma_file) != walk->file;
}

/* Most of what makes a file's key lies in this part of struct inode, which one read takes into walk->node. */
#define INODE_BYTES 128
#define TAKE_FROM_INODE(to, inode, member)                                                          \
  (layout.member + sizeof(to) <= INODE_BYTES                                                        \
       ? ((to) = *(__typeof__(to) *)((char *)walk->node + (layout.member & (INODE_BYTES - 1))), 0L) \
       : READ_AT(to, inode, member))

static __always_inline bool read_file_key(struct walk *walk) {
  struct walk_file_key *key = &walk->key;
  __u64 inode = 0, super = 0;
  __u32 inode_generation = 0, modified_s = 0, modified_ns = 0, changed_s = 0, changed_ns = 0;
  if (READ_AT(inode, walk->file, file_inode)) return false;
  if (bpf_probe_read_kernel(walk->node, INODE_BYTES, (void *)inode)) return false;
  if (TAKE_FROM_INODE(key->inode, inode, inode_number) || TAKE_FROM_INODE(inode_generation, inode, inode_generation) ||
      TAKE_FROM_INODE(modified_s, inode, inode_modified_s) || TAKE_FROM_INODE(modified_ns, inode, inode_modified_ns) ||
      TAKE_FROM_INODE(changed_s, inode, inode_changed_s) || TAKE_FROM_INODE(changed_ns, inode, inode_changed_ns) ||
      TAKE_FROM_INODE(super, inode, inode_super)) {
    return false;
  }
  key->version =
      WALK_FILE_VERSION(inode_generation, modified_s, modified_ns, changed_s, changed_ns & WALK_FILE_NS_MASK);
  return READ_AT(key->device, super, super_device) == 0;
}

/* Asks user space once for the table of an unknown file. */
static __always_inline void ask_for(struct walk *walk) {
  walk->asked = (struct walk_file){.state = WALK_FILE_ASKED, .met = 1};
  if (bpf_map_update_elem(&walk_files, &walk->key, &walk->asked, BPF_NOEXIST)) return;
  struct ring_file *question = bpf_ringbuf_reserve(&ring, sizeof(*question), 0);
  if (!question) {
    bpf_map_delete_elem(&walk_files, &walk->key);
    return;
  }
  question->header.type = RING_FILE;
  question->header.generation = 0;
  question->key = walk->key;
  question->time_ns = bpf_ktime_get_ns();
  question->start = walk->start;
  question->end = walk->end;
  question->tgid = walk->tgid;
  question->unused = 0;
  bpf_ringbuf_submit(question, BPF_RB_FORCE_WAKEUP);
}

static __always_inline void take_table(struct walk *walk) {
  struct walk_mapping *mapping = &walk->mapping;
  if (walk_config.mode == WALK_POINTERS) return;
  struct walk_file *file = bpf_map_lookup_elem(&walk_files, &walk->key);
  if (file) {
    __sync_fetch_and_add(&file->met, 1);
    const __u32 state = file->state;
    mapping->first_page = file->first_page;
    mapping->pages = file->pages;
    mapping->pages_at = file->pages_at;
    mapping->rules_at = file->rules_at;
    mapping->layout = file->layout;
    /* When user space replaces an element, the kernel may give its memory to another file at once. */
    const bool still_there = bpf_map_lookup_elem(&walk_files, &walk->key) == file;
    if (still_there && state == WALK_FILE_NONE) return;
    if (still_there && state == WALK_FILE_READY) {
      mapping->kind = MAPPING_TABLE;
      return;
    }
  }
  if (!file) ask_for(walk);
  mapping->kind = MAPPING_PENDING;
  walk->keep_nothing = 1; /* the table may come at any moment */
}

/* Finds the VMA that holds walk->vma_address, and its file. Tries twice when the VMA changes during the first try. */
static __always_inline int find_file(struct walk *walk) {
  int found = FOUND_TORN;
  for (int tries = 0; tries < 2 && found == FOUND_TORN; tries++) {
    found = find_vma(walk->slot);
    if (found != FOUND) continue;
    /* A writer may have changed the start but not yet the offset: 6.1 updates the tree between the two. */
    if (layout.mm_lock_mask) {
      __u32 holders = 0;
      READ_AT(holders, walk->mm, mm_lock);
      if (holders & layout.mm_lock_mask) {
        walk->is_unsure = 1;
        walk->keep_nothing = 1;
      }
    }
    if (walk->file && (!read_file_key(walk) || has_changed(walk->slot))) found = FOUND_TORN;
  }
  return found;
}

/* Different for the same address in another file, and for another part of the file. */
static __always_inline __u64 identity_of(const struct walk_file_key *key, __u64 bias) {
  const __u64 odd[2] = {walk_config.seed[0] | 1, walk_config.seed[1] | 1};
  return ((key->inode * odd[0] ^ ((__u64)key->device << 32 | key->version)) * odd[1] ^ bias) * odd[0];
}

/* Takes the file whose code has been copied to the process's own memory. False: none has. */
static __always_inline bool take_copied_file(struct walk *walk) {
  walk->copy = (struct walk_copy_key){.start = walk->start, .end = walk->end, .tgid = walk->tgid};
  const struct walk_copy *copy = bpf_map_lookup_elem(&walk_copies, &walk->copy);
  if (!copy) return false;
  walk->key = copy->file;
  walk->mapping.bias = copy->bias;
  walk->mapping.identity = identity_of(&walk->key, copy->bias);
  return true;
}

__noinline int find_mapping(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return FOUND_NOTHING;
  if (recall_mapping(walk, walk->place)) return FOUND;

  walk->vma_address = walk->place;
  walk->key = (struct walk_file_key){};
  const int found = find_file(walk);
  if (found != FOUND) return found;
  struct walk_mapping *mapping = &walk->mapping;
  mapping->start = walk->start;
  mapping->bytes = walk->end - walk->start;
  mapping->bias = walk->start - (walk->offset << layout.page_shift);
  mapping->kind = MAPPING_PLAIN;
  mapping->is_vdso = 0;
  mapping->layout = 0;
  mapping->identity = walk->file ? identity_of(&walk->key, mapping->bias) : 0;
  if (!walk->file) {
    __u64 vdso = 0;
    READ_AT(vdso, walk->mm, mm_vdso);
    mapping->is_vdso = walk->start == vdso;
    mapping->bias = walk->start;
  }
  if (walk->file || mapping->is_vdso || take_copied_file(walk)) take_table(walk);
  remember_mapping(walk);
  return FOUND;
}

/* HotSpot's code keeps the address of the thread's structure in a register. Where that structure begins, it points into
 * the data of the engine's file. */
#define JAVA_THREAD_REGISTER 15
/* Of the file of the mapping of data that find_engine() has found; walk->low: its layout. */
__noinline int take_engine_of_data(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (walk) take_engine(walk, walk->low, walk->start - (walk->offset << layout.page_shift), true);
  return 0;
}

__noinline int find_engine(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk || walk->is_sought) return 0;
  walk->is_sought = 1;
  remember_code_layout(walk);
#ifdef __TARGET_ARCH_x86
  __u64 data = 0;
  if (name_registers(slot)) return 0;
  const __u64 thread = walk->innermost[JAVA_THREAD_REGISTER];
  if (thread < LOWEST_CODE || thread & 7 || read_user(&data, sizeof(data), thread) || data < LOWEST_CODE) return 0;
  walk->vma_address = data;
  walk->of_any_size = 1;
  const int found = find_vma(slot);
  walk->of_any_size = 0;
  if (found != FOUND || !walk->file || !read_file_key(walk) || has_changed(slot)) return 0;
  const struct walk_file *file = bpf_map_lookup_elem(&walk_files, &walk->key);
  if (!file || file->state != WALK_FILE_READY) {
    walk->is_sought = 0; /* it may be met at any moment */
    remember_code_layout(walk);
    return 0;
  }
  walk->low = file->layout;
  return take_engine_of_data(slot);
#endif
  return 0;
}

__noinline int find_stack_end(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return 0;
  walk->vma_address = walk->sp;
  walk->of_any_size = 1;
  walk->stack_end = find_vma(slot) == FOUND ? walk->end : 1;
  walk->of_any_size = 0;
  return 0;
}

#endif
