import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRUE } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import { vault } from "../../sealing.ts";
import { testPlace } from "../../store/testing/stores.ts";
import { collections } from "../collections.ts";
import { readSecret, type SecretRecord, writeSecret } from "../records.ts";
import { secretContext } from "../sealed.ts";
import { type Accounts, startAccounts, text } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

const keys = [Buffer.alloc(32, 5)];

let server: Accounts;
let root: string;
beforeAll(async () => {
  server = await startAccounts({}, { settings: { keys } });
  root = await server.adminKey();
});
afterAll(() => server.stop());

const put = (name: string, body: JsonObject, realm = "shop", token = root) =>
  server.send("PUT", `/_admin/secrets/${name}`, { token, body }, realm);
const remove = (name: string) => server.send("DELETE", `/_admin/secrets/${name}`, { token: root });

/** What the store holds under the name, decrypted. */
async function stored(name: string, realm = "shop"): Promise<string | undefined> {
  const document = await server.store(realm).collection(collections.secrets).get(name, "live");
  if (document === undefined) return undefined;
  return vault(keys, `secrets of ${realm}`).open(readSecret(document).record.value, secretContext(name));
}

describe("Administrator routes: /_admin/secrets", () => {
  it("PUT keeps a value and answers its name and times; once more replaces it", async () => {
    const first = await put("STRIPE_KEY", { value: "sk_live_1" });
    expect(first).toMatchObject({ status: 200 });
    expect(first.body).toEqual({
      name: "STRIPE_KEY",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
    });
    expect(first.headers.get("cache-control")).toBe("no-store");
    server.clock.advance(1_000);
    const second = await put("STRIPE_KEY", { value: "sk_live_2" });
    expect(second.body).toEqual({ ...first.body, updated_at: "2026-01-01T00:00:01.000Z" });
    expect(await stored("STRIPE_KEY")).toBe("sk_live_2");
  });

  it("GET lists names and times by pages, never values", async () => {
    const token = await server.adminKey(true, "other");
    for (const name of ["A", "B", "C"]) {
      server.clock.advance(1);
      await put(name, { value: `value of ${name}` }, "other", token);
    }
    const get = (query: string) => server.send("GET", `/_admin/secrets?${query}`, { token }, "other");
    const one = await get("limit=2");
    const two = await get(`limit=2&after=${text(one.body, "next_cursor")}`);
    const entry = (name: string) => ({
      name,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(one.body).toMatchObject({ items: [{ name: "A" }, { name: "B" }], has_more: true });
    expect(two.body).toEqual({ items: [entry("C")], has_more: false });
    expect(JSON.stringify([one.body, two.body])).not.toContain("value of");
  });

  it("DELETE removes it, once", async () => {
    await put("GONE", { value: "x" });
    expect(await remove("GONE")).toMatchObject({ status: 204, body: {} });
    expect(await remove("GONE")).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(await stored("GONE")).toBeUndefined();
  });

  it("realms have secrets of their own", async () => {
    await put("SHARED", { value: "of shop" });
    const token = await server.adminKey(true, "plain");
    await put("SHARED", { value: "of plain" }, "plain", token);
    expect(await stored("SHARED")).toBe("of shop");
    expect(await stored("SHARED", "plain")).toBe("of plain");
    await remove("SHARED");
    expect(await stored("SHARED", "plain")).toBe("of plain");
  });

  it("of many at once one is kept", async () => {
    const values = Array.from({ length: 6 }, (_, at) => `value ${at}`);
    const answers = await Promise.all(values.map((value) => put("RACE", { value })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(values).toContain(await stored("RACE"));
    const records = await auditOf(server, "secret:RACE");
    expect(records.filter(({ details }) => Object(details).replaced === false)).toHaveLength(1);
    expect(records).toHaveLength(6);
  });

  it("keeps the longest value, and text of any kind", async () => {
    for (const value of ["x".repeat(65_536), "\u{1f511}\n\t", "__proto__"]) {
      expect((await put("TEXT", { value })).status).toBe(200);
      expect(await stored("TEXT")).toBe(value);
    }
  });

  it.each<[string, string, JsonObject, string]>([
    ["no value", "X", {}, "value"],
    ["an empty value", "X", { value: "" }, "value"],
    ["a long value", "X", { value: "x".repeat(65_537) }, "value"],
    ["a value that is no text", "X", { value: { secret: 1 } }, "value"],
    ["an unknown member", "X", { value: "x", name: "Y" }, "name"],
    ["a name that begins with a digit", "1X", { value: "x" }, "name"],
    ["a name with a dash", "STRIPE-KEY", { value: "x" }, "name"],
    ["a long name", "X".repeat(64), { value: "x" }, "name"],
  ])("400 validation_error for %s", async (_, name, body, path) => {
    const answer = await put(name, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "validation_error", details: [{ path }] } },
    });
    expect(JSON.stringify(answer.body)).not.toContain("xxx");
    expect(await stored(name)).toBeUndefined();
  });

  it("404 for what can be no name at all", async () => {
    for (const name of ["__proto__", "%00", "a%2Fb", "..%2F", "X".repeat(129)]) {
      expect((await put(name, { value: "x" })).status, name).toBe(404);
      expect((await remove(name)).status, name).toBe(404);
    }
    expect((await remove("constructor")).status).toBe(404);
  });

  it("400 invalid_json for a string that no store holds", async () => {
    for (const raw of ['{"value":"a\\u0000"}', '{"value":"\\ud800"}', '["value"]']) {
      const answer = await server.send("PUT", "/_admin/secrets/RAW", { token: root, text: raw });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_json" } } });
    }
  });

  it("409 conflict beyond a thousand; those there are can be replaced", async () => {
    const full = await startAccounts();
    try {
      const token = await full.adminKey();
      await full.send("PUT", "/_admin/secrets/FIRST", { token, body: { value: "x" } });
      const secrets = full.store("shop").collection(collections.secrets);
      const first = await secrets.get("FIRST", "live");
      if (first === undefined) throw new Error("not stored");
      const { record } = readSecret(first);
      const more: SecretRecord[] = Array.from({ length: 999 }, (_, at) => ({ ...record, id: `S${at}` }));
      await full
        .store("shop")
        .transaction((transaction) =>
          transaction.collection(collections.secrets).insertAll(more.map((each) => writeSecret(each, 1))),
        );
      const status = async (name: string) =>
        (await full.send("PUT", `/_admin/secrets/${name}`, { token, body: { value: "x" } })).status;
      expect(await status("ONE_MORE")).toBe(409);
      expect(await status("FIRST")).toBe(200);
      expect(await secrets.count(TRUE, "live")).toBe(1_000);
    } finally {
      await full.stop();
    }
  });
});

describe("Audit records: secrets", () => {
  it("tell that one was put or deleted, never its value", async () => {
    await put("TOLD", { value: "top secret" });
    await put("TOLD", { value: "top secret 2" });
    await remove("TOLD");
    const records = await auditOf(server, "secret:TOLD");
    expect(records.map(({ action, details }) => [action, details])).toEqual([
      ["secret.put", { replaced: false }],
      ["secret.put", { replaced: true }],
      ["secret.delete", {}],
    ]);
  });
});

it("The value of a secret is in no answer, log or byte of the store", async () => {
  const place = testPlace();
  const kept = await startAccounts({}, { settings: { store: place.location } });
  try {
    const token = await kept.adminKey();
    const value = "the quick brown fox";
    const answers = [await kept.send("PUT", "/_admin/secrets/FOX", { token, body: { value } })];
    answers.push(await kept.send("PUT", "/_admin/secrets/-", { token, body: { value } }));
    for (const path of ["secrets", "audit", "config"])
      answers.push(await kept.send("GET", `/_admin/${path}`, { token }));
    expect(JSON.stringify([answers, kept.logs])).not.toContain(value);
    const bytes = await place.bytes();
    expect(bytes.includes("FOX")).toBe(true);
    for (const form of [
      value,
      Buffer.from(value).toString("base64url"),
      Buffer.from(value).toString("hex"),
    ]) {
      expect(bytes.includes(form)).toBe(false);
    }
  } finally {
    await kept.stop();
    await place.discard();
  }
});
