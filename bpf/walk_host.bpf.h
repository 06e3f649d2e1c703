/* What the walk of a user stack needs of its host. The walk (frame.bpf.h and what that includes) uses neither a helper
 * of BPF nor a system call: it calls the functions that are declared here, and each of its hosts defines all of them,
 * before or behind them in its translation unit:
 * - the BPF programs: walk_maps.bpf.h begins the list. They walk in the memory of the current task;
 * - user space, which finishes walks in the copy of a stack: src/sampling/walk_in_copy.h;
 * - the unit tests, with a made program: tests/unit/walk_host.h.
 *
 * Code that takes frames in another way, such as from an interpreter's own frames, belongs beside walk_frame(): it
 * reads memory with read_user() and hands each frame to add_frame(). Then it runs on each host.
 *
 * Functions with `slot` are global in BPF, so that the verifier checks each once and not for each path to it. They take
 * only a number, because a pointer could be NULL for the verifier; their other arguments are members of struct walk. */
#ifndef PROFILE_WALK_HOST_BPF_H
#define PROFILE_WALK_HOST_BPF_H

#include "compiler.bpf.h"
#include "walk_types.bpf.h"

/* How stacks are walked. The host sets `mode` and `depth`; `seed` matters only where the hash is used. */
SEC(".rodata.walk") CONSTANT struct walk_config walk_config = {};

/* Whether functions of any language are wanted. If not, the verifier removes the code, and the maps do not exist.
 * PROFILE_NATIVE: this build of a program has no such code. */
#ifdef PROFILE_NATIVE
static __always_inline bool are_scripts_wanted(void) { return false; }
#else
static __always_inline bool are_scripts_wanted(void) { return walk_config.languages != 0; }
#endif

/* The walk with that index: what struct walk describes, begun and owned by the host. NULL: there is none. */
static __always_inline struct walk *walk_of(__u32 slot);
/* The same for functions that only scripts need. NULL if none are wanted: kernels before 6.8 verify all functions of a
 * program, whether it comes to them or not, and the maps of these do not exist. */
static __always_inline struct walk *walk_in_scripts(__u32 slot) { return are_scripts_wanted() ? walk_of(slot) : NULL; }

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* Reads the memory of the program that is walked: its stack, its code, its data. Returns 0 when all bytes were read;
 * else `to` holds anything. A host may know only a part of the memory. In BPF a read that fails is a page fault, and
 * costs as much as a hundred frames. */
static __always_inline long read_user(void *to, __u32 bytes, __u64 from);

/* Reads a text that a NUL ends, and that NUL, into `to`, which is all zero: at most `most` bytes. Returns how many
 * those are; `most` for a longer text, too, which is cut; 0 or less if it cannot be read. */
static __always_inline long read_user_text(char *to, __u32 most, __u64 from);

/* The same as read_user() for two words of the stack. The host may read more at once, because the next frames lie
 * above. */
static __always_inline long read_pair(struct walk *walk, __u64 *pair, __u64 from);

/* Puts all registers of the innermost frame into walk->innermost, by DWARF's numbers. Returns 0 when they are there. */
__noinline int name_registers(__u32 slot);

/* Puts the real return address into walk->pc, where a return probe has put its trampoline on the stack:
 * walk->probe_area. walk->entry_sp says of which call. It leaves the trampoline when it does not know. */
__noinline int real_return(__u32 slot);

/* --- Mappings ----------------------------------------------------------------------------------------------------- */

/* Sets walk->mapping to the mapping that holds walk->place, and walk->key to its file if the table is missing. Returns
 * an enum found; without FOUND the walk ends. */
__noinline int find_mapping(__u32 slot);

/* Sets walk->stack_end to the end of the mapping that holds walk->sp. 1: there is no such mapping. */
__noinline int find_stack_end(__u32 slot);

/* --- Tables ------------------------------------------------------------------------------------------------------- */

/* The slab that holds byte `at` of the table space: WALK_SLAB_BYTES bytes. NULL: there is no such slab. */
static __always_inline const char *slab_of(__u32 at);

/* Sets `code` to what remember_row() was told for that place: `at` of the table space, where a page is, and `unit` in
 * that page. False: it is not known. A host that walks few frames remembers nothing. */
static __always_inline bool recall_row(struct walk *walk, __u32 at, __u32 unit, __u32 *code);
static __always_inline void remember_row(struct walk *walk, __u32 at, __u32 unit, __u32 code);

/* --- Scripts ------------------------------------------------------------------------------------------------------ */

/* The layout of an interpreter, by walk_file::layout. NULL: there is none, and the interpreter's own frame stays. */
static __always_inline const struct script_layout *script_layout_of(__u32 number);

/* Keeps walk's code_layout, is_sought and java for the next walks of the same program. */
static __always_inline void remember_code_layout(struct walk *walk);

/* What is known of one of JAVA_KNOWN places in the code of Java. NULL: nothing is remembered. */
static __always_inline struct java_known *java_known_of(const struct walk *walk, __u32 at);

/* Looks for the engine whose structure of the thread a register points to, where its file was not met: sets
 * walk->code_layout and walk->java, or nothing. */
__noinline int find_engine(__u32 slot);

/* What the register that threads have for their own data points to. Returns 0 when it is known. */
static __always_inline long read_thread_base(__u64 *base);

/* Sets script.id to what remember_function() was told of script.function, if script.proof is the same. */
static __always_inline bool recall_function(struct walk *walk);
static __always_inline void remember_function(struct walk *walk);

/* Room for the table of lines of the function at hand. NULL: there is none. */
static __always_inline struct ring_lines *lines_of(const struct walk *walk);

/* Gives script.name, and the table of lines if it has one, to user space before a stack has script.id. False: it is
 * lost this time. Where another function has that word already, script.id becomes that of no function. */
static __always_inline bool send_name(struct walk *walk);

#endif
