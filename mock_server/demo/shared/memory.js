/** What the browser remembers of likings; never of the data. */

const PREFIX = "mock-server-";

/** A value that was kept, or another one. */
export function kept(name, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise; // storage is refused, or somebody else wrote there
  }
}

/** Keeps a value, if the browser lets it. */
export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Then it holds as long as the page does.
  }
}
