#!/bin/bash
# The compiler keeps the order of the rooms: with the options that a room's files are compiled with it finds the room's own
# headers and the doors of rooms below it, and neither what lies behind those doors nor the doors of other rooms.
source "$(dirname "$0")/../lib.sh"
need_command python3
[[ -e $BUILD_DIR/compile_commands.json ]] || skip "the build noted no commands"

# Of the compiler of every source of src/: those by which it finds headers, in a file of its own.
python3 - "$BUILD_DIR/compile_commands.json" "$SOURCE_DIR/src/" "$tmp" <<'EOF'
import json, shlex, sys
for entry in json.load(open(sys.argv[1])):
    if entry["file"].startswith(sys.argv[2]):
        words = shlex.split(entry["command"])
        options = [word for word in words if word.startswith(("-I", "--sysroot"))]
        options += [f"-isystem{after}" for word, after in zip(words, words[1:]) if word == "-isystem"]
        name = entry["file"][len(sys.argv[2]):].replace("/", "_")
        print(*options, sep="\n", file=open(f"{sys.argv[3]}/{name}", "w"))
EOF

# finds SOURCE HEADER : whether what SOURCE includes may be HEADER.
finds() {
  mapfile -t words <"$tmp/${1//\//_}"
  printf '#include "%s"\n' "$2" >"$tmp/asked.cpp"
  run "${CXX:-c++}" -std=c++20 -E -o /dev/null "${words[@]}" "$tmp/asked.cpp"
}
may() {
  finds "$1" "$2"
  expect_status 0
}
may_not() {
  finds "$1" "$2"
  expect_status 1
  expect_err "$2: No such file|'$2' file not found"
}

may dwarf/lines.cpp dwarf/unit.h
may dwarf/lines.cpp elf/seekable_zlib.h
may_not dwarf/lines.cpp process/timeline.h
may_not dwarf/lines.cpp elf/symbol_index.h
may unwind/interpreter.cpp dwarf/cursor.h
may_not unwind/interpreter.cpp dwarf/unit.h
may sampling/uprobe_target.cpp parse/file_probes.h
may_not sampling/uprobe_target.cpp parse/file_symbols.h
may_not sampling/uprobe_target.cpp dwarf/lines.h
may_not output/formats/folded.cpp symbol/symboliser.h
may_not model/profile.cpp output/output.h
may_not input/read_folded.cpp output/output.h
may app/live_page.cpp web/view.h
may_not app/live_page.cpp web/feed.h
may_not app/session.cpp sampling/recorder.h
may_not web/feed.cpp files/destination.h
may_not symbol/symboliser.cpp off_cpu.skel.h
