import { type TestRealm, testRealm } from "realmc/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type Collections,
  type File,
  file,
  type Hook,
  shop,
  type Tick,
  type Watch,
} from "./testing/notes.ts";

let realm: TestRealm<Collections>;
beforeEach(async () => {
  realm = await testRealm<Collections>(shop, { now: "2026-03-01T12:00:00Z" });
});
afterEach(() => realm.close());

/** A user who sees notes, and a note. */
async function adaAndNote() {
  const ada = await realm.addUser({ roles: ["reader"] });
  const { id: note } = await realm.db.main.notes.create({ title: "a" });
  return { ada: { user: ada.id }, note };
}

describe("a call", () => {
  test("has its output, as JSON brings it", async () => {
    const { ada, note } = await adaAndNote();
    expect(await realm.call("main/file", file, { note }, { caller: ada })).toEqual({ by: "user 1" });
    expect(await realm.db.main.notes.get(note)).toMatchObject({
      qty: 1,
      _meta: { created_by: "key:test/seeds" },
    });
    const withMore: File = () => ({ by: "me", at: new Date(0), left: undefined });
    expect(await realm.call("main/file", withMore, { note }, { caller: ada })).toEqual({
      by: "me",
      at: "1970-01-01T00:00:00.000Z",
    });
  });

  test("is refused by its rule, and its handler not run", async () => {
    const never: File = () => expect.fail("it is run");
    await expect(realm.call("main/file", never, { note: "n" })).rejects.toMatchObject({
      ...{ status: 401, code: "unauthenticated" },
    });
    const key = { caller: { key: "deploy" } };
    const past: File = () => ({ by: "a key, past the rules" });
    expect(await realm.call("main/file", past, { note: "n" }, key)).toEqual({
      by: "a key, past the rules",
    });
  });

  test("is refused where its input does not fit", async () => {
    const { ada } = await adaAndNote();
    await expect(realm.call("main/file", file, { note: "" }, { caller: ada })).rejects.toMatchObject({
      ...{ status: 400, code: "validation_error", message: "The input does not fit its schema." },
      details: [{ path: "note" }],
    });
    // @ts-expect-error: the note is missing
    const untyped = realm.call("main/file", file, {}, { caller: ada });
    await expect(untyped).rejects.toMatchObject({ code: "validation_error", details: [{ path: "note" }] });
  });

  test("fails where its output does not fit, and says where", async () => {
    const { ada, note } = await adaAndNote();
    const wrong: File = () => ({ by: "" });
    await expect(realm.call("main/file", wrong, { note }, { caller: ada })).rejects.toMatchObject({
      ...{ status: 500, code: "invalid_output" },
      message: expect.stringMatching(/^main\/file: the output does not fit its schema: by must/),
    });
  });

  test("throws what its handler throws: the very same error", async () => {
    const { ada } = await adaAndNote();
    await expect(realm.call("main/file", file, { note: "none" }, { caller: ada })).rejects.toMatchObject({
      ...{ status: 404, code: "no_such_note", details: [{ path: "note" }] },
    });
    const bug = new Error("a bug");
    const buggy: File = () => Promise.reject(bug);
    await expect(realm.call("main/file", buggy, { note: "n" }, { caller: ada })).rejects.toBe(bug);
  });

  test("with `idempotency: required` has a key of its own each time", async () => {
    const { ada: caller } = await adaAndNote();
    const runs: number[] = [];
    for (const run of [1, 2]) await realm.call("main/once", () => void runs.push(run), {}, { caller });
    expect(runs).toEqual([1, 2]);
  });

  test("that is over writes no more", async () => {
    const { ada, note } = await adaAndNote();
    let late: Promise<unknown> = Promise.resolve();
    let go: () => void = () => undefined;
    const careless: File = (_, ctx) => {
      late = new Promise<void>((resolve) => {
        go = resolve;
      }).then(() => void ctx.db.main.notes.create({ title: "late" }));
      return { by: "nobody" };
    };
    await realm.call("main/file", careless, { note }, { caller: ada });
    go();
    await late;
    expect(await realm.db.main.notes.count()).toBe(1);
  });

  test("is run in this thread, and nothing listens or is connected", async () => {
    const open = () =>
      process.getActiveResourcesInfo().filter((kind) => /^(?:TCP|Worker|MessagePort)/.test(kind));
    const before = open();
    const { ada, note } = await adaAndNote();
    const here: File = () => ({ by: String(open().length - before.length) });
    expect(await realm.call("main/file", here, { note }, { caller: ada })).toEqual({ by: "0" });
  });

  test("of the wrong kind says what runs it", async () => {
    await expect(realm.call("main/tick", () => undefined, {})).rejects.toThrow(
      "main/tick is of mode event (realm.trigger and realm.schedule run it)",
    );
    await expect(realm.schedule("main/watch", () => undefined)).rejects.toThrow("main/watch has no schedule");
    await expect(realm.trigger("main/tick", () => undefined)).rejects.toThrow("main/tick has no triggers");
  });
});

