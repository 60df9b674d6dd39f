// An initial script of a page: keeps what comes to be that no text may bring about.
(() => {
    const caught = (top.caught ??= []);
    for (const name of ["alert", "confirm", "prompt", "print"])
        window[name] = () => caught.push(name);
    Object.defineProperty(window, "hit", { set: (_value) => { caught.push("hit"); } });
    addEventListener("securitypolicyviolation",
        ({ violatedDirective }) => caught.push(violatedDirective), true);
    const bad = "script, iframe, link, style, img, object, embed, base, meta, math";
    const leads = /^(href|src|action|formaction|srcdoc|xlink:href)$/;
    const isCode = (value) => /^\s*(javascript|data|vbscript):/i.test(value);
    const odd = (node) => [...node.attributes].some(({ name, value }) =>
        name.startsWith("on") || (leads.test(name) && isCode(value)));
    const look = (node) => {
        if (node.nodeType !== 1) return;
        const ours = node.title === "The demo front end" || node.matches("h1 img");
        if (!ours && (node.matches(bad) || odd(node))) caught.push(node.outerHTML);
        for (const inner of node.children) look(inner);
    };
    addEventListener("load", () => new MutationObserver((all) => {
        for (const { addedNodes } of all) for (const node of addedNodes) look(node);
    }).observe(document, { childList: true, subtree: true }));
})()
