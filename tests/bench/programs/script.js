// The script for node: code of its own that is compiled at run time, and calls into the library below. It ends by
// itself if no process ends it.
function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function shuffledAndSorted(length) {
  const numbers = Array.from({ length }, (_, i) => (i * 7919) % length);
  return numbers.sort((a, b) => a - b);
}

function copied(value) {
  return JSON.parse(JSON.stringify(value));
}

console.log("ready");
const end = Date.now() + 120000;
while (Date.now() < end) {
  fibonacci(20);
  copied(shuffledAndSorted(1000).map((n) => ({ name: `number ${n}`, n })));
}
