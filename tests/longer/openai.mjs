// What openai-js sees: `node openai.mjs URL KEY plain|stream|cancel` prints a line for each chunk.
import OpenAI from "openai";

const [url, apiKey, mode] = process.argv.slice(2);
const gpt = new OpenAI({ baseURL: `${url}/api/v1`, apiKey, maxRetries: 0 });
const question = { model: "any", messages: [{ role: "user", content: "x" }] };

if (mode === "plain") {
  const completion = await gpt.chat.completions.create(question);
  console.log(completion.choices[0].message.content);
} else {
  const stream = await gpt.chat.completions.create({ ...question, stream: true });
  for await (const chunk of stream) {
    console.log(chunk.choices ? (chunk.choices[0].delta.content ?? "stop") : chunk.message);
    if (mode === "cancel") stream.controller.abort();
  }
}
