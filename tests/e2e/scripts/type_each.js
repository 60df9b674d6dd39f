// Puts one text after the other into a field.
async ([selector, texts]) => {
    const input = document.querySelector(selector);
    for (const text of texts) {
        input.value = text;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise(requestAnimationFrame);
    }
}
