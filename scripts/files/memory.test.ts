/** Files are never whole in memory, however many come and go at once. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { platform } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject } from "../../runtime/json.ts";
import { isFull } from "../../runtime/testing/random.ts";

const MIB = 1024 * 1024;
/** MiB of each; in short runs still more in all than may be resident. */
const size = isFull ? 100 : 20;
const count = 20;
/** MiB that may be resident beyond what was before. */
const most = 150;

/** The kernel tells of the peak, and begins anew when it is asked to. */
describe.runIf(platform() === "linux")(`${count} files of ${size} MiB at once`, () => {
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    child = fork(fileURLToPath(new URL("vault-process.ts", import.meta.url)), {
      execArgv: ["--expose-gc", "--import", "tsx"],
    });
    url = String(await told());
  }, 120_000);
  afterAll(async () => {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  });

  async function told(question?: "begin" | "peak"): Promise<unknown> {
    const answer = once(child, "message");
    if (question !== undefined) child.send(question);
    const [message] = await answer;
    return message;
  }

  async function made(): Promise<string> {
    const response = await fetch(`${url}/v1/shelf/main/books`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "Emma" }),
    });
    return String(await member(response, "id"));
  }

  async function member(response: Response, name: string): Promise<unknown> {
    const body: unknown = await response.json();
    if (!isJsonObject(body)) throw new Error(`answered ${response.status}`);
    return body[name];
  }

  /** Another file for each number. */
  function bytes(number: number, mebibytes: number): ReadableStream<Uint8Array> {
    let left = mebibytes * 16;
    return new ReadableStream(
      {
        pull(controller) {
          if (left === 0) return controller.close();
          const piece = new Uint8Array(MIB / 16).fill(left % 251);
          piece[0] = number;
          left -= 1;
          controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async function uploaded(id: string, number: number, mebibytes: number): Promise<string> {
    const streamed = { duplex: "half" } as const;
    const init = { method: "POST", body: bytes(number, mebibytes), ...streamed };
    const response = await fetch(`${url}/v1/shelf/main/books/${id}/_files/pages`, init);
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    return `${url}/v1/shelf/main/books/${id}/_files/pages/${await member(response, "id")}`;
  }

  async function read(path: string): Promise<number> {
    let length = 0;
    for await (const piece of (await fetch(path)).body ?? []) length += piece.length;
    return length;
  }

  it(`raise resident memory by less than ${most} MiB, there and back`, { timeout: 600_000 }, async () => {
    // What the first ones load and compile is not theirs.
    await read(await uploaded(await made(), 255, 2));
    const ids = await Promise.all(Array.from({ length: count }, made));
    const before = Number(await told("begin"));
    const paths = await Promise.all(ids.map((id, number) => uploaded(id, number, size)));
    expect(Number(await told("peak")) - before).toBeLessThan(most);
    expect(await Promise.all(paths.map(read))).toEqual(ids.map(() => size * MIB));
    expect(Number(await told("peak")) - before).toBeLessThan(most);
  });
});
