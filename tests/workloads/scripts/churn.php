<?php
// Makes functions, runs them and forgets them: a_N calls b_N, and b_N calls c_N. PHP keeps the code of each eval() of
// closures no longer than the closure.
for ($i = 0;; $i++) {
    eval("\$a_$i = new class { function a_$i() { return \$this->b_$i(); } function b_$i() { return \$this->c_$i(); }
        function c_$i() { \$total = 0; for (\$n = 0; \$n < 20000; \$n++) \$total += \$n % 7; return \$total; } };
        \$a_$i->a_$i(); \$a_$i = null;");
}
