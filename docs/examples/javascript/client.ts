// What is tested: a client of the service, which tries a pin again.
export interface Service {
  url: string; // "" in a page: the server that it came from
  key: string;
}

async function send({ url, key }: Service, method: string, path: string, body: object) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  return answer.json();
}

export async function pin(service: Service, appId: string, chatId: string, tries = 2) {
  const body = { appId, chatId, top: true };
  for (; ; tries--) {
    try {
      return await send(service, "PUT", "/api/core/chat/history/updateHistory", body);
    } catch (error) {
      if (tries <= 1) throw error;
    }
  }
}

export async function names(service: Service, datasetId: string): Promise<string[]> {
  const body = { datasetId, offset: 0, pageSize: 10 };
  const page = await send(service, "POST", "/api/core/dataset/collection/listV2", body);
  return page.data.list.map((item: { name: string }) => item.name);
}

export async function ask(service: Service, question: string): Promise<string> {
  const body = { messages: [{ role: "user", content: question }] };
  const reply = await send(service, "POST", "/api/v1/chat/completions", body);
  return reply.choices[0].message.content;
}
