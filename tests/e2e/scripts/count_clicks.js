// In every frame: clicks of a pointer only, as Enter on a button is a click as well;
// and keys that are no text.
(() => {
    const count = ({ isTrusted, detail }) => {
        if (isTrusted && detail > 0) top.clicks = (top.clicks ?? 0) + 1;
    };
    addEventListener("click", count, true);
    addEventListener("auxclick", count, true);
    addEventListener("keydown", ({ isTrusted, key }) => {
        const isText = key.length === 1 || ["Control", "Shift"].includes(key);
        if (isTrusted && !isText) top.keys = (top.keys ?? 0) + 1;
    }, true);
})()
