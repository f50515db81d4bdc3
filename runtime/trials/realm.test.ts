import { type TestRealm, testRealm } from "realmc/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { base, type Collections, type File, file, type Hook, shop, type Tick } from "./testing/notes.ts";

let realm: TestRealm<Collections>;
beforeEach(async () => {
  realm = await testRealm<Collections>(shop, { now: "2026-03-01T12:00:00Z" });
});
afterEach(() => realm.close());

/** A user who sees notes, and a note. */
async function adaAndNote() {
  const ada = await realm.addUser({ roles: ["reader"] });
  const { id } = await realm.db.main.notes.create({ title: "a" });
  return { ada, id };
}

describe("a handler", () => {
  test("is called with ctx as a function is: its output comes back, its writes are in the realm by its own rights", async () => {
    const { ada, id } = await adaAndNote();
    const ctx = await realm.context<File>("main/file", { caller: { user: ada.id } });
    expect(await file({ note: id }, ctx)).toEqual({ by: "user 1" });
    expect(await realm.db.main.notes.get(id)).toMatchObject({ qty: 1, _meta: { version: 2 } });
    expect(realm.logs).toMatchObject([{ level: "info", message: "filed", fields: { id } }]);
  });

  test("throws its own error, with what the caller would be answered", async () => {
    const { ada } = await adaAndNote();
    const ctx = await realm.context<File>("main/file", { caller: { user: ada.id } });
    await expect(file({ note: "nothing" }, ctx)).rejects.toMatchObject({
      ...{ status: 404, code: "no_such_note", message: "You see no note of this id." },
      details: [{ path: "note" }],
    });
    expect(ctx.retry({ after: "10m" })).toMatchObject({ code: "retry", after: "10m" });
    expect(ctx.fail("no_plan", "There is no plan.")).toMatchObject({ code: "no_plan" });
  });

  test("throws what the rules refuse its caller, as they are answered", async () => {
    const { id } = await adaAndNote();
    const anonymous = await realm.context<File>("main/file");
    await expect(file({ note: id }, anonymous)).rejects.toMatchObject({ name: "StoreError", status: 401 });
    const { id: user } = await realm.addUser();
    const bob = await realm.context<File>("main/file", { caller: { user } });
    await expect(file({ note: id }, bob)).rejects.toMatchObject({ status: 403, code: "forbidden" });
  });

  test("is refused what the server refuses: validation, versions, scopes", async () => {
    const ctx = await realm.context<File>("main/file");
    const { id } = await ctx.db.main.notes.create({ title: "a" });
    await expect(ctx.db.main.notes.create({ title: "" })).rejects.toMatchObject({
      ...{ name: "StoreError", status: 400, code: "validation_error" },
      details: [{ path: "title" }],
    });
    await expect(ctx.db.main.notes.patch(id, {}, { ifMatch: 7 })).rejects.toMatchObject({ status: 412 });
    const tick = await realm.context<Tick>("main/tick");
    await expect(tick.db.main.notes.get(id)).rejects.toMatchObject({ status: 403 });
  });

  test("says by whom it wrote as on a server: the user who called, or the function", async () => {
    const { ada } = await adaAndNote();
    const called = await realm.context<File>("main/file", { caller: { user: ada.id } });
    const own = await realm.context<File>("main/file", { caller: { key: "deploy" } });
    expect(own.caller).toMatchObject({ kind: "key", name: "deploy", roles: [] });
    const meta = async (ctx: typeof own) => (await ctx.db.main.notes.create({ title: "a" }))._meta;
    expect(await meta(called)).toMatchObject({ owner: ada.id, created_by: `user:${ada.id}` });
    expect(await meta(own)).toMatchObject({ owner: null, created_by: "key:main/file" });
  });
});

