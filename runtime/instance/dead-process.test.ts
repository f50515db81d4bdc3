/**
 * On MongoDB a transaction of a process that was killed holds what it wrote until the server gives it up: for each record that
 * requests of several callers write, what they get meanwhile. Those of files are in `runtime/files/dead-holder.test.ts`.
 */
import type { ClientSession, Collection, Db, Document } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { password } from "../auth/testing/accounts.ts";
import { notes, pages, startTenants, type Tenants, tickets } from "../documents/testing/organizations.ts";
import { code, collection, fields } from "../documents/testing/shop.ts";
import {
  describeMongo,
  dropTestDatabases,
  testClient,
  testLocation,
} from "../store/mongodb/testing/server.ts";

const named = collection("named", {
  ...(pages.rules && { rules: pages.rules }),
  customId: { duplicateLimit: 20 },
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
});

/** What the dead process has written. */
type Hold = (session: ClientSession, database: Db) => Promise<unknown>;

/** Writes records anew, as they are. */
function records(name: string, filter: Document = {}): Hold {
  return async (session, database) => {
    const { matchedCount } = await database
      .collection(name)
      .updateMany(filter, { $set: { "_meta.held": true } }, { session });
    if (matchedCount === 0) throw new Error(`there is nothing in ${name} to hold`);
  };
}

/** Makes a record again that there is, as it was, which is removed for that. */
function made(name: string, filter: Document): Hold {
  return async (session, database) => {
    const all: Collection<Document> = database.collection(name);
    const found = await all.findOneAndDelete(filter);
    if (found === null) throw new Error(`there is nothing in ${name} to hold`);
    await all.insertOne(found, { session });
  };
}

