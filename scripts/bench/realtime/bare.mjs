// The reference: a bare `node:http` server that holds streams and writes what it is told to, to as many as it is told.
import { createServer } from "node:http";

const streams = new Set();
const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
  request.resume();
  request.once("end", () => {
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    response.write('event: ready\ndata: {"subscriptions":["s"]}\nid: none\n\n');
    streams.add(response);
    response.once("close", () => streams.delete(response));
  });
});
server.maxConnections = 100_000;
server.listen({ port: 0, host: "0.0.0.0", backlog: 4096 }, () => {
  process.send({ ready: `http://127.0.0.1:${server.address().port}` });
});

process.on("message", (message) => {
  if (message?.frame === undefined) return;
  // One frame for all, as whoever cares would do it.
  const frame = Buffer.from(message.frame.replace(/"sent":[\d.]+/, `"sent":${Date.now()}`));
  let left = message.streams;
  for (const response of streams) {
    if (left === 0) break;
    left -= 1;
    response.write(frame);
  }
});
