#include "sampling/map_setter.h"

#include <bpf/bpf.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <system_error>

namespace profile {

MapSetter::~MapSetter() {
  for (Call& call : calls_) {
    if (call.thread.joinable()) call.thread.join();
  }
}

std::size_t MapSetter::set(std::span<const __u32> indices, std::span<const int> values) {
  if (indices.empty()) return 0;
  forget_ended();
  Call& call = calls_.emplace_back();
  call.indices.assign(indices.begin(), indices.end());
  call.values.assign(values.begin(), values.end());
  // The signals of a run are for the main thread.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto work = [map = map_, &call] {
    make(map, call);
    call.is_over = true;
  };
  try {
    call.thread = std::thread(work);
  } catch (const std::system_error&) {  // too many threads
    work();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  constexpr std::chrono::microseconds pause{20};
  while (!call.is_over && !has(indices.back())) std::this_thread::sleep_for(pause);
  std::size_t set = 0;
  while (set < indices.size() && has(indices[set])) ++set;
  return set;
}

// Each call of the kernel waits, so there is one for all where it has that.
void MapSetter::make(int map, const Call& call) {
  std::size_t set = 0;
  if (call.indices.size() > 1) {
    LIBBPF_OPTS(bpf_map_batch_opts, options);
    auto count = static_cast<__u32>(call.indices.size());
    const bool is_done = bpf_map_update_batch(map, call.indices.data(), call.values.data(), &count, &options) == 0;
    // A kernel without it sets no count.
    if (is_done) set = count;
  }
  while (set < call.indices.size() && bpf_map_update_elem(map, &call.indices[set], &call.values[set], BPF_ANY) == 0) {
    ++set;
  }
}

bool MapSetter::has(__u32 index) const {
  __u32 id = 0;
  return bpf_map_lookup_elem(map_, &index, &id) == 0;
}

void MapSetter::forget_ended() {
  for (auto call = calls_.begin(); call != calls_.end();) {
    if (!call->is_over) {
      ++call;
      continue;
    }
    if (call->thread.joinable()) call->thread.join();
    call = calls_.erase(call);
  }
}

}  // namespace profile
