#include "output/listing_text.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "output/clean_text.h"
#include "output/shown_frame.h"
#include "output/text_table.h"

namespace profile {
namespace {

constexpr std::size_t share_width = 6;

struct Widths {
  std::size_t value = 5;  // of TOTAL
  std::size_t line = 4;
};

std::string number(std::uint64_t value) { return value == 0 ? std::string() : std::to_string(value); }

void write_value(std::ostream& out, const PlaceValue& value, const PlaceValue& whole, const Widths& widths) {
  const std::string share = value.total == 0 ? std::string() : percent(value.total, whole.total);
  out << to_the_right(share, share_width) << "  " << to_the_right(number(value.total), widths.value) << "  "
      << to_the_right(number(value.self), widths.value) << "  ";
}

void write_heading(std::ostream& out, const Widths& widths, std::string_view last) {
  out << to_the_right("SHARE", share_width) << "  " << to_the_right("TOTAL", widths.value) << "  "
      << to_the_right("SELF", widths.value) << "  " << to_the_right("LINE", widths.line) << "  " << last << '\n';
}

void write_file(std::ostream& out, const ListedFile& file, const FunctionListing& function, const Widths& widths) {
  out << '\n' << clean_text(file.path) << '\n';
  if (!file.why_no_text.empty()) out << "(without its text: " << clean_text(file.why_no_text) << ")\n";
  if (file.is_newer) {
    out << "(changed after the " << (function.is_of_script ? "run" : "program was built")
        << ": its lines may be others)\n";
  }
  write_heading(out, widths, file.why_no_text.empty() ? "SOURCE" : "");
  std::uint32_t next = file.lines.empty() ? 0 : file.lines.front().line;
  for (const ListedLine& line : file.lines) {
    if (line.line > next) out << to_the_right("...", share_width) << '\n';
    next = line.line + 1;
    write_value(out, line.value, function.value, widths);
    out << to_the_right(line.line == 0 ? "?" : std::to_string(line.line), widths.line);
    if (!line.text.empty()) out << "  " << clean_source_text(line.text);
    out << '\n';
  }
}

void write_code(std::ostream& out, const ListedCode& code, const FunctionListing& function, const Widths& widths) {
  out << "\nCode in " << clean_text(code.binary);
  if (!code.holder.empty() && code.holder != function.symbol) out << ", inlined in " << clean_text(code.holder);
  out << '\n';
  if (!code.why_none.empty()) {
    out << "(not shown: " << clean_text(code.why_none) << ")\n";
    return;
  }
  write_heading(out, widths, "INSTRUCTION");
  std::size_t address_width = 0;
  for (const ListedInstruction& instruction : code.instructions) {
    std::string address;
    append_number(address, hex(instruction.address));
    address_width = std::max(address_width, address.size());
  }
  for (const ListedInstruction& instruction : code.instructions) {
    write_value(out, instruction.value, function.value, widths);
    std::string text = "  ";
    append_number(text, {.value = instruction.address, .base = 16, .width = address_width, .fill = ' '});
    out << to_the_right(number(instruction.line), widths.line) << text << "  " << clean_text(instruction.text) << '\n';
  }
  if (code.is_cut) out << "(the rest is left out)\n";
}

Widths widths_of(const FunctionListing& function) {
  Widths widths;
  widths.value = std::max(widths.value, std::to_string(function.value.total).size());
  for (const ListedFile& file : function.files) {
    if (!file.lines.empty()) widths.line = std::max(widths.line, std::to_string(file.lines.back().line).size());
  }
  return widths;
}

}  // namespace

void write_listings(std::ostream& out, const Profile& profile, const SourceListings& listings) {
  const std::string unit = clean_text(profile.run.unit.word());
  const std::uint64_t whole = profile.total();
  std::string_view between;
  for (const FunctionListing& function : listings.functions) {
    out << between << function.name;
    between = "\n";
    if (!function.module.empty()) out << " [" << function.module << ']';
    out << ": " << function.value.total << " of " << whole << ' ' << unit << ", "
        << percent(function.value.total, whole) << "; itself " << function.value.self << ", "
        << percent(function.value.self, whole) << '\n';
    const Widths widths = widths_of(function);
    for (const ListedFile& file : function.files) write_file(out, file, function, widths);
    if (function.files.empty()) out << "(no source line is known)\n";
    if (function.places.empty() && !function.is_of_script)
      out << "(no address of it is recorded; pprof and JSON of a program have them)\n";
    for (const ListedCode& code : function.codes) write_code(out, code, function, widths);
  }
}

}  // namespace profile
