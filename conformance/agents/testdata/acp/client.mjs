// A client of ripple acp on the official SDK, whose path is the first argument; the rest
// is JSON: the command, where it works, the prompts, and the option to choose when it is
// asked. It prints what it was told as JSON.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const sdk = await import(pathToFileURL(process.argv[2]));
const { command, cwd, prompts, choose } = JSON.parse(process.argv[3]);
const agent = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const told = { stops: [], asked: [], updates: [], loaded: [] };
let updates = told.updates;

const stream = sdk.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const client = sdk
  .client({ name: "test" })
  .onRequest(sdk.methods.client.session.requestPermission, ({ params }) => {
    told.asked.push(params.toolCall.title);
    const option = params.options.find((o) => o.kind === choose);
    return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
  })
  .onNotification(sdk.methods.client.session.update, ({ params }) => void updates.push(params.update));

await client.connectWith(stream, async (ctx) => {
  told.initialized = await ctx.request(sdk.methods.agent.initialize, { protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await ctx.request(sdk.methods.agent.session.new, { cwd, mcpServers: [] });
  for (const text of prompts) {
    const { stopReason } = await ctx.request(sdk.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    told.stops.push(stopReason);
  }
  if (told.initialized.agentCapabilities.loadSession) {
    updates = told.loaded;
    await ctx.request(sdk.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  }
  try {
    await ctx.request(sdk.methods.agent.session.prompt, { sessionId: "none", prompt: [] });
  } catch (error) {
    told.refused = error.code;
  }
});
agent.stdin.end();
told.exit = await new Promise((end) => agent.on("exit", end));
console.log(JSON.stringify(told));
