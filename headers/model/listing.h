// The source and the code of functions, with what each line and each instruction has cost. The counting fills in the
// values, the reader of files the texts. All texts are as the files have them, and not clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/address.h"
#include "model/profile.h"

namespace profile {

// In the unit of the run. `total`: of all stacks that have the place, each once. `self`: of those that end there, as
// the table of the hottest functions counts it.
struct PlaceValue {
  std::uint64_t total = 0;
  std::uint64_t self = 0;
};

// A place in code at which a function was seen, or at which it is inlined.
struct CodePlace {
  BinaryId binary = BinaryId::none;
  ElfAddress address;  // as Frame::binary_address, but inside the call that returns there
  bool is_inlined = false;
  PlaceValue value;
};

struct ListedLine {
  std::uint32_t line = 0;
  std::string text;
  PlaceValue value;
};

struct ListedFile {
  std::string path;               // as the compiler knew it; empty: not known
  std::string why_no_text;        // empty: each line has its text
  bool is_newer = false;          // it was changed after the binary was made
  std::vector<ListedLine> lines;  // ascending
};

struct ListedInstruction {
  std::uint64_t address = 0;  // as the file counts
  std::string text;
  std::uint32_t line = 0;     // in the function; 0: not known
  bool is_after_gap = false;  // others between it and the one before are left out
  PlaceValue value;
};

// The instructions of a function in one place: its own code, or where it is inlined.
struct ListedCode {
  std::string binary;
  std::string holder;                           // the function whose code it is; empty: not known
  std::string why_none;                         // empty: there are instructions
  bool is_cut = false;                          // it has more instructions than are listed
  std::vector<ListedInstruction> instructions;  // ascending
};

struct FunctionListing {
  std::string name;             // clean
  std::string module;           // clean; empty: not known
  std::string symbol;           // as the file spells the name; empty: it has none
  bool is_of_script = false;    // it has lines, and no code in a file
  std::uint32_t begins_at = 0;  // of a script: its first line; 0: not known
  PlaceValue value;
  std::vector<ListedFile> files;  // the one with the largest value first
  std::vector<ListedCode> codes;  // likewise
  std::vector<CodePlace> places;  // what `codes` is made of
};

// What a report shows of its functions.
struct SourceListings {
  std::vector<FunctionListing> functions;  // the largest value first
  std::vector<std::string> notes;          // for the user: what is missing, and why
};

}  // namespace profile
