#include "symbol/asked_kernel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "kernel_names.skel.h"
#include "support/error.h"
#include "symbol/kallsyms_lines.h"

namespace profile {
namespace {

bool consists_of(std::string_view text, std::string_view digits) {
  return text.find_first_not_of(digits) == std::string_view::npos;
}

// For code that BPF made, the kernel prints no module, but its list says "bpf". No function of the kernel has a name
// like such code.
bool is_made_by_bpf(std::string_view name) {
  constexpr std::string_view program = "bpf_prog_";  // followed by a tag, and perhaps a name
  constexpr std::size_t tag_digits = 16;
  if (name.starts_with(program)) {
    const std::string_view tag = name.substr(program.size());
    return tag.size() >= tag_digits && consists_of(tag.substr(0, tag_digits), "0123456789abcdef") &&
           (tag.size() == tag_digits || tag[tag_digits] == '_');
  }
  constexpr std::string_view trampoline = "bpf_trampoline_";  // followed by a number
  if (name.starts_with(trampoline)) return consists_of(name.substr(trampoline.size()), "0123456789");
  return name == "bpf_dispatcher_xdp" || name.starts_with("bpf__");  // code for structures of functions
}

}  // namespace

KernelSymbol kernel_symbol_of(std::string_view printed, std::uint64_t address) {
  KernelSymbol symbol;
  std::string_view module;
  if (const auto at = printed.find(" ["); at != std::string_view::npos && printed.ends_with(']')) {
    module = printed.substr(at + 2, printed.size() - at - 3);
    printed = printed.substr(0, at);
  }
  const auto plus = printed.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0) return symbol;
  std::string_view name = printed.substr(0, plus);
  std::uint64_t offset = 0;
  const char* const end = printed.data() + printed.size();
  const auto [behind, error] = std::from_chars(printed.data() + plus + 3, end, offset, 16);
  if (error != std::errc() || behind == end || *behind != '/' || offset > address) return symbol;
  without_padding(name);
  symbol.unnamed = Unnamed::no_symbol;
  if (ends_code(name) || offset >= max_kernel_function_bytes) return symbol;
  symbol.unnamed = Unnamed::named;
  symbol.name = name;
  symbol.start = address - offset;
  symbol.module = !module.empty() ? module : is_made_by_bpf(name) ? "bpf" : kernel_itself;
  return symbol;
}

bool AskedKernel::load() {
  if (questions_ || is_hopeless_) return !is_hopeless_;
  try {
    std::size_t size = 0;
    const void* const elf = kernel_names__elf_bytes(&size);
    object_ = open_bpf_object(elf, size, "kernel_names");
    load_bpf_object(*object_);
    program_fd_ = bpf_program__fd(&bpf_program_named(*object_, "name_all"));
    questions_.emplace(bpf_map_fd(*object_, "questions"), KERNEL_QUESTIONS);
  } catch (const Error&) {
    is_hopeless_ = true;  // the caller has a list instead
    object_.reset();
  }
  return !is_hopeless_;
}

bool AskedKernel::resolve(std::span<const RuntimeAddress> addresses, std::span<KernelSymbol> answers) {
  if (!load()) return false;
  const auto& questions = *questions_;
  for (std::size_t at = 0; at < addresses.size(); at += KERNEL_QUESTIONS) {
    const auto now = addresses.subspan(at, std::min<std::size_t>(KERNEL_QUESTIONS, addresses.size() - at));
    for (std::size_t i = 0; i < now.size(); ++i) {
      questions[i].address = now[i].value;
      questions[i].answer[0] = '\0';
    }
    if (now.size() < KERNEL_QUESTIONS) questions[now.size()].address = 0;
    LIBBPF_OPTS(bpf_test_run_opts, options);
    if (bpf_prog_test_run_opts(program_fd_, &options) != 0) {
      is_hopeless_ = true;
      return false;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      const std::string_view printed(questions[i].answer, ::strnlen(questions[i].answer, KERNEL_ANSWER_BYTES));
      answers[at + i] = kernel_symbol_of(printed, now[i].value);
    }
  }
  return true;
}

}  // namespace profile
