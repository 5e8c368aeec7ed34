// ClickHouse's engine as a library (npm's chdb) behind the part of its HTTP interface that frx uses:
//
//   node chdb_server.mjs FOLDER_OF_NODE_MODULES FOLDER_OF_DATA PORT
//
// A POST without ?query= is a query; with it, the query is an INSERT whose rows are the body.
import { createRequire } from "node:module";
import http from "node:http";
import fs from "node:fs";
import path from "node:path";

const [modules, folder, port] = process.argv.slice(2);
const { Session } = createRequire(path.join(modules, "index.js"))("chdb");
const session = new Session(path.join(folder, "data"));
const insertion = /^INSERT INTO (\S+) \((.*)\) FORMAT RowBinary$/;
const selection = /^([^]*) FORMAT RowBinary$/;

async function run(query, body) {
  const insert = insertion.exec(query ?? "");
  if (insert) {
    const file = path.join(folder, "rows");
    fs.writeFileSync(file, body);
    // The rows have the types of the columns of the table.
    return session.queryAsync(`INSERT INTO ${insert[1]} (${insert[2]}) SELECT * FROM file('${file}', 'RowBinary')`);
  }
  const text = body.toString();
  const select = selection.exec(text);
  return session.queryAsync(select ? select[1] : text, { format: "RowBinary" });
}

let last = Promise.resolve(); // one after the other
http
  .createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      last = last.then(async () => {
        if (request.url === "/ping") return response.end("Ok.\n");
        try {
          const query = new URL(request.url, "http://127.0.0.1").searchParams.get("query");
          response.end(Buffer.from((await run(query, Buffer.concat(parts))).bytes()));
        } catch (error) {
          response.statusCode = 500;
          response.end(String(error.message ?? error).replace(/^.*?(?=Code: )/s, ""));
        }
      });
    });
  })
  .listen(Number(port), "127.0.0.1");
