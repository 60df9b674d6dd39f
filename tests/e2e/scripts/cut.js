// The texts that stick out of what they stand in, or are cut off by it.
async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame().then(frame); // what observers of sizes change comes with a frame
  const isHidden = (it) => it && (getComputedStyle(it).clipPath !== "none"
    || it.getBoundingClientRect().right < 0 || isHidden(it.parentElement));
  const isCut = (own, { left, right, top, bottom }) => {
    for (let it = own; it; it = it.parentElement) {
      const { display, overflowX, overflowY } = getComputedStyle(it);
      if (["inline", "contents"].includes(display)) continue;
      const box = it.getBoundingClientRect();
      if (it.matches(".table")) return false; // goes sideways
      if (right > box.right + 1 || left < box.left - 1) return true;
      if (it.matches("dialog, [popover], #notice")) break; // above all else
      if (["auto", "scroll"].includes(overflowY) && box.height >= bottom - top)
        [top, bottom] = [box.top, box.top]; // can be scrolled to
      else if (overflowX === "visible") continue;
      else if (bottom > box.bottom + 2 || top < box.top - 2) return true;
    }
    return right > innerWidth + 1 || left < -1;
  };
  const pen = document.createElement("canvas").getContext("2d");
  const isNarrow = (it) => {
    const arrow = it.matches("select") ? 16 : 0;
    const text = it.selectedOptions?.[0]?.label ?? it.placeholder ?? "";
    const { color, font } = getComputedStyle(it, arrow ? null : "::placeholder");
    const { paddingLeft, paddingRight } = getComputedStyle(it);
    const edges = parseFloat(paddingLeft) + parseFloat(paddingRight);
    const room = it.clientWidth - arrow - edges;
    pen.font = font;
    return color !== "rgba(0, 0, 0, 0)" && pen.measureText(text).width > room + 1;
  };
  const visible = { visibilityProperty: true, opacityProperty: true };
  const seen = (it) =>
    it.checkVisibility(visible) && !it.closest("option") && !isHidden(it);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange(), found = [];
  for (let text; (text = texts.nextNode()); ) {
    range.selectNodeContents(text);
    const own = text.parentElement, place = range.getBoundingClientRect();
    if (text.data.trim() && place.width && seen(own) && isCut(own, place))
      found.push(`${own.closest("[id]")?.id}: ${text.data}`);
  }
  for (const field of document.querySelectorAll("select, input, textarea"))
    if (seen(field) && isNarrow(field)) found.push(field.name || field.ariaLabel);
  return found;
}
