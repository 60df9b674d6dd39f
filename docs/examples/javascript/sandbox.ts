// A sandbox of a running mock server: data, faults and journal of one test.
export class Sandbox {
  readonly url: string;
  readonly name: string;
  readonly key: string;

  private constructor(url: string, name: string, key: string) {
    [this.url, this.name, this.key] = [url, name, key];
  }

  static async open(url: string): Promise<Sandbox> {
    const { name, key } = await admin(url, "POST", "/sandboxes", { ttl: 60 });
    return new Sandbox(url, name, key);
  }

  fault(fault: object) {
    return this.admin("POST", "/faults", fault);
  }

  /** Throws an error with the nearest requests if the journal fails the criteria. */
  verify(criteria: object) {
    return this.admin("POST", "/journal/verify", criteria);
  }

  reset() {
    return this.admin("POST", "/reset", {});
  }

  close() {
    return this.admin("DELETE", "");
  }

  admin(method: string, path: string, body?: object) {
    return admin(this.url, method, `/sandboxes/${this.name}${path}`, body);
  }
}

async function admin(url: string, method: string, path: string, body?: object) {
  const response = await fetch(`${url}/__admin${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
