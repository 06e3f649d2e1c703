// A chain of known calls, as in mix.py: each function is named for its way of being called, and the depth decides which
// one comes next.
//   mix.js DEPTH
'use strict';

function burn() {
  let total = 0;
  for (let i = 0; i < 1500; i++) total += i * i % 7;
  return total;
}

class Made {
  constructor(left) { this.value = go(left); }
  static made(left) { return go(left); }
  get got() { return go(this.left); }
}
class Derived extends Made {
  constructor(left) { super(left); }
}

function direct(left) { return go(left); }
function byMap(left) { return [left].map(function mapped(n) { return go(n); })[0]; }
function bySort(left) { [1, 2].sort(function compared(a, b) { go(left); return a - b; }); return 0; }
function* generated(left) { yield go(left); }
function byGenerator(left) { return generated(left).next().value; }
function byNew(left) { return new Made(left).value; }
function bySuper(left) { return new Derived(left).value; }
function byCall(left) { return go.call(null, left); }
function byStatic(left) { return Made.made(left); }
function byGetter(left) { const made = Object.create(Made.prototype); made.left = left; return made.got; }
function byPattern(left) { return 'a'.replace(/a/, function replaced() { return String(go(left))[0]; }); }
function byException(left) { try { throw new Error('x'); } catch (error) { return go(left); } }
function byReduce(left) { return [1, 2].reduce(function reduced(a, b) { return go(left); }); }
function byArrow(left) { const arrow = (n) => go(n); return arrow(left); }
function byApply(left) { return Reflect.apply(go, null, [left]); }
function byBound(left) { return go.bind(null, left)(); }
function byIteration(left) { for (const n of [left]) return go(n); return 0; }
function byJson(left) { return JSON.stringify({ toJSON() { return go(left); } }); }
function byProxy(left) { return new Proxy({}, { get: function trapped() { return go(left); } }).anything; }

const ways = [direct, byMap, bySort, byGenerator, byNew, byCall, byStatic, byPattern, byException, byReduce, byArrow,
  byGetter, bySuper, byApply, byBound, byIteration, byJson, byProxy];

function go(left) {
  if (left <= 0) return burn();
  return ways[left % ways.length](left - 1);
}

function main(depth) {
  for (;;) go(depth);
}

main(Number(process.argv[2]) || 30);
