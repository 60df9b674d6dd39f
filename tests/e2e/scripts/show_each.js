// Shows one request after the other; gives how many there were.
async (total) => {
    const rest = (ms) => new Promise((done) => setTimeout(done, ms));
    const title = document.querySelector("#drawer-title");
    for (let seq = 1; seq <= total; seq++) {
        location.hash = `#/requests/${seq}`;
        const end = performance.now() + 15_000;
        while (!title.textContent.endsWith(`#${seq}`)) {
            if (performance.now() > end) return seq - 1;
            await rest(5);
        }
    }
    return total;
}
