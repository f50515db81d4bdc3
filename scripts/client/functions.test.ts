/** `client.call`: calls of functions, at once and by jobs, against a server. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Callable, callable, connectTo, JobFailed, outcome } from "../../runtime/client/index.ts";
import type { Run } from "../../runtime/functions/invocation.ts";
import {
  call,
  type FunctionShop,
  output,
  Slow,
  startFunctionShop,
} from "../../runtime/functions/testing/shop.ts";
import type { JsonValue } from "../../runtime/json.ts";

interface Shape {
  input: { n?: number };
  output: JsonValue;
  idempotency: "optional";
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
}

let shop: FunctionShop;
let token: string;
let slow = new Slow();
const sent: Sent[] = [];
/** Whether the next answer is lost on the way. */
let isLost = false;

const inputOf = ({ input }: Run): { n?: number } => (input.kind === "call" ? JSON.parse(input.input) : {});

beforeAll(async () => {
  shop = await startFunctionShop(
    [
      call("echo"),
      call("refuse"),
      call("slow"),
      call("fails", { attempts: 1 }),
      call("must", { idempotency: "required" }),
      call("never", { idempotency: "none" }),
    ],
    {
      echo: (run) => output(inputOf(run).n ?? null),
      refuse: () => ({
        kind: "refused",
        status: 409,
        code: "already_closed",
        message: "It is closed.",
        details: [],
      }),
      slow: async () => {
        await slow.wait();
        return output("at last");
      },
      fails: () => ({ kind: "ended", code: "no_money", message: "There is none." }),
      must: () => output(true),
      never: () => output([1]),
    },
  );
  ({ token } = await shop.signUp("ada@example.com"));
});
afterAll(() => shop.stop());

function named(name: string, idempotency: "required" | "optional" | "none" = "optional"): Callable<Shape> {
  const connected = connectTo("shop", true, {
    baseUrl: shop.url,
    token,
    retryDelay: () => 0,
    fetch: async (url, request) => {
      const { method, headers } = request;
      sent.push({ method, path: new URL(url).pathname, key: headers["Idempotency-Key"] });
      const answer = await fetch(url, request);
      if (!isLost) return answer;
      isLost = false;
      throw new TypeError("lost");
    },
  });
  // Shapes differ in what they say of keys; none of it bears on what is sent.
  return callable<Shape & { idempotency: "optional" }>(connected, "main", name, idempotency as "optional");
}

const patiently = { interval: () => 5 };

describe("a call at once", () => {
  test("answers whatever JSON the function returns, of whatever type", async () => {
    expect(await named("echo")({ n: 7 })).toBe(7);
    expect(await named("echo")()).toBe(null);
    expect(await named("must", "required")()).toBe(true);
    expect(await named("never", "none")()).toEqual([1]);
  });

  test("is refused by the function's own code, which outcome tells", async () => {
    const refused = await outcome(named("refuse")());
    expect(refused).toMatchObject({
      ok: false,
      error: { status: 409, code: "already_closed", message: "It is closed." },
    });
  });

  test("is repeated under one key where its answer is lost", async () => {
    sent.length = 0;
    isLost = true;
    expect(await named("echo")({ n: 1 })).toBe(1);
    const keys = sent.map(({ key }) => key);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^\d+(-\d+){3}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  test("of a function that takes no key is sent without one, and once", async () => {
    sent.length = 0;
    isLost = true;
    await expect(named("never", "none")()).rejects.toThrow("no answer");
    expect(sent).toMatchObject([{ key: undefined }]);
  });

  test("of a function that needs a key has one, without repetitions too", async () => {
    expect(await named("must", "required")({}, { retries: 0 })).toBe(true);
  });
});

describe("a queued call", () => {
  test("is waited for: the function's output, when its job has succeeded", async () => {
    slow = new Slow();
    const job = await named("slow").queue({ n: 1 });
    await slow.first;
    expect(await job.status()).toMatchObject({ id: job.id, status: "running", result: null });
    const waited = job.wait(patiently);
    slow.letGo();
    expect(await waited).toBe("at last");
    expect(await named("slow").job(job.id).status()).toMatchObject({
      status: "succeeded",
      result: "at last",
    });
  });

  test("that fails rejects who waits with how its job stands", async () => {
    const job = await named("fails").queue();
    const error = await job.wait(patiently).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(JobFailed);
    expect(error).toMatchObject({ job: { id: job.id, status: "failed" } });
  });

  test("is cancelled while it runs, and cannot be any more once it has ended", async () => {
    slow = new Slow();
    const job = await named("slow").queue();
    await slow.first;
    await job.cancel();
    await expect(job.wait(patiently)).rejects.toMatchObject({ job: { status: "cancelled" } });
    await expect(job.cancel()).rejects.toMatchObject({ code: "conflict" });
    slow.letGo();
  });

  test("is not waited for any longer once the signal is aborted", async () => {
    slow = new Slow();
    const job = await named("slow").queue();
    const stop = new AbortController();
    const waited = job.wait({
      signal: stop.signal,
      interval: (look) => {
        if (look === 3) stop.abort(new Error("enough"));
        return 1;
      },
    });
    await expect(waited).rejects.toThrow("enough");
    await job.cancel();
    slow.letGo();
  });
});
