// Asks for completions with the library `openai`: `node openai.mjs URL`; prints what came.
const OpenAI = (await import(process.env.OPENAI)).default;
const client = new OpenAI({baseURL: `${process.argv[2]}/api/v1`, apiKey: "any", maxRetries: 0});
const fields = {model: "any", messages: [{role: "user", content: "The weather?"}]};
const found = {};
for (const detail of [false, true]) {
  const {choices: [{message}]} = await client.chat.completions.create({...fields, detail});
  const streamed = await client.chat.completions.create({...fields, detail, stream: true});
  let text = "";
  for await (const {choices} of streamed) text += choices?.[0].delta.content ?? "";
  found[detail] = {content: message.content, reasoning: message.reasoning_content, streamed: text};
}
console.log(JSON.stringify(found));
