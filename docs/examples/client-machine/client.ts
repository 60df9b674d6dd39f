// What is tested: a client of the service, which tries again what has failed for now.
interface Item { _id: string; name: string }
interface Page { list: Item[]; total: number }
interface Envelope<T> { code: number; message: string; data: T }

const again = new Set([429, 503]);

export class Client {
  constructor(
    private url: string,
    private key: string,
    private sleep: (seconds: number) => Promise<void>,
    private attempts = 3,
  ) {}

  async pin(appId: string, chatId: string, top: boolean): Promise<void> {
    await this.call("PUT", "/api/core/chat/history/updateHistory", { appId, chatId, top });
  }

  async folder(datasetId: string, parentId: string | null): Promise<Item[]> {
    const items: Item[] = [];
    const path = "/api/core/dataset/collection/listV2";
    for (;;) {
      const body = { datasetId, parentId, offset: items.length, pageSize: 30 };
      const page = await this.call<Page>("POST", path, body);
      items.push(...page.list);
      if (page.list.length === 0 || items.length >= page.total) return items;
    }
  }

  private async call<T>(method: string, path: string, body: object): Promise<T> {
    const headers = {
      Authorization: `Bearer ${this.key}`,
      "Content-Type": "application/json",
    };
    for (let left = this.attempts - 1; ; left--) {
      try {
        const answer = await fetch(this.url + path, { method, headers, body: JSON.stringify(body) });
        const envelope = (await answer.json()) as Envelope<T>;
        if (envelope.code === 200) return envelope.data;
        if (left === 0 || !again.has(answer.status)) throw new Error(envelope.message);
        const asked = Number(answer.headers.get("Retry-After") ?? 0);
        await this.sleep(asked);
      } catch (error) {
        if (left === 0 || !(error instanceof TypeError)) throw error;
      }
    }
  }
}
