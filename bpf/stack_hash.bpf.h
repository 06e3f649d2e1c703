/* The hash that stands for a walked stack in a sample's key. */
#ifndef PROFILE_STACK_HASH_BPF_H
#define PROFILE_STACK_HASH_BPF_H

#include "walk_host.bpf.h"

/* SipHash with one round for each word and three at the end: without the seed, a program cannot make two stacks with
 * the same hash. J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012. */
static __always_inline __u64 rotated(__u64 word, int by) { return word << by | word >> (64 - by); }

static __always_inline void sip_round(__u64 *v) {
  v[0] += v[1];
  v[1] = rotated(v[1], 13) ^ v[0];
  v[0] = rotated(v[0], 32);
  v[2] += v[3];
  v[3] = rotated(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = rotated(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = rotated(v[1], 17) ^ v[2];
  v[2] = rotated(v[2], 32);
}

/* A cheap hash of many words, against chance alone. */
static __always_inline __u64 mixed_with(__u64 hash, __u64 word) { return (rotated(hash, 23) ^ word) * PLACE_FACTOR; }

static __always_inline void add_to_hash(struct walk *walk, __u64 word) {
  __u64 v[4] = {walk->hash[0], walk->hash[1], walk->hash[2], walk->hash[3] ^ word};
  sip_round(v);
  walk->hash[0] = v[0] ^ word;
  walk->hash[1] = v[1];
  walk->hash[2] = v[2];
  walk->hash[3] = v[3];
}

static __always_inline void begin_hash(struct walk *walk) {
  /* Stacks of two programs are different, also when one has replaced the other in the same process. */
  walk->hash[0] = (walk_config.seed[0] + walk->exec_id) ^ 0x736f6d6570736575ULL;
  walk->hash[1] = walk_config.seed[1] ^ 0x646f72616e646f6dULL;
  walk->hash[2] = walk_config.seed[0] ^ 0x6c7967656e657261ULL;
  walk->hash[3] = walk_config.seed[1] ^ 0x7465646279746573ULL;
}

static __always_inline __u64 end_hash(struct walk *walk, __u64 last) {
  add_to_hash(walk, last);
  __u64 v[4] = {walk->hash[0], walk->hash[1], walk->hash[2] ^ 0xff, walk->hash[3]};
  sip_round(v);
  sip_round(v);
  sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
