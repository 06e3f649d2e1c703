// Makes functions, runs them and forgets them: a_N calls b_N, and b_N calls c_N.
'use strict';

for (let n = 1; ; n++) {
  const made = (0, eval)(`(function a_${n}() {
    function b_${n}() { return c_${n}(); }
    function c_${n}() { let total = 0; for (let i = 0; i < 20000; i++) total += i % 7; return total; }
    return b_${n}();
  })`);
  made();
}
