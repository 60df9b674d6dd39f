// Notes when the first view is there: a page that is live, with its data.
(() => {
  const inside = ".branch .branch li";
  const parts = ["#live.on", `#apps ${inside}`, `#datasets ${inside}`];
  const look = () => {
    const is_seen = parts.every((each) => document.querySelector(each));
    if (!is_seen) requestAnimationFrame(look);
    else document.documentElement.dataset.seen = performance.now();
  };
  requestAnimationFrame(look);
})()
