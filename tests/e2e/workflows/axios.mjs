// Sends what it is told with axios: `node axios.mjs URL HEADERS`, a request in a line.
import {createInterface} from "node:readline";
import {Agent} from "node:http";

const axios = (await import(process.env.AXIOS)).default;
const [url, headers] = process.argv.slice(2);
const client = axios.create({
  baseURL: url, headers: JSON.parse(headers), httpAgent: new Agent({keepAlive: true}),
  responseType: "text", transformResponse: (text) => text, validateStatus: () => true,
});
for await (const line of createInterface({input: process.stdin})) {
  const {method, path, query, body, file, form} = JSON.parse(line);
  let data = body ?? undefined;
  if (file) {
    data = new FormData();
    for (const [name, value] of Object.entries(form)) data.append(name, value);
    data.append("file", new Blob([Buffer.from(file[1], "base64")]), file[0]);
  }
  let answer;
  try {
    answer = await client.request({method, url: path, params: query, data});
  } catch (error) {
    answer = {status: null, data: error.code ?? error.message};
  }
  console.log(JSON.stringify({status: answer.status, text: answer.data}));
}
