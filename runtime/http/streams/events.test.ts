import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { runs } from "../../testing/random.ts";
import { listening, realmOf, routes, type TestServer } from "../testing/server.ts";
import { eventFrame, events, type ServerEvent } from "./events.ts";

let server: TestServer | undefined;
afterEach(() => server?.server.close(0));

interface Dispatched {
  readonly type: string;
  readonly data: string;
  readonly lastEventId: string;
}

/** What a browser makes of an event stream: the algorithm of WHATWG, Server-sent events, 9.2.6. */
function interpreted(stream: string): {
  events: Dispatched[];
  retry: number | undefined;
  lastEventId: string;
} {
  const dispatched: Dispatched[] = [];
  let [data, type, lastEventId] = ["", "", ""];
  let retry: number | undefined;
  const all = stream.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  // What follows the last line end is no line.
  all.pop();
  for (const line of all) {
    if (line === "") {
      if (data !== "") dispatched.push({ type: type || "message", data: data.slice(0, -1), lastEventId });
      [data, type] = ["", ""];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") type = value;
    else if (field === "data") data += `${value}\n`;
    else if (field === "id" && !value.includes("\0")) lastEventId = value;
    else if (field === "retry" && /^\d+$/.test(value)) retry = Number(value);
  }
  return { events: dispatched, retry, lastEventId };
}

describe("A block of an event stream", () => {
  it.each<[ServerEvent, string]>([
    [{ data: "x" }, "data: x\n\n"],
    [{ data: "" }, "data: \n\n"],
    [{ event: "created", data: '{"a":1}', id: "t1" }, 'event: created\ndata: {"a":1}\nid: t1\n\n'],
    [{ data: "a\nb\r\nc\rd" }, "data: a\ndata: b\ndata: c\ndata: d\n\n"],
    [{ data: "\n" }, "data: \ndata: \n\n"],
    [{ data: " leading" }, "data:  leading\n\n"],
    [{ data: "data: x\n\nevent: forged" }, "data: data: x\ndata: \ndata: event: forged\n\n"],
    [{ comment: "heartbeat" }, ": heartbeat\n\n"],
    [{ comment: "a\ndata: forged" }, ": a\n: data: forged\n\n"],
    [{ id: "t2" }, "id: t2\n\n"],
    [{ retry: 1500 }, "retry: 1500\n\n"],
  ])("%j", (event, frame) => {
    expect(eventFrame(event)).toBe(frame);
  });

  it("has an id and a name of one line, and a whole number to come again after", () => {
    for (const event of [
      { id: "a\nb" },
      { id: "a\0" },
      { event: "a\rdata: b" },
      { retry: 1.5 },
      { retry: -1 },
    ])
      expect(() => eventFrame(event)).toThrow(RangeError);
  });

  it("is read by clients as it was meant, whatever is in it", () => {
    const text = fc.string({
      unit: fc.constantFrom(
        "a",
        " ",
        ":",
        "\n",
        "\r",
        "data",
        "id: x",
        "字",
        "\uFEFF",
        "\u2028",
        "\\n",
        "\0",
      ),
    });
    const line = text.map((raw) => raw.replace(/[\r\n\0]/g, ""));
    const event = fc.record(
      { id: line, event: line, data: text, retry: fc.nat(), comment: text },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(event), (all) => {
        let lastEventId = "";
        let retry: number | undefined;
        const expected: Dispatched[] = [];
        for (const each of all) {
          lastEventId = each.id ?? lastEventId;
          retry = each.retry ?? retry;
          if (each.data === undefined) continue;
          const data = each.data.replace(/\r\n|\r/g, "\n");
          expected.push({ type: each.event || "message", data, lastEventId });
        }
        const stream = all.map(eventFrame).join("");
        // A stream that begins with a byte order mark loses it; none of ours does.
        expect(interpreted(stream)).toEqual({ events: expected, retry, lastEventId });
      }),
      { numRuns: runs(5_000) },
    );
  });
});

describe("An event stream as an answer", () => {
  it("has the headers that keep caches and proxies from holding it, and arrives event by event", async () => {
    let give: () => void = () => undefined;
    const given = new Promise<void>((resolve) => {
      give = resolve;
    });
    async function* source() {
      yield eventFrame({ event: "ready", data: "{}" });
      await given;
      yield eventFrame({ data: "字\n2", id: "1" }) + eventFrame({ data: "3", id: "2" });
    }
    const handle = () => events(source);
    server = await listening([realmOf({ "/v1/shop/events": routes(["GET"], handle) })]);
    const { headers, body } = await fetch(`${server.url}/v1/shop/events`);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (interpreted(text).events.length === 1) give();
    }
    expect(interpreted(text).events).toEqual([
      { type: "ready", data: "{}", lastEventId: "" },
      { type: "message", data: "字\n2", lastEventId: "1" },
      { type: "message", data: "3", lastEventId: "2" },
    ]);
  });
});
