// The script of an SVG picture: it fits the picture to the window, zooms on a click, and searches after "/". Viewers
// that run no scripts (a README for example) show the picture unchanged. The script sets names as text, never as
// markup.
#pragma once

#include <string_view>

namespace profile {

inline constexpr std::string_view svg_script = R"js(
(() => {
  'use strict';
  const picture = document.documentElement;
  const margin = 10;
  const letter = 0.602;  // width of a letter, of its height
  const narrowest = 0.1;
  // As wide as two letters, roughly.
  const cellsOf = (letters) => letters.reduce((sum, one) => sum + (one.codePointAt(0) < 0x1100 ? 1 : 2), 0);
  const all = [...document.querySelectorAll('rect[data-total]')].map((rect) => {
    const group = rect.parentNode;
    const title = group.querySelector('title').textContent;
    const name = title.split('\n', 1)[0];
    return {
      group, rect, name, letters: [...name], cells: cellsOf([...name]),
      start: Number(rect.dataset.start), total: Number(rect.dataset.total), y: Number(rect.getAttribute('y')),
      fill: rect.getAttribute('fill'), text: group.querySelector('text'),
    };
  });
  if (all.length === 0 || !picture.viewBox) return;
  const [root] = all;
  const height = Number(picture.getAttribute('height'));
  const size = Number(root.group.parentNode.getAttribute('font-size'));
  const row = Number(root.rect.getAttribute('height')) + 1;
  const legend = 94;  // the line that it stands on
  let width = 0;
  let focus = root;
  let words = '';
  let isTyping = false;

  function made() {
    const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
    text.setAttribute('y', legend);
    text.setAttribute('font-size', 12);
    text.setAttribute('fill', '#16508c');
    text.setAttribute('text-anchor', 'end');
    text.style.cursor = 'pointer';
    picture.append(text);
    return text;
  }
  const searching = made();
  const resetting = made();

  function place(box) {
    const scale = (width - 2 * margin) / focus.total;
    const end = box.start + box.total;
    const isBelow = box.start <= focus.start && end >= focus.start + focus.total && box.y > focus.y;
    const isOn = box.start >= focus.start && end <= focus.start + focus.total && box.y <= focus.y;
    const x = isBelow ? margin : margin + (box.start - focus.start) * scale;
    const wide = (isBelow ? focus.total : box.total) * scale;
    box.group.style.display = (isBelow || isOn) && wide >= narrowest ? '' : 'none';
    box.group.style.opacity = isBelow ? 0.55 : 1;
    if (!isBelow && !isOn) return;
    box.rect.setAttribute('x', x);
    box.rect.setAttribute('width', wide - Math.min(0.5, wide / 4));
    label(box, x, Math.floor((wide - 6) / (size * letter)));
  }
  function cut(letters, cells) {
    let end = 0;
    for (let left = cells; end < letters.length; end += 1) {
      left -= cellsOf([letters[end]]);
      if (left < 0) break;
    }
    return letters.slice(0, end).join('');
  }
  function label(box, x, letters) {
    if (size < 9) return;  // rows are too low
    const fits = box.cells <= letters;
    if (!fits && letters < 3) {
      if (box.text) box.text.style.display = 'none';
      return;
    }
    if (!box.text) {
      box.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      box.text.setAttribute('y', box.y + row - 1 - row / 4);
      box.group.append(box.text);
    }
    box.text.style.display = '';
    box.text.setAttribute('x', x + 3);
    box.text.textContent = fits ? box.name : `${cut(box.letters, letters - 1)}…`;
  }

  // With a "/" in front the words are a regular expression.
  function matcher() {
    if (words === '') return null;
    if (words.length > 1 && words.startsWith('/')) {
      try {
        const expression = new RegExp(words.slice(1).replace(/\/$/, ''));
        return (name) => expression.test(name);
      } catch {
        return () => false;
      }
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
    picture.setAttribute('width', '100%');
    width = Math.max(500, picture.getBoundingClientRect().width);
    picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    picture.querySelector('rect').setAttribute('width', width);
    all.forEach(place);
    searching.setAttribute('x', width - margin);
    resetting.setAttribute('x', width - margin - 30 * size * letter);
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
