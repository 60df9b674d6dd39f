/** What is open, as the address says it: `#/requests/42`. */

const openers = [];

/** Has a part, such as `requests`, open what addresses that begin with it say, by their other words. */
export function onRoute(part, open) {
  openers.push([part, open]);
  follow(part, open);
}

/** Says in the address what is open; nothing is opened by that. */
export const showRoute = (...parts) =>
  history.replaceState(history.state, "", addressOf(...parts));

/** Says that nothing is open any more. */
export const leaveRoute = () => history.replaceState(history.state, "", location.pathname);

/** The address of something, to link to. */
export const addressOf = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

const words = () =>
  location.hash.startsWith("#/") ? location.hash.slice(2).split("/").map(decoded) : [];

function follow(part, open) {
  const [now, ...rest] = words();
  if (now === part) open(...rest);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % that begins no escape
  }
}

addEventListener("hashchange", () => openers.forEach((each) => follow(...each)));
