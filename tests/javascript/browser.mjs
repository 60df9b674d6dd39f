/** What scripts look for in a browser when they are loaded: a document in which nothing shows. */

const element = () =>
  Object.assign(new EventTarget(), {
    append() {},
    classList: { toggle() {} },
    hidden: true,
    replaceChildren() {},
    setAttribute() {},
  });

Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] } });
Object.assign(globalThis, {
  addEventListener() {},
  matchMedia: () => ({}),
  document: Object.assign(new EventTarget(), {
    body: element(),
    createElement: element,
    getElementById: element,
    querySelector: () => null,
    querySelectorAll: () => [],
  }),
  location: new URL("http://localhost:8000/__admin/"),
});
