// What a picture does in a browser that runs its script: it takes the width of the window, a click zooms, and "/" searches.
// Where scripts are not run, as in a README, the picture stays as it was drawn. Names are only ever set as text.
#pragma once

#include <string_view>

namespace profile {

inline constexpr std::string_view svg_script = R"js(
(() => {
  'use strict';
  const picture = document.documentElement;
  const margin = 10;
  const letter = 0.602;  // width of a letter, of its height
  const all = [...document.querySelectorAll('rect[data-total]')].map((rect) => {
    const group = rect.parentNode;
    const title = group.querySelector('title').textContent;
    return {
      group, rect, name: title.split('\n', 1)[0], start: Number(rect.dataset.start), total: Number(rect.dataset.total),
      y: Number(rect.getAttribute('y')), fill: rect.getAttribute('fill'), text: group.querySelector('text'),
    };
  });
  if (all.length === 0 || !picture.viewBox) return;
  const [root] = all;
  const height = Number(picture.getAttribute('height'));
  const size = Number(root.group.parentNode.getAttribute('font-size'));
  let width = 0;
  let focus = root;
  let words = '';
  let isTyping = false;

  function made(y) {
    const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
    text.setAttribute('y', y);
    text.setAttribute('font-size', 12);
    text.setAttribute('fill', '#16508c');
    text.setAttribute('text-anchor', 'end');
    text.style.cursor = 'pointer';
    picture.append(text);
    return text;
  }
  const searching = made(26);
  const resetting = made(43);

  function place(box) {
    const scale = (width - 2 * margin) / focus.total;
    const end = box.start + box.total;
    const isBelow = box.start <= focus.start && end >= focus.start + focus.total && box.y > focus.y;
    const isOn = box.start >= focus.start && end <= focus.start + focus.total && box.y <= focus.y;
    const x = isBelow ? margin : margin + (box.start - focus.start) * scale;
    const wide = (isBelow ? focus.total : box.total) * scale;
    box.group.style.display = (isBelow || isOn) && wide >= 0.1 ? '' : 'none';
    box.group.style.opacity = isBelow ? 0.55 : 1;
    if (!isBelow && !isOn) return;
    box.rect.setAttribute('x', x);
    box.rect.setAttribute('width', wide - Math.min(0.5, wide / 4));
    label(box, x, Math.floor((wide - 6) / (size * letter)));
  }
  function label(box, x, letters) {
    if (size < 9) return;  // rows are too low
    const fits = box.name.length <= letters;
    if (!fits && letters < 3) {
      if (box.text) box.text.style.display = 'none';
      return;
    }
    if (!box.text) {
      box.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      box.text.setAttribute('y', box.y + 11);
      box.group.append(box.text);
    }
    box.text.style.display = '';
    box.text.setAttribute('x', x + 3);
    box.text.textContent = fits ? box.name : `${box.name.slice(0, letters - 1)}…`;
  }

  function matcher() {
    if (words === '') return null;
    try {
      const pattern = /^\/(.+)\/?$/.exec(words);
      const expression = pattern === null ? null : new RegExp(pattern[1].replace(/\/$/, ''));
      if (expression !== null) return (name) => expression.test(name);
    } catch {
      return () => false;
    }
    const part = words.toLowerCase();
    return (name) => name.toLowerCase().includes(part);
  }
  function search() {
    const matches = matcher();
    let sum = 0;
    let end = 0;  // of what has been counted: a stack counts once
    const found = all.filter((box) => matches !== null && matches(box.name));
    const isFound = new Set(found);
    for (const box of all) box.rect.setAttribute('fill', isFound.has(box) ? '#e58bdc' : box.fill);
    for (const {start, total} of found.sort((a, b) => a.start - b.start || b.total - a.total)) {
      if (start < end) continue;
      sum += total;
      end = start + total;
    }
    const share = matches === null ? '' : `  ${(100 * sum / root.total).toFixed(1)} %`;
    searching.textContent = words === '' && !isTyping ? 'Search (/)' : `Search: ${words}${isTyping ? '▏' : ''}${share}`;
  }
  function show() {
    width = Math.max(500, innerWidth);
    picture.setAttribute('width', width);
    picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    picture.querySelector('rect').setAttribute('width', width);
    all.forEach(place);
    for (const text of [searching, resetting]) text.setAttribute('x', width - margin);
    resetting.textContent = focus === root ? '' : 'Reset zoom (Esc)';
    search();
  }
  function zoom(box) {
    focus = box;
    show();
  }

  for (const box of all) {
    box.group.style.cursor = 'pointer';
    box.group.addEventListener('click', () => zoom(box));
  }
  searching.addEventListener('click', () => {
    isTyping = true;
    search();
  });
  resetting.addEventListener('click', () => zoom(root));
  addEventListener('resize', show);
  addEventListener('keydown', (event) => {
    const {key} = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') {
      if (isTyping || words !== '') [isTyping, words] = [false, ''];
      else focus = root;
      show();
    } else if (isTyping && key === 'Enter') {
      isTyping = false;
      search();
    } else if (isTyping && (key === 'Backspace' || [...key].length === 1)) {
      words = key === 'Backspace' ? [...words].slice(0, -1).join('') : words + key;
      event.preventDefault();
      search();
    } else if (key === '/') {
      isTyping = true;
      event.preventDefault();
      search();
    }
  });
  show();
})();
)js";

}  // namespace profile
