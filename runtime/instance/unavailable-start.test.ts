import { afterEach, beforeEach, expect, test } from "vitest";
import type { Log } from "../realm/exchange.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { type Instance, startInstance } from "./instance.ts";
import { shopModule } from "./testing/fixture.ts";
import { heldClock, testSettings } from "./testing/servers.ts";

describeMongo("A server that starts while its store cannot be used", () => {
  const location = testLocation();
  const module = shopModule({
    routes: {
      "/v1/shop/main/ping": { GET: () => ({ class: "document", handle: () => ({ status: 204 }) }) },
    },
  });
  let proxy: FaultProxy;
  let instance: Instance | undefined;
  let lines: string[];
  let warned: Promise<void>;

  beforeEach(async () => {
    proxy = await FaultProxy.open(location.uri);
  });
  afterEach(async () => {
    await instance?.stop(0);
    instance = undefined;
    await proxy.close();
    await dropTestDatabases(location);
  });

  async function start(uri: string): Promise<Instance> {
    lines = [];
    let warn: () => void = () => undefined;
    warned = new Promise((resolve) => {
      warn = resolve;
    });
    const write = (fields: object, message: string) => {
      lines.push(`${message} ${JSON.stringify(fields)}`);
    };
    const log: Log = {
      info: write,
      error: write,
      warn: (fields, message) => {
        write(fields, message);
        warn();
      },
    };
    const settings = { ...testSettings, queryTime: 500, store: { ...location, uri } };
    instance = await startInstance({ fingerprint: "f", realms: [module], settings, clock: heldClock(), log });
    return instance;
  }

  const withUser = () => proxy.uri.replace("://", "://somebody:secret@");
  const statusOf = async (path: string) => (await fetch(`${instance?.url}${path}`)).status;

  test("listens, tells that it is not ready, tries again, and serves when the store is there", async () => {
    await proxy.vanish();
    const { ready } = await start(proxy.uri);
    await warned;
    expect(await statusOf("/healthz")).toBe(200);
    expect(await statusOf("/readyz")).toBe(503);
    expect(await statusOf("/v1/shop/main/ping")).toBe(503);
    await proxy.appear();
    await ready;
    expect(await statusOf("/readyz")).toBe(200);
    expect(await statusOf("/v1/shop/main/ping")).toBe(204);
  });

  test("logs what is wrong, without the password", async () => {
    await proxy.vanish();
    await start(withUser());
    await warned;
    expect(lines[0]).toMatch(/^the store cannot be reached; trying again .*"realm":"shop".*ECONNREFUSED/);
    expect(lines.join()).not.toContain("secret");
  });

  test("stops while it waits", async () => {
    await proxy.vanish();
    const { ready } = await start(proxy.uri);
    await warned;
    await instance?.stop(0);
    instance = undefined;
    await ready;
    expect(lines.join()).not.toContain("error");
  });

  test("waits for a primary that is yet to be elected", async () => {
    proxy.inject("listCollections", { error: "NotWritablePrimary" }, 4);
    const { ready } = await start(proxy.uri);
    await ready;
    expect(await statusOf("/readyz")).toBe(200);
  });

  test("ends with a wrong password, and says so", async () => {
    const refused = proxy.inject("saslStart", { error: "AuthenticationFailed" }, Number.POSITIVE_INFINITY);
    const { ready } = await start(withUser());
    await expect(ready).rejects.toThrow(
      "SVC_STORE: the store refuses access: the user or the password is wrong",
    );
    expect(refused.struck).toBeGreaterThan(0);
    expect(await statusOf("/readyz")).toBe(503);
    expect(lines.join()).not.toContain("secret");
  });

  test("ends where a privilege is missing, and names it", async () => {
    const errmsg =
      'not authorized on svc-shop to execute command { createIndexes: "main.items", indexes: [ { name: "x" } ] }';
    proxy.inject("createIndexes", { error: "Unauthorized", errmsg }, Number.POSITIVE_INFINITY);
    const { ready } = await start(proxy.uri);
    await expect(ready).rejects.toThrow(
      "SVC_STORE: the store refuses access: the user lacks the privilege of createIndexes on svc-shop",
    );
  });
});
