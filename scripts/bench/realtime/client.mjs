// The other side of the benchmark, in a process of its own: opens streams by hand on plain sockets, counts what comes.
//
// Messages it takes, each answered by one with the same `call`:
//   open    { port, streams: [{ token, body, resume }] }  opens them, from several addresses of loopback; `resume`: the
//           token that one goes on from
//   expect  { events }                                    counts anew; the answer comes when so many have come
//   cut     {}                                            destroys every socket, and answers the `ids` they were at
import { createConnection } from "node:net";

/** Connections being made at a time. */
const AT_ONCE = 256;

let streams = [];
let counted = begun();
/** The last event, whole. */
let frame = "";
let failure;

function begun() {
  return { events: 0, latencies: [], wanted: Number.POSITIVE_INFINITY, reached: undefined, at: 0 };
}

function open(port, { token, body, resume }, at) {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (at % 40)}` });
    const stream = { socket, id: undefined };
    streams[at] = stream;
    socket.setNoDelay(true);
    const path = `/v1/${process.argv[2]}/_realtime${resume === undefined ? "" : `?resume_from=${resume}`}`;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
        `${token === undefined ? "" : `Authorization: Bearer ${token}\r\n`}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    let headed = false;
    let rest = "";
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      rest += text;
      if (!headed) {
        const end = rest.indexOf("\r\n\r\n");
        if (end < 0) return;
        if (!rest.startsWith("HTTP/1.1 200")) return reject(new Error(rest.slice(0, 600)));
        headed = true;
        rest = rest.slice(end + 4);
      }
      rest = take(rest, stream, resolve);
    });
    socket.on("error", reject);
    socket.on("close", () => {
      if (stream.isCut !== true) failure ??= new Error("a stream was closed");
      reject(new Error("closed before it was ready"));
    });
  });
}

/** Whole chunks of the transfer encoding; answers what is left. */
function take(text, stream, ready) {
  let at = 0;
  for (;;) {
    const line = text.indexOf("\r\n", at);
    if (line < 0) return text.slice(at);
    const length = Number.parseInt(text.slice(at, line), 16);
    const end = line + 2 + length + 2;
    if (end > text.length) return text.slice(at);
    read(text.slice(line + 2, end - 2), stream, ready);
    at = end;
  }
}

/** Servers write whole blocks. */
function read(text, stream, ready) {
  const now = performance.timeOrigin + performance.now();
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n\n", at);
    const block = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 2;
    const id = block.lastIndexOf("\nid: ");
    if (id >= 0) stream.id = block.slice(id + 5).split("\n", 1)[0];
    if (block.startsWith("id: ")) stream.id = block.slice(4).split("\n", 1)[0];
    if (block.startsWith("event: ready")) ready();
    else if (block.startsWith("event: created") || block.startsWith("event: updated")) {
      counted.events += 1;
      frame = `${block}\n\n`;
      const sent = /"sent":([\d.]+)/.exec(block);
      if (sent !== null) counted.latencies.push(now - Number(sent[1]));
      counted.at = now;
      if (counted.events === counted.wanted) counted.reached?.();
    } else if (block.startsWith("event: reset")) failure ??= new Error(`a stream was reset: ${block}`);
  }
}

async function openAll({ port, streams: asked }) {
  let next = 0;
  const began = performance.now();
  const worker = async () => {
    while (next < asked.length) {
      const at = next++;
      await open(port, asked[at], at);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { milliseconds: performance.now() - began };
}

const calls = {
  open: openAll,
  async expect({ events }) {
    if (counted.events < events) {
      counted.wanted = events;
      await new Promise((resolve) => (counted.reached = resolve));
    }
    const { latencies, at } = counted;
    latencies.sort((a, b) => a - b);
    const part = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
    counted = begun();
    return { p50: part(0.5), p99: part(0.99), frame, at };
  },
  async cut() {
    for (const stream of streams) {
      stream.isCut = true;
      stream.socket.destroy();
    }
    const ids = streams.map(({ id }) => id ?? "");
    streams = [];
    counted = begun();
    return { ids };
  },
};

process.on("message", async ({ call, ...values }) => {
  const limit = setTimeout(() => {
    process.send({
      error: `${call}: ${counted.events} of ${counted.wanted} events; ${failure?.message ?? ""}`,
    });
  }, 120_000);
  try {
    const answer = await calls[call](values);
    if (failure !== undefined) throw failure;
    process.send({ answer });
  } catch (error) {
    process.send({ error: error.message });
    failure = undefined;
  } finally {
    clearTimeout(limit);
  }
});
process.send({ ready: "" });
