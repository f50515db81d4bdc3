import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRUE } from "../filter/algebra.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { auditOf } from "./administration/testing/audit.ts";
import { type Accounts, startAccounts, text } from "./testing/accounts.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts();
  admin = await server.adminKey();
});
afterAll(() => server.stop());

const get = async (path: string, realm = "shop", token = admin) =>
  server.send("GET", `/_admin/${path}`, { token }, realm);

const make = async (email: string, at: Accounts = server, token = admin) =>
  text((await at.send("POST", "/_admin/users", { token, body: { email } })).body, "id");

function ids({ items }: JsonObject): unknown[] {
  return Array.isArray(items) ? items.map((item) => (isJsonObject(item) ? item["id"] : undefined)) : [];
}

/** All pages of a list; `between` runs after each. */
async function pages(
  path: string,
  limit: number,
  between: (page: readonly unknown[]) => Promise<unknown> = async () => undefined,
): Promise<unknown[][]> {
  const seen: unknown[][] = [];
  for (let after = ""; ; ) {
    const { status, body } = await get(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}${after}`);
    expect(status).toBe(200);
    const page = ids(body);
    seen.push(page);
    expect("next_cursor" in body).toBe(body["has_more"]);
    if (body["has_more"] !== true) return seen;
    await between(page);
    after = `&after=${encodeURIComponent(text(body, "next_cursor"))}`;
  }
}

describe("Administrator routes: pages of a list", () => {
  it("show every record once, oldest first, also those made in the same instant", async () => {
    const made: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      made.push(await make(`page-${n}@example.com`));
      if (n % 4 === 3) server.clock.advance(1);
    }
    for (const limit of [1, 2, 3, 9, 10, 100]) {
      const seen = await pages("users?q=page-", limit);
      expect(seen.flat()).toEqual(made);
      expect(seen.length).toBe(Math.ceil(9 / limit));
    }
  });

  it("have 20 records unless they are asked for others, 1 to 100", async () => {
    for (let n = 0; n < 21; n += 1) await make(`twenty-${n}@example.com`);
    const { body } = await get("users?q=twenty-");
    expect(ids(body).length).toBe(20);
    expect(body["has_more"]).toBe(true);
    for (const limit of ["0", "101", "-1", "1.5", "x", "", "1e1", "９"]) {
      expect(await get(`users?limit=${encodeURIComponent(limit)}`), limit).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_query", details: [{ path: "limit" }] } },
      });
    }
  });

  it("neither repeat nor skip others when records come and go in between, the last one seen too", async () => {
    const made: string[] = [];
    for (let n = 0; n < 6; n += 1) made.push(await make(`come-${n}@example.com`));
    const come: string[] = [];
    const seen = await pages("users?q=come-", 2, async (page) => {
      for (const id of page) await server.send("DELETE", `/_admin/users/${String(id)}`, { token: admin });
      come.push(await make(`come-late-${come.length}@example.com`));
    });
    expect(seen.flat()).toEqual([...made, ...come].slice(0, seen.flat().length));
    expect(seen.flat()).toEqual(expect.arrayContaining(made));
  });

  it("of the audit trail begin with the newest, and what is appended meanwhile is not on later pages", async () => {
    const id = await make("trail@example.com");
    for (const locale of ["de", "fr", "it", "rm"]) {
      await server.send("PATCH", `/_admin/users/${id}`, { token: admin, body: { locale } });
      server.clock.advance(1);
    }
    const newest = (await auditOf(server, `user:${id}`)).reverse().map((record) => record["id"]);
    let later = 0;
    const seen = await pages("audit", 2, () => {
      later += 1;
      const body = { profile: { later } };
      return server.send("PATCH", `/_admin/users/${id}`, { token: admin, body });
    });
    expect(newest.length).toBe(5);
    expect(seen.flat().slice(0, 5)).toEqual(newest);
    expect(new Set(seen.flat()).size).toBe(seen.flat().length);
  });
});

describe("Administrator routes: cursors", () => {
  it("are of one list of one realm: 400 invalid_query on after for every other", async () => {
    for (const name of ["one", "two"]) await make(`${name}@example.com`);
    const cursor = text((await get("users?limit=1")).body, "next_cursor");
    const elsewhere = await server.adminKey(true, "other");
    const answers = [
      await get(`invitations?after=${cursor}`),
      await get(`audit?after=${cursor}`),
      await get(`keys?after=${cursor}`),
      await get(`users?after=${cursor}`, "other", elsewhere),
      await get(`users?after=${cursor.slice(0, -2)}`),
      await get(`users?after=${cursor}x`),
      await get(`users?after=x${cursor.slice(1)}`),
      await get("users?after="),
      await get("users?after=1767225600000-1"),
      await get("users?after=%F0%9F%90%98"),
      await get(`users?after=${"A".repeat(8_000)}`),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_query", details: [{ path: "after" }] } },
      });
    }
    expect((await get(`users?after=${cursor}`)).status).toBe(200);
  });

  it("say nothing of the hashes of tokens", async () => {
    const { id } = await server.signup("sessions@example.com");
    await server.login("sessions@example.com");
    await server.adminKey(["audit"]);
    for (const [path, collection] of [
      [`users/${id}/sessions`, "_svc.sessions"],
      ["keys", "_svc.keys"],
    ] as const) {
      const payload = Buffer.from(text((await get(`${path}?limit=1`)).body, "next_cursor"), "base64url");
      const stored = await server
        .store("shop")
        .collection(collection)
        .find({ filter: TRUE, visibility: "live", limit: 1_000, skip: 0 });
      expect(stored.length).toBeGreaterThan(1);
      for (const record of stored) expect(payload.includes(record.id), path).toBe(false);
    }
  });
});
