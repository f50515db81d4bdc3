import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { download } from "./downloads.ts";
import { ApiError, ConnectionError } from "./errors.ts";

/** What a server answers next, given the signal of the request. */
let answers: ((signal: AbortSignal | undefined) => Response)[];
let caller: AbortController;
const listeners = () => getEventListeners(caller.signal, "abort").length;
beforeEach(() => {
  answers = [];
  caller = new AbortController();
});
afterEach(() => expect(listeners()).toBe(0));

function start() {
  const connection = new Connection("shop", false, {
    baseUrl: "https://api.example.com",
    retryDelay: () => 0,
    fetch: async (_, { signal }) => {
      const answer = answers.shift();
      if (answer === undefined) throw new TypeError("nobody is there");
      return answer(signal);
    },
  });
  return download(connection, "main/books/b/_files/cover/f", { signal: caller.signal });
}

const refusal = (status: number, code: string) => () =>
  new Response(JSON.stringify({ error: { code, message: "No.", request_id: "r" } }), { status });

/** Pieces that come until the request is aborted. */
const endless = (signal: AbortSignal | undefined) =>
  new Response(
    new ReadableStream({
      start: (controller) => signal?.addEventListener("abort", () => controller.error(signal.reason)),
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
    }),
  );

describe("a download leaves nothing behind at the signal of its caller", () => {
  it("when all of it was read", async () => {
    for (let time = 0; time < 3; time += 1) {
      answers.push(() => new Response("abc", { status: 206, headers: { "Content-Length": "3" } }));
      const { body, size, partial } = await start();
      expect([size, partial, listeners()]).toEqual([3, true, 1]);
      expect(await new Response(body).text()).toBe("abc");
      expect(listeners()).toBe(0);
    }
  });

  it("when its reader stops", async () => {
    answers.push(endless);
    const { body } = await start();
    for await (const piece of body) {
      expect(piece).toHaveLength(10);
      break;
    }
  });

  it("when it is aborted, which ends its bytes", async () => {
    answers.push(endless);
    const { body } = await start();
    const reader = body.getReader();
    expect((await reader.read()).value).toHaveLength(10);
    caller.abort(new Error("enough"));
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow("enough");
  });

  it("when its bytes break off", async () => {
    answers.push(
      () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("cut")) })),
    );
    const { blob } = await start();
    await expect(blob()).rejects.toThrow();
  });

  it("when it is refused, or refused at first", async () => {
    answers.push(refusal(404, "file_missing"));
    await expect(start()).rejects.toThrow(ApiError);
    answers.push(refusal(503, "unavailable"), () => new Response("abc"));
    expect(await (await (await start()).blob()).text()).toBe("abc");
  });

  it("when nobody answers", async () => {
    await expect(start()).rejects.toThrow(ConnectionError);
  });
});
