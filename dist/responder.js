import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);

// src/load/responder.ts
import { createServer } from "node:http";
var server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-length": "2", "content-type": "text/plain" });
  response.end("ok");
});
server.keepAliveTimeout = 12e4;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
});
process.once("disconnect", () => process.exit(0));
process.once("SIGTERM", () => process.exit(0));
