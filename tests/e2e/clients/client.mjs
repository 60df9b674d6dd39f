// Calls a server as Node programs do: `node client.mjs fetch|axios URL`.
const [library, url] = process.argv.slice(2);
const headers = {"Authorization": "Bearer k", "Content-Type": "application/json"};
const calls = [
  ["PUT", "/api/core/chat/history/updateHistory",
    {appId: "65d8a1f0c3b2a94e7f106a01", chatId: "invoice-copy", top: true}],
  ["POST", "/api/core/dataset/collection/listV2",
    {offset: 0, datasetId: "6593e137231a2be9c5603ba7"}],
];

let send;
if (library === "axios") {
  const axios = (await import(process.env.AXIOS)).default;
  const {Agent} = await import("node:http");
  const client = axios.create({baseURL: url, headers, httpAgent: new Agent({keepAlive: true})});
  send = async (method, path, data) => (await client.request({method, url: path, data})).data;
} else {
  send = async (method, path, body) =>
    (await fetch(url + path, {method, headers, body: JSON.stringify(body)})).json();
}
const call = async (each) => {
  const answer = await send(...each);
  if (answer.code !== 200) throw new Error(JSON.stringify(answer));
};

for (let n = 0; n < 100; n++) for (const each of calls) await call(each);
const waiting = Array.from({length: 100}, (_, n) => calls[n % 2]);
await Promise.all(Array.from({length: 16}, async () => {
  while (waiting.length) await call(waiting.pop());
}));
await new Promise((done) => setTimeout(done, 6000));
await call(calls[0]);
console.log("ok");
process.exit(0);
