import { once } from "node:events";
import { readFileSync } from "node:fs";
import { IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inventory } from "../../generated/inventory/realm.ts";
import { BadSettings, readSettings } from "../../runtime/instance/settings.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";

const page = readFileSync(new URL("../../docs/realtime.md", import.meta.url), "utf8");

/** A realm in which movements can be followed. */
const followed: RealmModule = {
  ...inventory,
  definition: {
    ...inventory.definition,
    collections: inventory.definition.collections.map((each) =>
      each.name === "movements" ? { ...each, realtime: true } : each,
    ),
  },
};

let server: Started<HeldClock>;
beforeAll(async () => {
  server = await startRealm(followed, { settings: { metrics: "on" } });
});
afterAll(() => server.stop());

/** The first command of the page, and what it prints. */
function example() {
  const [, console = ""] = /^```console\n(.*?)^```/ms.exec(page) ?? [];
  const [, path, header = "", body = "", shown] =
    /^\$ curl -sN http:\/\/[\w.:]+(\S+) -H '([^']*)' \\\n +-d '([^']*)'\n(.*)/s.exec(console) ?? [];
  if (path === undefined || shown === undefined) throw new Error("docs/realtime.md has no such command");
  const [name = "", value = ""] = header.split(": ");
  return { path, body, headers: { [name]: value }, shown };
}

/** What a stream sends, block by block. */
async function* blocks(body: AsyncIterable<Buffer>) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const [last = "", ...ended] = text.split("\n\n").reverse();
    for (const block of ended.reverse()) yield `${block}\n`;
    text = last;
  }
}

/** A text with `<name>` for what differs each time. */
function like(shown: string): RegExp {
  const literal = shown.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replaceAll(/<\w+>/g, '[^\\s"]+')}$`);
}

describe("docs/realtime.md", () => {
  it("names settings that there are, with their defaults", () => {
    const names = new Set(page.match(/\bSVC_[A-Z_]*[A-Z]\b/g));
    for (const name of names) {
      // A value that no setting takes is told apart from a name that none has.
      expect([name, problemsOf({ [name]: "" })]).toEqual([name, [`${name} must not be empty`]]);
    }
    const { limits, memory } = readSettings({}).realtime;
    const row = (setting: string) => page.split("\n").find((line) => line.startsWith(`| \`${setting}\``));
    expect(row("SVC_REALTIME_MAX_SUBSCRIPTIONS")).toContain(` ${limits.maxSubscriptions} in a stream`);
    expect(row("SVC_REALTIME_MAX_STREAMS_PER_CALLER")).toContain(` ${limits.maxStreamsPerCaller} open`);
    expect(row("SVC_REALTIME_STREAMS_PER_SECOND")).toContain(` ${limits.streamsPerSecond} opened`);
    expect(row("SVC_REALTIME_MAX_STREAMS")).toContain(` ${limits.maxStreams.toLocaleString("en")} open`);
    expect(row("SVC_REALTIME_BUFFER_BYTES")).toContain(
      ` ${limits.bufferBytes / 1024}KiB or ${limits.bufferEvents.toLocaleString("en")} events`,
    );
    expect(row("SVC_REALTIME_MEMORY")).toContain(` ${memory / 1024 / 1024}MiB `);
  });

  it("shows what a stream sends, and the metrics that tell of it", async () => {
    const { path, body, headers, shown } = example();
    const asking = request(`${server.url}${path}`, { method: "POST", headers });
    asking.end(body);
    const [stream] = await once(asking, "response");
    if (!(stream instanceof IncomingMessage)) throw new Error("a stream");
    expect(stream.statusCode).toBe(200);
    const sent = blocks(stream);
    const told = [(await sent.next()).value];
    for (const quantity of [5, -5]) {
      const movement = {
        item_id: "bolts",
        location_id: "hall-2",
        quantity,
        moved_at: "2026-03-01T09:00:00+01:00",
      };
      const made = await fetch(`${server.url}/v1/inventory/stock/movements`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(movement),
      });
      expect(made.status).toBe(201);
    }
    told.push((await sent.next()).value);
    expect(`${told.join("\n")}`).toMatch(like(shown));

    const text = await (await fetch(`${server.url}/metrics`)).text();
    for (const line of [
      "svc_realtime_streams 1",
      'svc_realtime_subscriptions{kind="all"} 1',
      'svc_realtime_subscriptions{kind="shared"} 1',
      'svc_realtime_events_total{event="created"} 1',
      "svc_realtime_buffered_bytes 0",
      "svc_http_streams 1",
    ])
      expect(text.split("\n")).toContain(line);
    const measured: readonly string[] = text.match(/^svc_(?:realtime|http_streams)\w*/gm) ?? [];
    const named = [...page.matchAll(/`(svc_(?:realtime|http_streams)\w*)/g)].map(([, name = ""]) => name);
    // Nothing was reset.
    expect(named.filter((name) => !measured.includes(name))).toEqual(["svc_realtime_resets_total"]);
    expect(measured.filter((name) => !named.includes(name))).toEqual([]);
    asking.destroy();
  });
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof BadSettings) return error.problems;
    throw error;
  }
}
