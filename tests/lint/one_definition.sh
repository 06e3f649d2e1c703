#!/bin/bash
# No two headers define a type of the same name. Functions of templates would have one name for both, too, and the linker
# would keep those of one of them.
source "$(dirname "$0")/../lib.sh"
cd "$SOURCE_DIR" || exit 1
mapfile -t headers < <(find src headers -name '*.h' | sort)
# A line that ends in a semicolon only declares a type.
awk '/^namespace / { space = $2 }
  match($0, /^(class|struct|enum|enum class) [A-Za-z_0-9]+( final)?( [:{].*)?$/) {
    sub(/^(class|struct|enum class|enum) /, "")
    print space "::" $1
  }' "${headers[@]}" | sort >"$tmp/types"
(($(wc -l <"$tmp/types") > 500)) || fail "only $(wc -l <"$tmp/types") types were found"
expect_equal "$(uniq -d "$tmp/types")" "" "types that two headers define"
