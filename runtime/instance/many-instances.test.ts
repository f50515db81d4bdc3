import { afterAll, beforeAll, expect, test } from "vitest";
import { startAccounts } from "../auth/testing/accounts.ts";
import {
  code,
  collection,
  day,
  minute,
  type Received,
  type Shop,
  startShop,
  text,
} from "../documents/testing/shop.ts";
import { documentFields, field } from "../filter/fields.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { claimTime } from "../jobs/claims.ts";
import { findJob } from "../jobs/queue.ts";
import { runJobs } from "../jobs/testing/run.ts";
import { isJsonObject } from "../json.ts";
import { allowed } from "../rules/index.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { retention } from "./retention.ts";

const rules = { read: allowed, create: allowed, update: allowed, delete: allowed };
const fields = { ...documentFields, title: field("title", "string"), slug: field("slug", "string") };
const slug = { name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true };
const notes = collection("notes", { rules, fields, indexes: [slug] });
const chosen = collection("chosen", { rules, customId: { duplicateLimit: 100 } });
const trash = collection("trash", { rules, softDelete: { retention: day } });
const collections = [notes, chosen, trash];

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const statuses = (answers: readonly Received[]) => answers.map(({ status }) => status).sort();

/** Each has connections of its own, as processes have; their clocks are moved together. */
describeMongo("Four instances on one database", () => {
  const location = testLocation();
  let proxy: FaultProxy;
  let shops: readonly Shop[];
  let token: string;

  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
    const start = (at: number) => {
      const store = { ...location, uri: at === 0 ? proxy.uri : location.uri };
      return startShop("enabled", collections, { settings: { store } });
    };
    // All at once, on a database that does not exist yet.
    shops = await Promise.all(numbers(4).map(start));
    token = await instance(0).key();
  });
  afterAll(async () => {
    await Promise.all(shops.map((shop) => shop.stop()));
    await proxy.close();
    await dropTestDatabases(location);
  });

  function instance(at: number): Shop {
    const shop = shops[at % shops.length];
    if (shop === undefined) throw new Error("no instance");
    return shop;
  }

  function advance(milliseconds: number): void {
    for (const shop of shops) shop.clock.advance(milliseconds);
  }

  function create(at: number, body: Record<string, string>, key?: string, name = "notes"): Promise<Received> {
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    return instance(at).send("POST", name, { token, body, headers });
  }

  async function count(where: object): Promise<unknown> {
    const query = `notes?count=true&limit=1&where=${encodeURIComponent(JSON.stringify(where))}`;
    return (await instance(1).send("GET", query, { token })).body["total"];
  }

  test("a custom id raced from all of them is taken once", async () => {
    for (const round of numbers(10)) {
      const id = `race${round}`;
      const answers = await Promise.all(
        numbers(8).map((at) => create(at, { id, title: `${at}` }, undefined, "chosen")),
      );
      expect(statuses(answers)).toEqual([201, ...numbers(7).map(() => 409)]);
      const [winner] = answers.filter(({ status }) => status === 201);
      for (const answer of answers) if (answer !== winner) expect(code(answer)).toBe("id_taken");
      const { body } = await instance(round).send("GET", `chosen/${id}`, { token });
      expect(body["title"]).toBe(winner?.body["title"]);
    }
  });

  test("a unique value raced from all of them is there once, in batches and with keys too", async () => {
    for (const round of numbers(10)) {
      const document = { title: "unique", slug: `slug${round}` };
      const operations = [{ op: "create", collection: "notes", document }];
      const answers = await Promise.all([
        ...numbers(4).map((at) => create(at, document)),
        ...numbers(4).map((at) => create(at, document, `unique:${round}:${at}`)),
        ...numbers(4).map((at) => instance(at).send("POST", "_batch", { token, body: { operations } })),
      ]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      for (const answer of answers) if (answer.status >= 300) expect(code(answer)).toBe("conflict");
      expect(await count({ slug: `slug${round}` })).toBe(1);
    }
  });

  test("with one idempotency key at all of them exactly one request runs; the others are 409 or its replay", async () => {
    for (const round of numbers(10)) {
      const body = { title: `keyed${round}` };
      const answers = await Promise.all(numbers(8).map((at) => create(at, body, `keyed:${round}`)));
      const originals = answers.filter(
        ({ status, headers }) => status === 201 && !headers.has("idempotent-replayed"),
      );
      expect(originals).toHaveLength(1);
      for (const answer of answers) {
        if (answer.status === 201) expect(answer.text).toBe(originals[0]?.text);
        else expect(code(answer)).toBe("request_in_progress");
      }
      const replays = await Promise.all(numbers(4).map((at) => create(at, body, `keyed:${round}`)));
      for (const replay of replays) expect([replay.status, replay.text]).toEqual([201, originals[0]?.text]);
      expect(await count(body)).toBe(1);
    }
  });

  test("a key is held while its request runs elsewhere, whatever clocks say, and no second document comes of it", async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = proxy.inject(({ body }) => body["insert"] === "main.notes", { hold });
    const body = { title: "held" };
    const slow = create(0, body, "held");
    await held.met;
    expect(code(await create(1, body, "held"))).toBe("request_in_progress");
    advance(2 * minute);
    expect(code(await create(2, body, "held"))).toBe("request_in_progress");
    release();
    const { status, text } = await slow;
    const again = await create(3, body, "held");
    expect([status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, text, "true"]);
    expect(await count(body)).toBe(1);
  });

  test("no update is lost: versions grow by one with each that is acknowledged", async () => {
    const { body } = await create(0, { title: "0" });
    const path = `notes/${body["id"]}`;
    const increment = async (at: number): Promise<number> => {
      for (;;) {
        const { tag, body: before } = await instance(at).send("GET", path, { token });
        const title = String(Number(before["title"]) + 1);
        const headers = { "if-match": tag ?? "" };
        const answer = await instance(at + 1).send("PATCH", path, { token, headers, body: { title } });
        if (answer.status === 200) return Number(title);
        expect(["version_mismatch", "write_conflict"]).toContain(code(answer));
      }
    };
    const results = await Promise.all(numbers(16).map(increment));
    expect(results.sort((one, other) => one - other)).toEqual(numbers(16).map((at) => at + 1));
    const { tag } = await instance(2).send("GET", path, { token });
    expect(tag).toBe('"17"');
  });

  test("no batch is applied in part, whoever writes beside it", async () => {
    const ids: string[] = [];
    for (const at of numbers(3)) ids.push(text((await create(at, { title: "0" })).body, "id"));
    const patchAll = (at: number) => {
      const operations = ids.map((id) => ({
        op: "patch",
        collection: "notes",
        id,
        patch: { title: `${at}` },
      }));
      return instance(at).send("POST", "_batch", { token, body: { operations } });
    };
    const answers = await Promise.all(numbers(12).map(patchAll));
    const done = answers.filter(({ status }) => status === 200).length;
    expect(done).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status !== 200) expect(code(answer)).toBe("write_conflict");
    const found = await Promise.all(ids.map((id) => instance(3).send("GET", `notes/${id}`, { token })));
    expect(new Set(found.map(({ body }) => body["title"])).size).toBe(1);
    expect(new Set(found.map(({ tag }) => tag))).toEqual(new Set([`"${done + 1}"`]));
  });

  test("a cursor made at one is read at the others", async () => {
    for (const at of numbers(6)) await create(at, { title: "paged" });
    const where = encodeURIComponent('{"title":"paged"}');
    const seen: unknown[] = [];
    let after = "";
    for (let at = 0; ; at += 1) {
      const answer = await instance(at).send("GET", `notes?where=${where}&limit=2${after}`, { token });
      expect(answer.status).toBe(200);
      const { items, next_cursor } = answer.body;
      seen.push(...(Array.isArray(items) ? items.filter(isJsonObject).map(({ id }) => id) : []));
      if (typeof next_cursor !== "string") break;
      after = `&after=${encodeURIComponent(next_cursor)}`;
    }
    expect(new Set(seen).size).toBe(6);
    expect(seen).toHaveLength(6);
  });

  test("a key that is replaced at one ends at all of them", async () => {
    const name = "replaced";
    const former = await instance(0).key({ name });
    const list = (at: number, as: string) => instance(at).send("GET", "notes?limit=1", { token: as });
    for (const at of numbers(4)) expect((await list(at, former)).status).toBe(200);
    const next = await instance(1).key({ name, replace: true });
    for (const at of numbers(4)) {
      expect((await list(at, former)).status).toBe(401);
      expect((await list(at, next)).status).toBe(200);
    }
  });

  test("what has expired is purged by one of them at a time", async () => {
    const made = await Promise.all(
      numbers(30).map((at) => create(at, { title: "gone" }, undefined, "trash")),
    );
    await Promise.all(
      made.map(({ body }, at) => instance(at).send("DELETE", `trash/${body["id"]}`, { token })),
    );
    advance(day + 1);
    const definition = {
      name: "shop",
      origins: [],
      appConfig: {},
      effective: { realm: {}, databases: {} },
      collections: [trash],
    };
    const sweep = (at: number) => {
      const { clock, store } = instance(at);
      const realm = { definition, store: store("shop"), clock, newId: idGenerator(clock), log: silent };
      return runJobs(realm, [retention([])]);
    };
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = proxy.inject(({ body }) => body["delete"] === "main.trash", { hold });
    const first = sweep(0);
    await held.met;
    await Promise.all([1, 2, 3].map(sweep));
    // It died: after its claim another one goes on, and nothing is removed twice.
    advance(claimTime);
    await sweep(1);
    release();
    await first;
    expect((await findJob(instance(3).store("shop"), "retention"))?.result).toEqual({ removed: 30 });
    expect(await instance(2).stored(trash).count({ op: "true" }, "all")).toBe(0);
  });
});

