// Drives frx mcp with the clients of npm: `node drive.mjs modern|legacy FRX ROOT REQUESTS.json [URL]`; with URL, that of frx serve. Prints what it
// got as JSON.
// The clients validate what they get by the schemas of the protocol and by the output schemas of the tools.
import { readFileSync } from 'node:fs';

const [era, frx, root, requests, url] = process.argv.slice(2);
const parameters = { command: frx, args: ['mcp', '--root', root], cwd: root, stderr: 'inherit' };

async function connected() {
  if (era === 'legacy') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const { ListRootsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: `file://${root}` }] }));
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    await client.connect(url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(parameters));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(parameters));
  return client;
}

const client = await connected();
const result = { server: client.getServerVersion(), instructions: client.getInstructions(), calls: [] };
result.tools = (await client.listTools()).tools;
result.prompts = (await client.listPrompts()).prompts;
result.templates = (await client.listResourceTemplates()).resourceTemplates;
result.page = (await client.readResource({ uri: 'frx://explain/uncoalesced_access' })).contents[0].text;
result.prompt = (await client.getPrompt({ name: 'find_the_bottleneck', arguments: { path: 'a.csv' } })).messages[0].content.text;
result.resources = (await client.listResources()).resources;
result.report = (await client.readResource({ uri: 'frx://report/demos/ncu/strided_copy.csv' })).contents[0].text;
// A long one tells how far it is. What arrives is noted before the client sees it: a client that is slower than the answer calls no handler for
// progress that it reads together with the answer.
result.progress = [];
result.arrived = [];
if (process.env.LONG_TRACE) {
  const passOn = client.transport.onmessage;
  client.transport.onmessage = (message, extra) => {
    if (message.method === 'notifications/progress') result.arrived.push(message.params.progress);
    passOn(message, extra);
  };
  const request = { name: 'diagnose', arguments: { path: process.env.LONG_TRACE } };
  const options = { onprogress: (told) => result.progress.push(told.progress) };
  result.long = await (era === 'legacy' ? client.callTool(request, undefined, options) : client.callTool(request, options));
}
// All at once: answers come in any order.
result.calls = await Promise.all(JSON.parse(readFileSync(requests, 'utf8')).map((request) => client.callTool(request).catch((error) => ({ failure: String(error) }))));
await client.close();
console.log(JSON.stringify(result));
