/* The form of most maps. User space changes a size of SET_BY_USER_SPACE before it loads the programs, because the right
 * size depends on the options and on the machine. */
#ifndef PROFILE_MAP_BPF_H
#define PROFILE_MAP_BPF_H

#include "compiler.bpf.h"

#define SET_BY_USER_SPACE 1

#define MAP(name, map_type, flags, key_type, value_type, entries) \
  struct {                                                        \
    __uint(type, BPF_MAP_TYPE_##map_type);                        \
    __uint(map_flags, flags);                                     \
    __uint(max_entries, entries);                                 \
    __type(key, key_type);                                        \
    __type(value, value_type);                                    \
  } name SEC(".maps")

#endif
