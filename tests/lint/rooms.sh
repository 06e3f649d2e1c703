#!/bin/bash
# The compiler enforces the order of the rooms: with the options of a room it finds the room's own headers and the doors
# of lower rooms. It does not find headers behind those doors, or the doors of other rooms.
source "$(dirname "$0")/../lib.sh"
need_command python3
[[ -e $BUILD_DIR/compile_commands.json ]] || skip "the build noted no commands"

# Writes the include options of every source of src/ to its own file.
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

# finds SOURCE HEADER : asks the compiler whether SOURCE may include HEADER.
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
may app/live_views.cpp web/view.h
may_not app/live_views.cpp web/feed.h
may_not app/session.cpp sampling/recorder.h
may_not web/feed.cpp files/destination.h
may_not symbol/symboliser.cpp off_cpu.skel.h
