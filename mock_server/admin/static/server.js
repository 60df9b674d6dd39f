/** The admin API, with the token that the server may ask for; this tab alone keeps it. */

const page = new URL("./", location.href).pathname;
const dialog = document.getElementById("token");
const form = dialog.querySelector("form");
let asked = null;

/** The path of the sandbox that the address names, by default of the default sandbox. */
export function root() {
  const name = new URLSearchParams(location.search).get("sandbox");
  return name ? `${page}sandboxes/${encodeURIComponent(name)}/` : page;
}

/**
 * Send a request, with an object or a file; a path with a slash in front is not that of the
 * sandbox. Throws an Error with the server's message and the status.
 */
export async function admin(method, path, body, { headers = {}, signal } = {}) {
  const url = path.startsWith("/") ? page + path.slice(1) : root() + path;
  for (;;) {
    const token = sessionStorage.getItem("token");
    const sent = { ...headers };
    if (token) sent.Authorization = `Bearer ${token}`;
    const isFile = body instanceof Blob; // which has a type of its own
    if (body !== undefined && !isFile) sent["Content-Type"] = "application/json";
    const content = isFile ? body : JSON.stringify(body);
    const response = await fetch(url, { method, headers: sent, body: content, signal });
    if (response.ok) return response;
    const { status } = response;
    if (status !== 401) throw Object.assign(new Error(await messageOf(response)), { status });
    await askForToken(token);
  }
}

async function messageOf(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).message;
  } catch {
    return `${response.status} ${text}`;
  }
}

/** Ask once, whatever number of requests is waiting. */
function askForToken(wrong) {
  if (wrong !== sessionStorage.getItem("token")) return asked; // another one was given meanwhile
  const { wrong: complaint } = document.getElementById("texts").dataset;
  form.querySelector("[role=alert]").textContent = wrong ? complaint : "";
  asked ??= new Promise((done) => {
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    form.addEventListener("submit", () => {
      sessionStorage.setItem("token", form.elements.token.value);
      form.reset();
      dialog.close();
      asked = null;
      done();
    }, { once: true });
    dialog.showModal();
  });
  return asked;
}
