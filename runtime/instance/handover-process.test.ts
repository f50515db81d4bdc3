import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isEmbedded, type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { isFull } from "../testing/random.ts";
import { type Bundle, bundle, load } from "./testing/handover.ts";
import { type ServerProcess, startNode, urlOf } from "./testing/process.ts";

/** Milliseconds: each test starts processes, which takes long on a machine that has much else to do. */
const timeout = 120_000;

let place: ProcessPlace;
let program: Bundle;
let server: ServerProcess;
let url: string;
let items: string;
beforeEach(async () => {
  place = processPlace();
  program = bundle(place.realm);
  server = startNode([program.script], place, { SVC_DATA: program.folder });
  url = await urlOf(server);
  items = `${url}/v1/${place.realm}/main/items`;
}, timeout);
afterEach(async () => {
  for (const line of server.out) kill(Number(JSON.parse(line)["pid"] ?? 0), JSON.parse(line)["next"]);
  server.child.kill("SIGKILL");
  await server.ended;
  await place.discard();
  program.discard();
});

function kill(...pids: unknown[]): void {
  for (const pid of pids) {
    if (typeof pid !== "number" || pid < 2) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** Of the server that answers. */
async function fingerprint(): Promise<unknown> {
  // On a connection of its own: those of one that was killed are gone.
  const [answer]: IncomingMessage[] = await once(get(`${url}/readyz`, { agent: false }), "response");
  const said: { config?: unknown } = JSON.parse(String(await answer?.toArray().then(Buffer.concat)));
  return said.config;
}

async function allThere(ids: readonly string[]): Promise<void> {
  for (const id of ids) expect((await fetch(`${items}/${id}`)).status, id).toBe(200);
}

describe("SIGUSR2 hands over", { timeout }, () => {
  it("to the program that is on disk now; under load no request fails and nothing acknowledged is lost", async () => {
    const clients = load(items, 16);
    await clients.more(100);
    program.version("f2");
    server.child.kill("SIGUSR2");
    const { next } = await server.line("handed over");
    await server.exited;
    await clients.more(100);
    await clients.stop();
    expect(clients.failures).toEqual([]);
    expect(server.child.exitCode).toBe(0);
    expect(await fingerprint()).toBe("f2");
    await allThere(clients.created);
    process.kill(Number(next), "SIGTERM");
    await server.ended;
  });

  it("a connection that idles goes along: what is sent on it is answered", async () => {
    const idle = connect(Number(new URL(url).port), "127.0.0.1");
    const fresh = connect(Number(new URL(url).port), "127.0.0.1");
    const ask = async (on: typeof idle) => {
      on.write(`GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [bytes]: Buffer[] = await once(on, "data");
      return String(bytes);
    };
    await once(fresh, "connect");
    expect(await ask(idle)).toContain('"f1"');
    program.version("f2");
    server.child.kill("SIGUSR2");
    await server.exited;
    expect(await ask(idle)).toContain('"f2"');
    expect(await ask(fresh)).toContain('"f2"');
    idle.destroy();
    fresh.destroy();
  });

  it("to a program that is busy: every connection that waits is served", async () => {
    const agents = Array.from({ length: 50 }, () => connect(Number(new URL(url).port), "127.0.0.1"));
    await Promise.all(agents.map((each) => once(each, "connect")));
    // Each of its turns takes so long that one connection a turn would take longer than all clients wait.
    const busy = "const end = performance.now() + 60; while (performance.now() < end);";
    program.version("f2", `setTimeout(() => setInterval(() => { ${busy} }), 1_000).unref();`);
    server.child.kill("SIGUSR2");
    await server.line("handing over");
    const answers = agents.map(async (each) => {
      each.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
      const [bytes]: Buffer[] = await once(each, "data");
      return String(bytes).slice(0, 12);
    });
    await Promise.all(answers);
    await server.exited;
    for (const each of agents) each.destroy();
  });

  it("answers a request under way where it began", async () => {
    const answer = fetch(`${url}/v1/${place.realm}/main/slow/a`, { method: "PUT" });
    await server.line("entered");
    server.child.kill("SIGUSR2");
    expect((await answer).status).toBe(204);
    await server.exited;
    await allThere(["a"]);
  });

  it("once, where two signals come", async () => {
    server.child.kill("SIGUSR2");
    await server.line("handing over");
    server.child.kill("SIGUSR2");
    await server.exited;
    expect(server.out.filter((line) => line.includes('"handing over"'))).toHaveLength(1);
    expect(await fingerprint()).toBe("f1");
  });
});

describe("A handover that fails leaves the server as it was:", { timeout }, () => {
  const failing = [
    ["a program with a mistake", () => program.broken("this is no program"), /exit code 1/],
    [
      "a program that dies once the store is its own",
      () =>
        program.version(
          "f2",
          `process.on("message", ({ kind }) => kind === "take" && process.kill(process.pid, "SIGKILL"));`,
        ),
      /SIGKILL/,
    ],
  ] as const;
  const more = [
    ["no program", () => program.broken("process.exit(3)"), /exit code 3/],
    [
      "a program whose start its settings refuse",
      () => program.version("f2", `process.env.SVC_LOG = "nonsense";`),
      /exit code 1/,
    ],
    [
      "a program that cannot serve the store",
      () =>
        program.version(
          "f2",
          `process.on("message", ({ kind }) => { if (kind === "take") throw new Error("no such store"); });`,
        ),
      /ended|no such store/,
    ],
  ] as const;

  it.each(isFull ? [...failing, ...more] : failing)("%s", async (_name, make, reason) => {
    const clients = load(items, 8);
    await clients.more(50);
    make();
    server.child.kill("SIGUSR2");
    expect(String((await server.line("not handed over; going on"))["reason"])).toMatch(reason);
    await clients.more(50);
    await clients.stop();
    expect(clients.failures).toEqual([]);
    expect(await fingerprint()).toBe("f1");
    await allThere(clients.created);
    program.version("f3");
    server.child.kill("SIGUSR2");
    await server.exited;
    expect(await fingerprint()).toBe("f3");
  });
});

describe("The next server has the store and the socket", { timeout }, () => {
  it("where the one before it is killed in the midst of it", async () => {
    const clients = load(items, 4);
    await clients.more(20);
    await clients.stop();
    // It dies where the next one is about to take the store.
    program.version(
      "f2",
      `process.on("message", ({ kind }) => kind === "take" && process.kill(process.ppid, "SIGKILL"));`,
    );
    server.child.kill("SIGUSR2");
    await server.exited;
    expect(await fingerprint()).toBe("f2");
    await allThere(clients.created);
  });

  it.runIf(isEmbedded)("where the one before it is killed while it has the store", async () => {
    program.version("f2", `process.kill(process.ppid, "SIGKILL");`);
    server.child.kill("SIGUSR2");
    await server.exited;
    expect(await fingerprint()).toBe("f2");
  });
});

describe("server handover", { timeout }, () => {
  const command = () => startNode([program.script, "handover"], place, { SVC_DATA: program.folder });

  it("has the running server hand over, the next one again, and says to which process: exit code 0", async () => {
    program.version("f2");
    const first = command();
    expect(await first.ended).toBe(0);
    const { next } = await server.line("handed over");
    expect(first.out).toEqual([`handed over to process ${next}`]);
    expect(await fingerprint()).toBe("f2");
    if (!isFull) return;
    program.version("f3");
    expect(await command().ended).toBe(0);
    expect(await fingerprint()).toBe("f3");
  });

  it("exits with 1 and the reason where the server goes on", async () => {
    program.version("f2", `if (process.env.REALMC_HANDOVER) process.exit(9);`);
    const asked = command();
    expect(await asked.ended).toBe(1);
    expect(asked.err.join("\n")).toContain(
      "the server goes on as it was: the next server ended (exit code 9)",
    );
    expect(await fingerprint()).toBe("f1");
  });

  it("exits with 3 where no server runs, also after one that was killed", async () => {
    server.child.kill("SIGKILL");
    await server.ended;
    const asked = command();
    expect(await asked.ended).toBe(3);
    expect(asked.err.join("\n")).toContain("no server runs there");
  });
});
