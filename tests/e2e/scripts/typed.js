() => {
  window.typed = [];
  new MutationObserver(() => {
    const last = document.querySelector(".messages li:last-child bdi");
    const text = last?.textContent;
    if (text && text !== window.typed.at(-1)) window.typed.push(text);
  }).observe(document.body, {childList: true, subtree: true, characterData: true});
}
