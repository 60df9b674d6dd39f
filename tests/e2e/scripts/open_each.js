// Opens one after the other, and closes each again; gives how many there were.
async ([selector, panel]) => {
    const rest = (ms) => new Promise((done) => setTimeout(done, ms));
    let opened = 0;
    for (const each of document.querySelectorAll(selector)) {
        each.click();
        for (let left = 2_000; left && !document.querySelector(panel); left--)
            await rest(5);
        if (document.querySelector(panel)) opened++;
        document.querySelector(panel)?.querySelector(".top button")?.click();
    }
    return opened;
}
