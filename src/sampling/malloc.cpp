// The user side of bpf/malloc.bpf.c.
#include <bpf/libbpf.h>

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "abi/malloc.h"
#include "abi/walk.h"
#include "interpret/interpreter.h"
#include "malloc.skel.h"
#include "model/run_words.h"
#include "parse/children.h"
#include "sampling/allocators.h"
#include "sampling/map_walk.h"
#include "sampling/recorder.h"
#include "sampling/traced.h"
#include "support/error.h"
#include "support/plural.h"

namespace profile {
namespace {

// Allocations in use at the same time. The kernel needs some 180 bytes for an entry, but only for entries that are
// used.
constexpr std::uint32_t most_allocations = 1U << 20;
constexpr std::uint32_t most_processes = 65536;
constexpr std::uint32_t most_threads = 16384;
// User space removes the entries of ended processes when more processes than this have ended.
constexpr std::uint64_t many_ended = 256;

constexpr bool is(AllocatorCall call, allocator_call number) { return static_cast<int>(call) == number; }
static_assert(is(AllocatorCall::bytes, ALLOCATOR_BYTES) && is(AllocatorCall::product, ALLOCATOR_PRODUCT) &&
              is(AllocatorCall::moved, ALLOCATOR_MOVED) && is(AllocatorCall::aligned, ALLOCATOR_ALIGNED) &&
              is(AllocatorCall::aligned_by_place, ALLOCATOR_ALIGNED_BY_PLACE) &&
              is(AllocatorCall::free, ALLOCATOR_FREE) && is(AllocatorCall::count, ALLOCATOR_CALLS));

std::uint64_t cookie_of(const AllocatorFunction& function) {
  constexpr std::uint32_t most = (1U << PROFILE_COOKIE_BYTES_BITS) - 1;
  const bool is_known = function.before_bytes <= most && function.after_bytes <= most;
  return PROFILE_COOKIE(function.call, is_known ? function.before_bytes : 0, is_known ? function.after_bytes : 0);
}

void prepare(bpf_object& object, const SamplingOptions& options) {
  const bool live = options.source.live;
  const auto use = [&](const char* name, bool wanted, std::uint32_t entries) {
    want_map(object, name, wanted);
    size_map(object, name, entries, "size a table of allocations");
  };
  use("spans", live, most_allocations);
  use("lives", live, most_processes);
  use("batch", live, PROFILE_MALLOC_BATCH);
  use("heads", !live, most_threads);
}

// `keep_at_exit`: memory that the command has not freed when it exits is the result of the run. Without it, memory
// counts as freed when its process exits.
TracedPrograms::Plan plan_of(bool live, bool keep_at_exit) {
  TracedPrograms::Plan plan{.name = "malloc",
                            .elf_bytes = malloc__elf_bytes,
                            .loaded = {"ask"},
                            .recording = {.weighted = true, .filter_cpu = true, .without_self = true},
                            .prepare = prepare,
                            .use = live ? "malloc --live" : "malloc",
                            .has_probes = true};
  if (live) {
    plan.attached = {"on_exec"};
    if (!keep_at_exit) plan.attached.push_back("on_exit");
    plan.loaded = {"begin", "end", "flush", "end_gone"};
  }
  return plan;
}

// Programs ask for memory in user mode, so the kernel's stacks say nothing.
SamplingOptions user_part(SamplingOptions options) {
  options.kernel_stacks = false;
  return options;
}

Error no_allocator(const SamplingOptions& options) {
  const std::string found = "-e malloc: no C library with a malloc to probe was found there; ";
  const std::string file = file_with_malloc(options);
  if (!file.empty()) return Error(found + file + " has its own, whose calls -e uprobe:" + file + ":malloc counts");
  return Error(found +
               "-e uprobe:FILE:malloc counts the calls of a program that is linked statically, and "
               "-e uprobe:FILE:runtime.mallocgc those of Go's own allocator");
}

class Malloc final : public Source {
 public:
  Malloc(const SamplingOptions& options, std::vector<Allocator> allocators)
      : Source(std::make_unique<TracedPrograms>(plan_of(options.source.live, options.follow_children),
                                                user_part(options))),
        allocators_(std::move(allocators)),
        state_(programs().map_fd(".data.malloc")) {
    if (options.source.live) batch_.emplace(programs().map_fd("batch"), PROFILE_MALLOC_BATCH);
    if (allocators_.empty()) throw no_allocator(options);
  }

  void describe(RunInfo& run) const override {
    set_measure(run, is_live() ? measures::live_malloc : measures::malloc);
    run.is_state = is_live();
    run.kernel_stacks = options().kernel_stacks;
  }

  void start() override {
    recorder().pause();  // the run begins when all probes are attached
    Source::start();
    left_out_ = attach_allocators(
        allocators_,
        [this](const ProbedFile& file, std::span<const AllocatorFunction> functions) { attach(file, functions); });
    recorder().resume();
  }

