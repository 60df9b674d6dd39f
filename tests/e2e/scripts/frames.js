/* global STEP */
async (frames) => {
    const step = STEP;
    const [took, tasks] = [[], []];
    const seen = new PerformanceObserver((list) =>
        tasks.push(...list.getEntries().map(({ duration }) => duration)));
    seen.observe({ type: "longtask" });
    const frame = () => new Promise(requestAnimationFrame);
    let last = await frame();
    for (let n = 0; n < frames; n += 1) {
        step(n);
        const now = await frame();
        took.push(now - last);
        last = now;
    }
    await frame();
    seen.disconnect();
    return { took, tasks };
}
