/* The interface between bpf/command_line.bpf.c and user space. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_COMMAND_LINE_H
#define PROFILE_ABI_COMMAND_LINE_H

#include "abi/record.h"

#define PROFILE_COMMAND_LINE_BYTES 4096

/* A record of the ring `lines`: a program that begins. It ends with the last byte of its text. */
struct exec_line {
  __u64 time_ns; /* CLOCK_MONOTONIC */
  __u32 tgid;    /* in the profiler's pid namespace */
  __u32 padding;
  char text[PROFILE_COMMAND_LINE_BYTES]; /* the arguments, each with a zero byte behind it */
};

struct command_line_config {
  __u32 pid_namespace; /* as in struct record_config */
};

struct command_line_state {
  __u64 lost; /* programs whose arguments could not be read or found no room */
};

PROFILE_ABI_ASSERT(sizeof(struct exec_line) == 4112, "exec_line");
PROFILE_ABI_ASSERT(sizeof(struct command_line_config) == 4, "command_line_config");
PROFILE_ABI_ASSERT(sizeof(struct command_line_state) == 8, "command_line_state");

#endif