  [[nodiscard]] bool names_ended_processes() const override { return is_live(); }
  void make_room(ProcessTimeline& timeline, Profile& into) override {
    if (std::atomic_ref(state_->ended).load(std::memory_order_relaxed) > many_ended) remove_gone(timeline, into);
  }

  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    if (is_live()) {
      state_->last_flush = stopped ? 1 : 0;
      run_on_memory("flush", timeline, into,
                    [](const allocation& memory) { return memory.life != 0 && memory.span.start_ns != 0; });
      remove_gone(timeline, into);
    }
    Source::collect(timeline, into, stopped);
    any_calls_ = any_calls_ || into.account.taken != into.account.filtered;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> lines = Source::notes();
    if (!any_calls_ && !options().command.empty() && options().rows) {
      lines.push_back(
          "no C library's malloc was called; if the program is linked statically or brings its own, -e uprobe:" +
          options().command + ":malloc counts the calls");
    }
    // Of chosen processes it is known without a stack, and a script may call malloc never.
    const bool are_chosen = !options().tgids.empty();
    for (const script_language language : are_chosen ? recorder().known_languages() : recorder().met_languages()) {
      if (const auto hidden = hidden_memory(language); !hidden.empty()) lines.emplace_back(hidden);
    }
    if (is_live() && !options().command.empty() && !recorder().met_languages().empty()) {
      lines.emplace_back(
          "what an interpreter freed when it ended is not shown; a duration, or -p PID, shows what it holds before");
    }
    if (!left_out_.empty()) {
      lines.push_back("the calls of " + number_of(left_out_.size(), "library", "libraries") +
                      " of users are missing, because they could not be probed or had too many functions: " +
                      left_out_.front() + (left_out_.size() == 1 ? "" : ", ..."));
    }
    return lines;
  }

 private:
  [[nodiscard]] bool is_live() const { return options().source.live; }

  void attach(const ProbedFile& file, std::span<const AllocatorFunction> functions) {
    ProbeGroup group;
    for (const AllocatorFunction& function : functions) {
      if (!is_live() && function.call == AllocatorCall::free) continue;
      group.places.push_back({.offset = function.offset, .cookie = cookie_of(function)});
    }
    if (options().tgids.size() == 1) group.tgid = options().tgids.front();
    FileProbes& probes = options().children->probes();
    const std::string what = "-e malloc: " + file.path;
    if (is_live()) {
      // A call that begins now must not end before its end is seen.
      ProbeGroup ends = group;
      ends.on_return = true;
      std::erase_if(ends.places, [](const ProbeGroup::Place& place) {
        return (place.cookie & ((1 << PROFILE_COOKIE_CALL_BITS) - 1)) == ALLOCATOR_FREE;
      });
      if (!ends.places.empty()) programs().attach(probes, "end", file, ends, what);
    }
    if (!group.places.empty()) programs().attach(probes, is_live() ? "begin" : "ask", file, group, what);
  }

  // Runs `program` on the allocations that `is_wanted` accepts, in batches: there may be a million, and nothing else
  // runs on the CPU during a batch. After each batch the samples are read from the ring.
  template <class IsWanted>
  void run_on_memory(const char* program, ProcessTimeline& timeline, Profile& into, IsWanted is_wanted) {
    state_->batched = 0;
    const auto run = [&] {
      programs().run(program);
      consume(timeline, into);
      state_->batched = 0;
    };
    for_each_entry<std::uint64_t>(programs().map_fd("spans"), sizeof(allocation), false,
                                  [&](std::uint64_t key, const std::uint64_t* words) {
                                    if (!is_wanted(*reinterpret_cast<const allocation*>(words))) return;
                                    (*batch_)[state_->batched++] = key;
                                    if (state_->batched == PROFILE_MALLOC_BATCH) run();
                                  });
    if (state_->batched != 0) run();
  }

  // Removes the entries of ended programs from the map. The BPF program keeps the entries of programs that started
  // after `lives` was read.
  void remove_gone(ProcessTimeline& timeline, Profile& into) {
    if (!is_live() || std::atomic_ref(state_->ended).exchange(0, std::memory_order_relaxed) == 0) return;
    std::unordered_map<std::uint32_t, std::uint64_t> lives;
    for_each_entry<std::uint32_t>(programs().map_fd("lives"), sizeof(std::uint64_t), false,
                                  [&](std::uint32_t tgid, const std::uint64_t* life) { lives[tgid] = *life; });
    run_on_memory("end_gone", timeline, into, [&](const allocation& memory) {
      if (memory.life == 0) return false;
      const auto life = lives.find(memory.tgid);
      return life == lives.end() || life->second != memory.life;
    });
  }

  std::vector<Allocator> allocators_;
  std::vector<std::string> left_out_;  // paths of libraries that have no probes
  SharedValues<malloc_state> state_;
  bool any_calls_ = false;
  std::optional<SharedValues<std::uint64_t>> batch_;  // with --live: the map `batch`
};

}  // namespace

std::unique_ptr<Source> make_malloc(const SamplingOptions& options) {
  refuse_rate(options, "call");
  if (options.kernel_stacks && !options.user_stacks) {
    throw usage_error("-K is not for -e malloc: who asks for memory stands in the user stack");
  }
  if (options.source.live && options.each_sample) {
    throw usage_error("--live says what there is at the end, which is no stream");
  }
  return std::make_unique<Malloc>(options, find_allocators(options));
}

}  // namespace profile
