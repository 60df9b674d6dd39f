"""What must hold of a page at any size: no text is cut, nothing overlaps, axe finds nothing."""

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Visit = Callable[..., Page]
LOOKS = [
    (*size, *look)
    for size in [(1440, 900), (1024, 768), (390, 844)]
    for look in [("light", "en-US"), ("dark", "zh-CN")]
]
"""Each size in both languages, and in both schemes of colours."""
CUT = """() => [...document.querySelectorAll('body *')]
  .filter((it) => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1)
  .filter((it) => it.clientWidth && !['auto', 'scroll'].includes(getComputedStyle(it).overflowX))
  .filter((it) => it.tagName !== 'SELECT')  // its list has the whole texts
  .filter((it) => getComputedStyle(it).display !== 'inline')
  .map((it) => `${it.tagName} ${it.className} ${it.textContent.trim().slice(0, 40)}`)"""
OVERLAPS = """() => {
  const visible = (it) => { // the part of its box that no scrolled parent hides
    let { left, top, right, bottom } = it.getBoundingClientRect();
    for (let at = it.parentElement; at; at = at.parentElement) {
      if (getComputedStyle(at).overflowY === 'visible') continue;
      const box = at.getBoundingClientRect();
      [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
      [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return { left: Math.max(0, left), top, right, bottom };
  };
  const within = document.querySelector('dialog[open]') ?? document; // it covers what is behind
  const shown = [...within.querySelectorAll('a, button, input, select, textarea, summary')]
    .filter((it) => it.checkVisibility() && !it.closest('[inert]'));
  const boxes = shown.map((it) => [it, visible(it)]);
  return boxes.flatMap(([it, a], at) => boxes.slice(at + 1)
    .filter(([other, b]) => !it.contains(other) && !other.contains(it)
      && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
    .map(([other]) => `${it.outerHTML.slice(0, 80)} | ${other.outerHTML.slice(0, 80)}`));
}"""


def check_look(page: Page) -> None:
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0, f"the page is {width} px too wide"
    assert page.evaluate(CUT) == []
    assert page.evaluate(OVERLAPS) == []
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
