import { expect, test } from "vitest";
import { createMetrics } from "../../http/metrics.ts";
import { until } from "../../testing/until.ts";
import { openClient } from "./client.ts";
import { watchPool } from "./pool.ts";
import { FaultProxy } from "./testing/faults.ts";
import { describeMongo, testLocation } from "./testing/server.ts";

const none = { expensive: 0, expensiveWaiting: 0 };

describeMongo("The figures of a pool", () => {
  test("how many connections there are, how many are in use, how many operations wait for one", async () => {
    const proxy = await FaultProxy.open(testLocation().uri);
    const client = openClient(`${proxy.uri}&maxPoolSize=2&minPoolSize=0`, { queryTime: 3_000 });
    const figures = watchPool(client);
    expect(figures()).toEqual({ size: 0, checkedOut: 0, waiting: 0, ...none });
    let release = (): void => undefined;
    const hold = new Promise<void>((go) => {
      release = go;
    });
    const held = proxy.inject("ping", { hold }, 5);
    const pings = Array.from({ length: 5 }, () => client.db("admin").command({ ping: 1 }));
    await until(() => expect(held.struck).toBe(2));
    await until(() => expect(figures()).toEqual({ size: 2, checkedOut: 2, waiting: 3, ...none }));
    const text = await (await createMetrics(figures)).text();
    for (const line of ["svc_store_pool_size 2", "svc_store_pool_checked_out 2", "svc_store_pool_waiting 3"])
      expect(text.split("\n")).toContain(line);
    expect(await (await createMetrics()).text()).not.toContain("svc_store_pool");
    release();
    await Promise.all(pings);
    await until(() => expect(figures()).toEqual({ size: 2, checkedOut: 0, waiting: 0, ...none }));
    await client.close();
    await until(() => expect(figures().size).toBe(0));
    await proxy.close();
  });
});
