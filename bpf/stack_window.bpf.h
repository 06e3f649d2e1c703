/* Reads the user stack in pieces: one read of many words costs little more than a read of two, and the frames of a
 * stack lie next to each other. */
#ifndef PROFILE_STACK_WINDOW_BPF_H
#define PROFILE_STACK_WINDOW_BPF_H

#include "walk_host.bpf.h"

/* In bytes. No kernel has smaller pages, so a piece that does not cross such a border is readable if its first word
 * is. */
#define SMALLEST_PAGE 4096

/* Reads the stack from `from` upwards, to the end of the window or of the page. The result is 0 when it was read. */
static __always_inline long move_window(struct walk *walk, __u64 from) {
  __u64 bytes = SMALLEST_PAGE - (from & (SMALLEST_PAGE - 1));
  if (bytes > sizeof(walk->window)) bytes = sizeof(walk->window);
  walk->window_at = from;
  walk->window_bytes = 0;
  if (read_user(walk->window, bytes, from)) return -EFAULT;
  walk->window_bytes = bytes;
  return 0;
}

static __always_inline long read_pair(struct walk *walk, __u64 *pair, __u64 from) {
  const bool crosses_pages = (from & (SMALLEST_PAGE - 1)) > SMALLEST_PAGE - 16;
  if (crosses_pages || (from & 7)) return read_user(pair, 16, from);
  __u64 at = from - walk->window_at;
  if (at >= walk->window_bytes || walk->window_bytes - at < 16) {
    if (move_window(walk, from)) return -EFAULT;
    at = 0;
  }
  at >>= 3;
  pair[0] = walk->window[at & (WINDOW_WORDS - 1)];
  pair[1] = walk->window[(at + 1) & (WINDOW_WORDS - 1)];
  return 0;
}

#endif
