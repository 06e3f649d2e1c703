<?php
// A chain of known calls, as in mix.py: each function is named for its way of being called, and the depth decides which
// one comes next.
//   mix.php DEPTH

function burn() {
    $total = 0;
    for ($i = 0; $i < 4000; $i++) $total += $i * $i % 7;
    return $total;
}

class Made {
    public $value;
    function __construct($left) { $this->value = go($left); }  // at Made::__construct
    static function of_class($left) { return go($left); }  // at Made::of_class
    function method($left) { return go($left); }
    function __invoke($left) { return go($left); }
    function __call($name, $arguments) { return go($arguments[0]); }
    function __toString(): string { return (string)go($GLOBALS['for_string']); }
}

class Plain {
    function __invoke($left) { return go($left); }  // at Plain::__invoke
    static function __callStatic($name, $arguments) { return go($arguments[0]); }  // at Plain::__callStatic
    function each($left) { yield go($left); }  // at Plain::each
}

class Walked implements IteratorAggregate {
    public $left;
    function getIterator(): Iterator { return new ArrayIterator([go($this->left)]); }  // at Walked::getIterator
}

function generated($left) { yield go($left); }  // at generated
function delegated($left) { yield from generated($left); }  // at delegated

function direct($left) { return go($left); }  // at direct
function by_map($left) { return array_map('go', [$left])[0]; }  // at by_map
function by_sort($left) {
    $both = [1, 2];
    usort($both, function ($one, $other) use ($left) { return go($left) < 0 ? 1 : 0; });  // at by_sort by_sort{closure}
    return $both[0];
}
function by_generator($left) { return generated($left)->current(); }  // at by_generator
function by_delegation($left) { foreach (delegated($left) as $value) return $value; }  // at by_delegation
function by_constructor($left) { return (new Made($left))->value; }  // at by_constructor
function by_static($left) { return Made::of_class($left); }  // at by_static
function by_method($left) { return (new Plain)->each($left)->current(); }  // at by_method
function by_invoke($left) { return (new Plain)($left); }  // at by_invoke
function by_magic($left) { return Plain::anything($left); }  // at by_magic
function by_pattern($left) { return strlen(preg_replace_callback('/a/', fn($match) => (string)go($left), 'a')); }  // at by_pattern by_pattern{closure}
function by_reduce($left) { return array_reduce([1], function ($sum, $one) use ($left) { return go($left); }); }  // at by_reduce by_reduce{closure}
function by_exception($left) {
    try {
        throw new Exception;
    } catch (Exception $caught) {
        return go($left);  // at by_exception
    }
}
function by_iteration($left) {
    $walked = new Walked;
    $walked->left = $left;
    foreach ($walked as $value) return $value;  // at by_iteration
}

const ways = ['direct', 'by_map', 'by_sort', 'by_generator', 'by_constructor', 'by_pattern', 'by_reduce', 'by_exception',
    'by_static', 'by_delegation', 'by_invoke', 'by_magic', 'by_method', 'by_iteration'];

function go($left) {
    if ($left <= 0) return burn();  // at go:burn
    return (ways[$left % count(ways)])($left - 1);  // at go
}

function main($depth) {
    while (true) go($depth);  // at main
}

main((int)$argv[1]);