describe("a webhook", () => {
  const options = { secrets: { TOKEN: "t" } };

  test("is given the bytes, headers in lower case and the query; answers as it would be answered", async () => {
    const hook: Hook = (request, ctx) => {
      expect([request.method, request.path]).toEqual(["POST", "/v1/shop/main/_func/hook"]);
      if (request.headers["x-token"] !== ctx.secrets.TOKEN) throw ctx.error(401, "bad_token", "No.");
      const headers = { "Content-Type": "text/csv", "Set-Cookie": "a=b" };
      return { status: 201, headers, body: `${request.text()},${request.query.get("page")}` };
    };
    const sent = { body: "1,2", headers: { "X-Token": "t" }, query: { page: "3" } };
    const answer = await realm.webhook("main/hook", hook, sent, options);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("set-cookie")]).toEqual([
      ...[201, "text/csv", null],
    ]);
    expect(await answer.text()).toBe("1,2,3");
    const refused = await realm.webhook("main/hook", hook, {}, options);
    expect([refused.status, await refused.json()]).toEqual([
      401,
      { error: { code: "bad_token", message: "No.", request_id: "test" } },
    ]);
  });

  test("throws what else its handler throws, and what it must not return", async () => {
    const buggy: Hook = () => Promise.reject(new TypeError("a bug"));
    await expect(realm.webhook("main/hook", buggy, {}, options)).rejects.toThrow(new TypeError("a bug"));
    const wrong: Hook = () => ({ headers: { "bad name": "x" } });
    await expect(realm.webhook("main/hook", wrong, {}, options)).rejects.toThrow(
      'main/hook: "bad name" is no name of a header',
    );
    // @ts-expect-error: a secret is missing
    await expect(realm.webhook("main/hook", wrong, {})).rejects.toThrow("declares the secret TOKEN");
  });
});

describe("an event function", () => {
  test("is run for the changes that its triggers are about, once, in their order", async () => {
    const { notes } = realm.db.main;
    const { id } = await notes.create({ title: "a" });
    await notes.patch(id, { qty: 1 });
    await notes.create({ title: "quiet" });
    await notes.delete(id);
    const seen: string[] = [];
    const watch: Watch = ({ event, document, previous, at, attempt }) => {
      seen.push(`${event} ${document.qty} after ${previous?.qty} at ${at}, ${attempt}`);
    };
    const told = await realm.trigger("main/watch", watch);
    expect(seen).toEqual([
      "create undefined after undefined at 2026-03-01T12:00:00.000Z, 1",
      "update 1 after undefined at 2026-03-01T12:00:00.000Z, 1",
    ]);
    expect(told.map(({ event, collection }) => `${event} ${collection}`)).toEqual([
      "create main/notes",
      "update main/notes",
    ]);
    expect(await realm.trigger("main/watch", watch)).toEqual([]);
  });

  test("leads to others by what it writes, as far as chains go", async () => {
    const watch: Watch = async ({ document }, ctx) => {
      await ctx.db.main.notes.create({ title: `${document.title}!` });
    };
    await realm.db.main.notes.create({ title: "a" });
    let rounds = 0;
    while ((await realm.trigger("main/watch", watch)).length > 0) rounds += 1;
    expect(rounds).toBe(8);
    const { items } = await realm.db.main.notes.list({ where: { title: { $eq: "a!!!!!!!!" } } });
    expect(items[0]?._meta.chain?.depth).toBe(8);
  });

  test("that throws does so in the test; what comes after waits for the next time", async () => {
    for (const title of ["a", "b"]) await realm.db.main.notes.create({ title });
    const failing: Watch = (_, ctx) => Promise.reject(ctx.retry({ after: "1h" }));
    await expect(realm.trigger("main/watch", failing)).rejects.toMatchObject({ code: "retry", after: "1h" });
    const left = await realm.trigger("main/watch", () => undefined, { attempt: 4 });
    expect(left).toMatchObject([{ document: { title: "b" }, attempt: 4 }]);
  });

  test("is run when its schedule is due next, by its time zone, where the time is moved to", async () => {
    const at: string[] = [];
    const tick: Tick = (input, ctx) => {
      at.push(input.at);
      expect(ctx.now().toISOString()).toBe(input.at);
    };
    expect(await realm.schedule("main/tick", tick)).toEqual(new Date("2026-03-02T02:00:00Z"));
    await realm.schedule("main/tick", tick);
    expect(at).toEqual(["2026-03-02T02:00:00.000Z", "2026-03-03T02:00:00.000Z"]);
    expect(realm.now).toEqual(new Date("2026-03-03T02:00:00Z"));
  });
});
