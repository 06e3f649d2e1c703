<?php
// Makes functions, runs them and forgets them, so that their memory is used again. PHP forgets closures alone, and tells
// them apart by their lines: the three of a chain are on one.
$made = 0;
while (true) {
    $made = ($made + 1) % 400;
    $run = eval(str_repeat("\n", $made) . 'return function () { return (function () { return (function () {
        $total = 0; for ($n = 0; $n < 20000; $n++) $total += $n % 7; return $total; })(); })(); };');
    $run();
    unset($run);
}