describeMongo("While a transaction of a process that was killed is held", () => {
  const store = testLocation();
  let alive: Tenants;
  let database: Db;
  beforeAll(async () => {
    alive = await startTenants([tickets, notes, pages, named], {
      settings: { store, queryTime: 1_000 },
      accounts: { email: { from: "Shop <shop@example.com>", verifyLink: "https://app.example.com/{token}" } },
    });
    database = (await testClient()).db(`${store.prefix}shop`);
  });
  afterAll(async () => {
    await alive.stop();
    await dropTestDatabases(store);
  });

  /** What others get while the dead one holds something. */
  async function held<T>(hold: Hold, work: () => Promise<T>): Promise<T> {
    const session = (await testClient()).startSession();
    session.startTransaction();
    try {
      await hold(session, database);
      return await work();
    } finally {
      await session.abortTransaction();
      await session.endSession();
    }
  }

  const busy = [503, "unavailable", "15"];
  function told(answer: Awaited<ReturnType<Tenants["send"]>>) {
    return answer.status < 400
      ? answer.status
      : [answer.status, code(answer), answer.headers.get("retry-after")];
  }

  test("a document: 503 for who writes it, others are done", async () => {
    const as = alive.as(alive.ann);
    const [id, other] = [await alive.made("pages"), await alive.made("pages")];
    const answers = await held(records("main.pages", { _id: id }), () =>
      Promise.all([
        as("PATCH", `pages/${id}`, { title: "b" }),
        as("DELETE", `pages/${id}`),
        as("POST", "_batch", {
          operations: [{ op: "patch", collection: "pages", id, patch: { title: "b" } }],
        }),
        alive.data("PATCH", `pages/${id}`, { title: "b" }),
        as("GET", `pages/${id}`),
        as("PATCH", `pages/${other}`, { title: "b" }),
      ]),
    );
    expect(answers.map(told)).toEqual([busy, busy, busy, busy, 200, 200]);
  });

  test("a unique value, and an id: 503 for who wants them, others are done", async () => {
    const as = alive.as(alive.ann);
    await as("POST", "named", { id: "taken", title: "a", slug: "taken" });
    const answers = await held(made("main.named", { _id: "taken" }), () =>
      Promise.all([
        as("POST", "named", { id: "other", title: "a", slug: "taken" }),
        as("POST", "named", { id: "taken", title: "a" }),
        as("POST", "_batch", {
          operations: [
            { op: "create", collection: "named", document: { id: "other", title: "a", slug: "taken" } },
          ],
        }),
        as("POST", "named", { id: "free", title: "a", slug: "free" }),
      ]),
    );
    expect(answers.map(told)).toEqual([busy, busy, busy, 201]);
    expect((await as("POST", "named", { id: "other", title: "a", slug: "taken" })).status).toBe(201);
  });

  test("an idempotency key: its request is still running, others are done", async () => {
    const as = alive.as(alive.ann);
    const create = (key: string) => as("POST", "pages", { title: "a" }, { "idempotency-key": key });
    await create("one");
    const answers = await held(made("_svc.idempotency", {}), () =>
      Promise.all([create("one"), create("two")]),
    );
    expect(answers.map(told)).toEqual([[409, "request_in_progress", null], 201]);
    expect((await create("one")).status).toBe(201);
  });

  const login = (email: string, more = {}) =>
    alive.send("POST", "../_auth/login", { body: { email, password, ...more } });

  test("counts of guesses: 503 for who adds to them, others sign in", async () => {
    await login("ann@example.com");
    const account = await held(records("_svc.throttle"), async () => [
      await login("ann@example.com"),
      await login("bob@example.com"),
    ]);
    expect(account.map(told)).toEqual([busy, 200]);
    await login("cid@example.com", { password: "wrong horse" });
    const network = await held(records("_svc.throttle"), async () => [
      // By itself: a mistaken one of the same account would hold the count of that while it waits.
      await login("eve@example.com"),
      ...(await Promise.all([
        login("eve@example.com", { password: "wrong horse" }),
        alive.send("POST", "../_auth/signup", { body: { email: "fay@example.com", password } }),
      ])),
    ]);
    expect(network.map(told)).toEqual([200, busy, busy]);
  });

  test("an address that signs up: 503 for who wants it, others sign up", async () => {
    const signup = (email: string) => alive.send("POST", "../_auth/signup", { body: { email, password } });
    await signup("gus@example.com");
    const answers = await held(made("_svc.users", { email_key: "gus@example.com" }), async () => [
      await signup("gus@example.com"),
      await signup("hal@example.com"),
    ]);
    expect(answers.map(told)).toEqual([busy, 201]);
  });

  test("a user and their session: 503 for who changes them, all else is done", async () => {
    const { ann, bob } = alive;
    const me = (who: typeof ann) =>
      alive.send("PATCH", "../_auth/me", { token: who.token, body: { locale: "de" } });
    const users = await held(records("_svc.users", { _id: ann.id }), async () => [
      await me(ann),
      await me(bob),
      await login("ann@example.com"),
      await alive.as(ann)("POST", "pages", { title: "a" }),
    ]);
    expect(users.map(told)).toEqual([busy, 200, 200, 201]);
    const { token } = await alive.login("bob@example.com");
    const sessions = await held(records("_svc.sessions"), async () => [
      await alive.send("POST", "../_auth/logout", { token }),
      await alive.send("GET", "../_auth/me", { token }),
      await login("bob@example.com"),
    ]);
    expect(sessions.map(told)).toEqual([busy, 200, 200]);
  });

  test("an organization: 503 for who changes it or its members, its documents and others go on", async () => {
    const { acme, bolt, ann, cid } = alive;
    const invite = (who: typeof ann, org: string, email: string) =>
      alive.send("POST", `../_orgs/${org}/invitations`, {
        token: who.token,
        body: { email, roles: ["member"] },
      });
    const answers = await held(records("_svc.orgs", { _id: acme.id }), async () => [
      await invite(ann, acme.id, "ivy@example.com"),
      await invite(cid, bolt.id, "ivy@example.com"),
      await alive.as(ann)("POST", `tickets?org=${acme.id}`, { title: "a" }),
    ]);
    expect(answers.map(told)).toEqual([busy, 201, 201]);
  });

  test("the mark of deleted organizations: 503 for who deletes another one, all else is done", async () => {
    const { ann, acme } = alive;
    const [one, other] = [await alive.createOrg(ann), await alive.createOrg(ann)];
    await alive.withhold(one);
    const headers = await alive.proof(ann);
    const answers = await held(records("_svc.org_marks"), async () => [
      await alive.send("DELETE", `../_orgs/${other.id}`, { token: ann.token, headers }),
      await alive.send("POST", "../_orgs", { token: ann.token, body: { name: "New" } }),
      await alive.as(ann)("POST", `tickets?org=${acme.id}`, { title: "a" }),
    ]);
    expect(answers.map(told)).toEqual([busy, 201, 201]);
  });

  test("a name of a key, the configuration of the app: 503 for who writes the same, others are done", async () => {
    const create = (name: string) =>
      alive.send("POST", "../_admin/keys", { token: alive.admin, body: { name } });
    await create("taken");
    const keys = await held(made("_svc.keys", { name: "taken" }), async () => [
      await create("taken"),
      await create("free"),
      await alive.as(alive.robot)("POST", "pages", { title: "a" }),
    ]);
    expect(keys.map(told)).toEqual([busy, 201, 201]);
    const put = () => alive.send("PUT", "../_admin/config/app", { token: alive.admin, body: { a: 1 } });
    await put();
    const config = await held(records("_svc.config"), async () => [
      await put(),
      await alive.as(alive.ann)("POST", "pages", { title: "a" }),
    ]);
    expect(config.map(told)).toEqual([busy, 201]);
  });
});
