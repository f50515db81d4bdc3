import { expect, test } from "vitest";
import type { Outcome } from "./invocation.ts";
import { call, output, Slow, startFunctionShop } from "./testing/shop.ts";

test("metrics count invocations by what came of them, how long they ran, and what the threads do", async () => {
  const begun = new Slow();
  const shop = await startFunctionShop(
    [call("fine"), call("bad"), call("slow", { concurrency: 1 })],
    {
      fine: () => output({}),
      bad: (): Outcome["result"] => ({ kind: "failed", code: "function_failed", reason: "x" }),
      slow: async () => {
        await begun.wait();
        return output({});
      },
    },
    { settings: { metrics: "on" }, log: { info() {}, warn() {}, error() {} } },
  );
  const post = (name: string) => shop.send("POST", `_func/${name}`, { body: {} });
  for (const name of ["fine", "fine", "bad"]) await post(name);
  const slow = post("slow");
  await begun.first;
  expect((await post("slow")).status).toBe(429);
  const text = await (await fetch(`${shop.url}/metrics`)).text();
  const lines = text.split("\n");
  for (const [name, outcome, count] of [
    ["fine", "succeeded", 2],
    ["bad", "failed", 1],
    ["slow", "busy", 1],
  ])
    expect(lines).toContain(
      `svc_function_invocations_total{realm="shop",function="main/${name}",outcome="${outcome}"} ${count}`,
    );
  expect(lines).toContain('svc_function_duration_seconds_count{realm="shop",function="main/fine"} 2');
  expect(lines).toContain("svc_function_workers_busy 1");
  expect(lines).toContain("svc_function_queue 0");
  begun.letGo();
  expect((await slow).status).toBe(200);
  await shop.stop();
});

test("a shutdown waits for runs under way, as for requests; what is left when their time is over is ended", async () => {
  const begun = new Slow();
  const shop = await startFunctionShop([call("slow")], {
    slow: async () => {
      await begun.wait();
      return output({ done: true });
    },
  });
  const slow = shop.send("POST", "_func/slow", { body: {} });
  await begun.first;
  const stopped = shop.stop();
  begun.letGo();
  const answer = await slow;
  expect([answer.status, answer.body]).toEqual([200, { done: true }]);
  await stopped;

  const endless = new Slow();
  const other = await startFunctionShop([call("slow")], {
    slow: async () => {
      await endless.wait();
      return output({});
    },
  });
  const cut = other.send("POST", "_func/slow", { body: {} }).catch(() => undefined);
  await endless.first;
  await other.stop();
  expect((await cut)?.status ?? 503).toBe(503);
});
