import { names } from "./client";

const service = { url: "", key: localStorage.getItem("key") ?? "" };
const list = document.querySelector("ul")!;
try {
  for (const name of await names(service, "6593e137231a2be9c5603ba7")) {
    list.append(Object.assign(document.createElement("li"), { textContent: name }));
  }
} catch {
  document.querySelector("p")!.textContent = "The list cannot be shown now.";
}