describe("what a test gives", () => {
  test("secrets: those that the function declares, all of them", async () => {
    const hook = await realm.context<Hook>("main/hook", { secrets: { TOKEN: "t" } });
    expect(hook.secrets.TOKEN).toBe("t");
    expect(hook.caller).toBe(null);
    // @ts-expect-error: a secret is missing
    await expect(realm.context<Hook>("main/hook")).rejects.toThrow("main/hook declares the secret TOKEN");
  });

  test("fetch: answers what is asked of declared hosts, and nothing else is asked", async () => {
    const asked: string[] = [];
    const hook = await realm.context<Hook>("main/hook", {
      secrets: { TOKEN: "t" },
      async fetch(request) {
        asked.push(`${request.method} ${request.url} ${await request.text()}`);
        return Response.json({ ok: true });
      },
    });
    const answer = await hook.fetch("https://api.example.com/pay", { method: "POST", body: "5" });
    expect(await answer.json()).toEqual({ ok: true });
    await expect(hook.fetch("https://example.org/")).rejects.toThrow(
      "network of function.yaml has no example.org",
    );
    expect(asked).toEqual(["POST https://api.example.com/pay 5"]);
  });

  test("the time: held where it is set, moved on by advance, for ctx.now() and documents", async () => {
    const ctx = await realm.context<File>("main/file");
    realm.advance("90m");
    expect(ctx.now()).toEqual(new Date("2026-03-01T13:30:00Z"));
    const made = await ctx.db.main.notes.create({ title: "a" });
    expect(made._meta).toMatchObject({ created_at: "2026-03-01T13:30:00.000Z" });
  });

  test("organizations: with their members, whom ctx.caller and ctx.orgs know", async () => {
    const ada = await realm.addUser();
    const org = await realm.addOrganization({ name: "Acme", members: { [ada.id]: ["clerk"] } });
    const ctx = await realm.context<File>("main/file", { caller: { user: ada.id } });
    expect(ctx.caller.orgs).toEqual([org.id]);
    expect(await ctx.orgs.setClaims(org.id, { plan: "large" })).toMatchObject({ claims: { plan: "large" } });
    expect(await ctx.orgs.get(org.id)).toMatchObject({ name: "Acme", claims: { plan: "large" } });
  });

  test("what there is not is an error that says so", async () => {
    await expect(realm.context<File>("main/fil")).rejects.toThrow("did you mean 'main/file'?");
    await expect(realm.context<File>("main/file", { caller: { user: "nobody" } })).rejects.toThrow(
      "no user 'nobody'",
    );
    await expect(realm.context<Tick>("main/tick", { caller: "anonymous" })).rejects.toThrow(
      "nobody calls it",
    );
    await expect(realm.addUser({ roles: ["wizard"] })).rejects.toThrow("has no role 'wizard'");
    await expect(testRealm({ definition: base, routes: [] })).rejects.toThrow("realm shop has no functions");
  });
});

describe("what a handler does beside documents", () => {
  test("mails are kept, to the addresses that the server would send them to", async () => {
    const { ada } = await adaAndNote();
    const ctx = await realm.context<File>("main/file");
    await ctx.mail.send({ to: { user: ada.id }, subject: "Filed", text: "It is filed." });
    expect(realm.mails).toMatchObject([{ to: ada.email, subject: "Filed", text: "It is filed." }]);
    await expect(ctx.mail.send({ to: "nobody", subject: "", text: "" })).rejects.toMatchObject({
      status: 400,
    });
  });

  test("calls are queued, not run; what does not fit their schema is refused", async () => {
    const ctx = await realm.context<File>("main/file");
    const { id } = await ctx.jobs.enqueue("main/file", { note: "n" }, { delay: "10m", key: "once" });
    expect(await ctx.jobs.enqueue("main/file", { note: "n" }, { key: "once" })).toEqual({ id });
    // @ts-expect-error: the note is missing
    await expect(ctx.jobs.enqueue("main/file", {})).rejects.toMatchObject({ status: 400 });
    expect(await realm.queued()).toEqual([
      { id, function: "main/file", input: { note: "n" }, due_at: "2026-03-01T12:10:00.000Z" },
    ]);
  });
});

test("as: documents as somebody sees them, by the rules", async () => {
  const { ada, id } = await adaAndNote();
  const bob = await realm.as({ user: (await realm.addUser()).id });
  expect(await (await realm.as({ user: ada.id })).main.notes.get(id)).toMatchObject({ title: "a" });
  await expect(bob.main.notes.get(id)).rejects.toMatchObject({ status: 403 });
  await expect(realm.as({ user: "nobody" })).rejects.toThrow("no user 'nobody'");
});

test("two realms of one module know nothing of each other", async () => {
  const other = await testRealm<Collections>(shop);
  await realm.db.main.notes.create({ title: "a" });
  expect(await other.db.main.notes.count()).toBe(0);
  await other.close();
  expect(await realm.db.main.notes.count()).toBe(1);
});