describeMongo("Two instances with accounts on one database", () => {
  const location = testLocation();
  const start = () => startAccounts({}, { settings: { store: location } });
  let one: Awaited<ReturnType<typeof start>>;
  let other: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    [one, other] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await dropTestDatabases(location);
  });

  test("a changed role counts at the other at the next request, a disabled user's sessions end", async () => {
    const admin = await one.key({ admin: true });
    const person = await one.signup("role@example.com");
    const who = () => other.send("GET", "/whoami", { token: person.token });
    expect((await who()).body).toMatchObject({ user: { roles: [] } });
    const patch = (body: { roles?: string[]; disabled?: boolean }) =>
      one.send("PATCH", `/_admin/users/${person.id}`, { token: admin, body });
    expect((await patch({ roles: ["boss"] })).status).toBe(200);
    expect((await who()).body).toMatchObject({ user: { roles: ["boss"] } });
    expect((await patch({ disabled: true })).status).toBe(200);
    expect((await who()).status).toBe(401);
  });

  test("a session that ends at one has ended at the other", async () => {
    const person = await one.signup("session@example.com");
    const second = await other.login(person.email);
    for (const server of [one, other]) {
      for (const { token } of [person, second])
        expect((await server.send("GET", "/whoami", { token })).status).toBe(200);
    }
    const ended = await one.send("DELETE", `/_auth/sessions/${second.session}`, { token: person.token });
    expect(ended.status).toBe(204);
    expect((await other.send("GET", "/whoami", { token: second.token })).status).toBe(401);
    expect((await one.send("POST", "/_auth/logout", { token: person.token })).status).toBe(204);
    expect((await other.send("GET", "/whoami", { token: person.token })).status).toBe(401);
  });

  test("app_config replaced at one counts at the next request to the other", async () => {
    const admin = await one.key({ name: "configurator", admin: ["config"] });
    const seen = async () => (await other.send("GET", "/_admin/config/app", { token: admin })).body;
    const replace = (value: number) =>
      one.send("PUT", "/_admin/config/app", { token: admin, body: { value } });
    await replace(1);
    expect(await seen()).toEqual({ value: 1 });
    await replace(2);
    expect(await seen()).toEqual({ value: 2 });
  });

  test("a key revoked at one ends at the other, also while it acts for a user", async () => {
    const admin = await one.key({ name: "revoker", admin: true });
    const { id: user } = await one.signup("lent@example.com");
    const { body } = await one.send("POST", "/_admin/keys", {
      token: admin,
      body: { name: "valet", on_behalf_of: true },
    });
    const headers = { "x-svc-on-behalf-of": user };
    const who = () => other.send("GET", "/whoami", { token: text(body, "key"), headers });
    expect((await who()).status).toBe(200);
    await one.send("DELETE", `/_admin/keys/${text(body, "id")}`, { token: admin });
    expect((await who()).status).toBe(401);
  });

  test("an address raced from both is registered once", async () => {
    for (const round of numbers(3)) {
      const body = { email: `race${round}@example.com`, password: "correct horse" };
      const sign = (server: typeof one) => server.send("POST", "/_auth/signup", { body });
      const answers = await Promise.all([sign(one), sign(other), sign(one), sign(other)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    }
  });
});
