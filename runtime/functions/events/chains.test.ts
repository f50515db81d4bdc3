import { afterEach, describe, expect, test } from "vitest";
import type { Sent, Shop } from "../../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { until } from "../../testing/until.ts";
import type { Run } from "../invocation.ts";
import { call, documents, startFunctionShop } from "../testing/shop.ts";
import { all, follow, nothing, on, start, stopAll, stops } from "./testing/followed.ts";

afterEach(stopAll);

describe.each(["enabled", "disabled"] as const)("Document 2: _meta.chain, auth %s", (auth) => {
  const boss = async (shop: Shop) =>
    auth === "enabled" ? { token: (await shop.person("ada@example.com", "boss")).token } : {};

  test("is on what a trigger's run writes, and gone with the next write by anything else", async () => {
    const shop = await start(
      [follow(on("things", { on: ["create"] }))],
      async ({ document }, run) => {
        await documents(run, "POST", "main/others", { body: { title: `${document["title"]}!` } });
        return nothing;
      },
      auth,
    );
    const sent = await boss(shop);
    const forged = { title: "a", _meta: { chain: { root: "x", depth: 1 } } };
    const { body } = await shop.send("POST", "things", { ...sent, body: forged });
    expect(body["_meta"]).not.toHaveProperty("chain");
    await shop.runs(1);
    const [item] = await listed(shop, "others", sent);
    // The run's own id is that of its job.
    const root = shop.handlers.runs[0]?.requestId;
    expect(item).toMatchObject({ title: "a!", _meta: { version: 1, chain: { root, depth: 1 } } });
    const { body: patched } = await shop.send("PATCH", `others/${item?.["id"]}`, {
      ...sent,
      body: { title: "b" },
    });
    expect(patched["_meta"]).not.toHaveProperty("chain");
  });

  test("is on what a call writes that a trigger's run has queued, also under its caller's rules", async () => {
    const write = call("write");
    const handles = {
      async follow(run: Run) {
        const asked = { kind: "enqueue", function: "main/write", input: "{}" } as const;
        expect((await run.host.answer(asked)).status).toBe(202);
        return nothing;
      },
      async write(run: Run) {
        for (const as of ["function", "caller"] as const)
          await documents(run, "POST", "main/others", { as, body: { title: as } });
        return { kind: "call", output: "{}" } as const;
      },
    };
    const functions = [follow(on("things", { on: ["create"] })), write];
    const shop = await startFunctionShop(functions, handles, { auth, collections: all });
    stops.push(() => shop.stop());
    const sent = await boss(shop);
    await shop.send("POST", "things", { ...sent, body: { title: "a" } });
    const written = await until(async () => {
      const found = await listed(shop, "others", sent);
      expect(found).toHaveLength(2);
      return found;
    });
    const root = shop.handlers.runs[0]?.requestId;
    expect(written.map(({ title, _meta: meta }) => [title, isJsonObject(meta) && meta["chain"]])).toEqual([
      ["function", { root, depth: 1 }],
      ["caller", { root, depth: 1 }],
    ]);
  });

  test("ends at a depth of 8: what is deeper is not run, and audited", async () => {
    const chains: unknown[] = [];
    const shop = await start(
      [follow(on("things", { on: ["update"] }))],
      async ({ document: { id, qty } }, run) => {
        const { json } = await documents(run, "PATCH", `main/things/${id}`, {
          body: { qty: Number(qty) + 1 },
        });
        chains.push(isJsonObject(json["_meta"]) && json["_meta"]["chain"]);
        return nothing;
      },
      auth,
    );
    const sent = await boss(shop);
    const { body } = await shop.send("POST", "things", { ...sent, body: { title: "a", qty: 0 } });
    await shop.send("PATCH", `things/${body["id"]}`, { ...sent, body: { qty: 1 } });
    const stopped = await until(async () => {
      const found = await shop.audits("function.chain_stopped");
      expect(found).toHaveLength(1);
      return found;
    });
    await shop.runs(8);
    const root = shop.handlers.runs[0]?.requestId;
    expect(chains).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((depth) => ({ root, depth })));
    expect(stopped).toMatchObject([
      {
        actor: "service",
        target: "function:main/follow",
        details: { document: `main/things/${body["id"]}`, root },
      },
    ]);
  });

  test("goes on over what a run deletes for good, and not over what others delete", async () => {
    const shop = await start(
      [follow(on("things", { on: ["delete", "create"] }))],
      async (told, run) => {
        if (told.event === "create") await documents(run, "DELETE", `main/things/${told.document["id"]}`);
        else await documents(run, "POST", "main/things", { body: { title: "again" } });
        return nothing;
      },
      auth,
    );
    const sent = await boss(shop);
    await shop.send("POST", "things", { ...sent, body: { title: "a" } });
    await until(async () => expect(await shop.audits("function.chain_stopped")).toHaveLength(1));
    await shop.runs(8);
    // The last run made a document whose creation nobody was told of; that somebody deletes it is told.
    const [left] = await listed(shop, "things", sent);
    expect(left).toMatchObject({ _meta: { chain: { depth: 8 } } });
    await shop.send("DELETE", `things/${left?.["id"]}`, sent);
    await until(async () => expect(await shop.audits("function.chain_stopped")).toHaveLength(2));
    await shop.runs(16);
  });
});

async function listed(shop: Shop, name: string, sent: Sent): Promise<readonly JsonObject[]> {
  const { body } = await shop.send("GET", name, sent);
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}
