/* The bucket of a value in a log2 histogram. Must agree with Log2Histogram::bucket_of() of headers/model/measures.h. */
#ifndef PROFILE_LOG2_BUCKET_BPF_H
#define PROFILE_LOG2_BUCKET_BPF_H

#include <linux/types.h>
/* This header needs the types above. */
#include <bpf/bpf_helpers.h>

/* floor(log2(value)), and 0 for 0. */
static __always_inline __u32 log2_bucket(__u64 value) {
  __u32 result = 0;
  if (value >> 32) value >>= 32, result += 32;
  if (value >> 16) value >>= 16, result += 16;
  if (value >> 8) value >>= 8, result += 8;
  if (value >> 4) value >>= 4, result += 4;
  if (value >> 2) value >>= 2, result += 2;
  return result + (value >> 1 ? 1 : 0);
}

/* The same in a histogram of `buckets` buckets. The last one holds all larger values, too. */
static __always_inline __u32 log2_bucket_of(__u64 value, __u32 buckets) {
  const __u32 bucket = log2_bucket(value);
  return bucket < buckets ? bucket : buckets - 1;
}

#endif
