import { afterAll, beforeAll, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { ReadRule } from "../realm/rule.ts";
import { allowed, byCaller, denied } from "../rules/index.ts";
import { ForeignWrite } from "../store/contract/errors.ts";
import {
  code,
  collection,
  day,
  fields,
  paths,
  type Received,
  type Shop,
  startShop,
  text,
} from "./testing/shop.ts";

const keys = [{ field: fields.slug, descending: false }];
const drafts = collection("drafts", {
  softDelete: { retention: 30 * day },
  indexes: [{ name: "slug", keys, unique: true }],
});
const kept = collection("kept", { softDelete: {} });
const hard = collection("hard");

const ofUser: ReadRule = {
  filter: ({ user }) => eq(fields.owner, user?.email),
  check: ({ user }, document) => user !== undefined && document["owner"] === user.email,
};
const english: ReadRule = {
  filter: () => eq(fields.lang, "en"),
  check: (_, document) => document["lang"] === "en",
};
const boss = byCaller(({ user }) => user?.email === "boss@example.com");
const files = collection("files", {
  softDelete: {},
  rules: { create: allowed, read: english, update: allowed, delete: allowed, restore: ofUser, purge: boss },
});
const sealed = collection("sealed", {
  softDelete: {},
  rules: { create: allowed, read: allowed, delete: allowed, restore: denied },
});

let shop: Shop;
let members: Shop;
const tokens: Record<"ann" | "bob" | "boss", string> = { ann: "", bob: "", boss: "" };
beforeAll(async () => {
  shop = await startShop("disabled", [drafts, kept, hard]);
  members = await startShop("enabled", [files, sealed]);
  for (const name of ["ann", "bob", "boss"] as const) {
    tokens[name] = (await members.signUp(`${name}@example.com`)).token;
  }
});
afterAll(() => Promise.all([shop.stop(), members.stop()]));

async function create(body: JsonObject = { title: "a" }, name = "drafts"): Promise<string> {
  return text((await shop.send("POST", name, { body })).body, "id");
}

async function deleted(body: JsonObject = { title: "a" }, name = "drafts"): Promise<string> {
  const id = await create(body, name);
  expect((await shop.send("DELETE", `${name}/${id}`)).status).toBe(204);
  return id;
}

function ids({ body }: Received): readonly unknown[] {
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject).map(({ id }) => id) : [];
}

test("States, Document: a soft delete is 204, counts as a write and marks the document", async () => {
  const id = await create();
  const created_at = new Date(shop.clock.now()).toISOString();
  shop.clock.advance(1000);
  expect(await shop.send("DELETE", `drafts/${id}`)).toMatchObject({ status: 204, text: "" });
  const { body, tag } = await shop.send("GET", `drafts/${id}?deleted=only`);
  const at = new Date(shop.clock.now()).toISOString();
  const purge_at = new Date(shop.clock.now() + 30 * day).toISOString();
  expect(body).toEqual({
    id,
    title: "a",
    _meta: { created_at, updated_at: at, version: 2, deleted_at: at, purge_at },
  });
  expect(tag).toBe('"2"');
});

test("States, Document: without a retention there is no purge_at", async () => {
  const id = await deleted({ title: "a" }, "kept");
  const { body } = await shop.send("GET", `kept/${id}?deleted=only`);
  expect(Object.keys(Object(body["_meta"]))).toEqual(["created_at", "updated_at", "version", "deleted_at"]);
});

test("States, Document: with authentication, deleted_by and updated_by say who", async () => {
  const { body } = await members.send("POST", "files", {
    body: { title: "a", lang: "en", owner: "ann@example.com" },
  });
  const id = text(body, "id");
  const { body: me } = await members.send("GET", "../_auth/me", { token: tokens.ann });
  await members.send("DELETE", `files/${id}`, { token: tokens.ann });
  const read = await members.send("GET", `files/${id}?deleted=only`, { token: tokens.ann });
  const actor = `user:${text(me, "id")}`;
  expect(read.body["_meta"]).toMatchObject({ created_by: "anonymous", updated_by: actor, deleted_by: actor });
});

test("States, Document: a deleted document disappears from get, list, count, PUT, PATCH, DELETE and batches", async () => {
  const live = await create({ title: "live" }, "kept");
  const id = await deleted({ title: "a" }, "kept");
  expect((await shop.send("GET", `kept/${id}`)).status).toBe(404);
  expect((await shop.send("PUT", `kept/${id}`, { body: { title: "a" } })).status).toBe(404);
  expect((await shop.send("PATCH", `kept/${id}`, { body: {} })).status).toBe(404);
  expect((await shop.send("DELETE", `kept/${id}`)).status).toBe(404);
  const page = await shop.send("GET", "kept?count=true&limit=100");
  expect(ids(page)).toContain(live);
  expect(ids(page)).not.toContain(id);
  expect(page.body["total"]).toBe(ids(page).length);
  for (const operation of [
    { op: "replace", collection: "kept", id, document: { title: "a" } },
    { op: "patch", collection: "kept", id, patch: {} },
    { op: "delete", collection: "kept", id },
  ]) {
    const batch = await shop.send("POST", "_batch", { body: { operations: [operation] } });
    expect([operation.op, batch.status, paths(batch)]).toEqual([operation.op, 404, ["0"]]);
  }
});

test("States, Document: its unique values are free", async () => {
  await deleted({ title: "a", slug: "free" });
  expect((await shop.send("POST", "drafts", { body: { title: "b", slug: "free" } })).status).toBe(201);
});

test("States, Document: restore is 200 with the document in its next version, without deletion marks", async () => {
  const id = await deleted();
  const restored = await shop.send("POST", `drafts/${id}/restore`);
  expect(restored).toMatchObject({ status: 200, tag: '"3"' });
  expect(Object.keys(Object(restored.body["_meta"]))).toEqual(["created_at", "updated_at", "version"]);
  expect((await shop.send("GET", `drafts/${id}`)).text).toBe(restored.text);
  expect(ids(await shop.send("GET", "drafts?deleted=only&limit=100"))).not.toContain(id);
});

test("States, Document: restore honours If-Match", async () => {
  const id = await deleted();
  const mismatch = await shop.send("POST", `drafts/${id}/restore`, { headers: { "if-match": '"1"' } });
  expect([mismatch.status, code(mismatch), mismatch.tag]).toEqual([412, "version_mismatch", '"2"']);
  const malformed = await shop.send("POST", `drafts/${id}/restore`, { headers: { "if-match": "2" } });
  expect([malformed.status, code(malformed)]).toEqual([400, "invalid_header"]);
  expect((await shop.send("POST", `drafts/${id}/restore`, { headers: { "if-match": '"2"' } })).status).toBe(
    200,
  );
});

test("Common request rules 2 and 3: restore needs no body; one that is sent is judged as any", async () => {
  const id = await deleted();
  const sent = (text: string, type = "application/json") =>
    shop.send("POST", `drafts/${id}/restore`, { text, headers: { "content-type": type } });
  expect(code(await sent("x", "text/plain"))).toBe("unsupported_media_type");
  expect(code(await sent("["))).toBe("invalid_json");
  expect((await sent("{}")).status).toBe(200);
});

test("States, Document: restore of a document that no longer fits the schema is 400", async () => {
  const id = "unfit";
  const at = "2026-01-01T00:00:00.000Z";
  const meta = `{"created_at":"${at}","updated_at":"${at}","version":2,"deleted_at":"${at}"}`;
  const old = { id, version: 2, text: `{"id":"${id}","name":"a","_meta":${meta}}` };
  await shop.stored(kept).insert({ ...old, createdAt: Date.parse(at), deletedAt: Date.parse(at) });
  const answer = await shop.send("POST", `kept/${id}/restore`);
  expect([answer.status, code(answer), [...paths(answer)].sort()]).toEqual([
    400,
    "validation_error",
    ["name", "title"],
  ]);
});

test("States, Document: restore onto taken unique values is 409", async () => {
  const id = await deleted({ title: "a", slug: "clash" });
  await create({ title: "b", slug: "clash" });
  const answer = await shop.send("POST", `drafts/${id}/restore`);
  expect([answer.status, code(answer), paths(answer)]).toEqual([409, "conflict", ["slug"]]);
});

test("States, Document: restore of a live document and of none is 404, and of a collection without soft delete", async () => {
  const id = await create();
  expect((await shop.send("POST", `drafts/${id}/restore`)).status).toBe(404);
  expect((await shop.send("POST", "drafts/nobody/restore")).status).toBe(404);
  expect((await shop.send("POST", `hard/${await create({ title: "a" }, "hard")}/restore`)).status).toBe(404);
});

test("States, Document: purge removes live and deleted documents for good, honouring If-Match", async () => {
  for (const id of [await create(), await deleted()]) {
    const mismatch = await shop.send("DELETE", `drafts/${id}?purge=true`, { headers: { "if-match": '"9"' } });
    expect(mismatch.status).toBe(412);
    expect((await shop.send("DELETE", `drafts/${id}?purge=true`)).status).toBe(204);
    expect((await shop.send("GET", `drafts/${id}?deleted=include`)).status).toBe(404);
    expect((await shop.send("DELETE", `drafts/${id}?purge=true`)).status).toBe(404);
  }
});

test("Concurrency 2: without rules and If-Match, soft delete and purge take the current version, whoever writes beside them", async () => {
  const { now } = shop.clock;
  for (const purge of [false, true]) {
    const id = await create();
    let version = 1;
    let left = 3;
    let rival: Promise<unknown> | undefined;
    const compete = () => {
      // What the rival asks the time for is not answered by another one.
      if (rival === undefined && left > 0) {
        left -= 1;
        rival = Promise.resolve().then(async () => {
          const written = {
            id,
            version: version + 1,
            text: `{"id":"${id}","title":"theirs"}`,
            createdAt: now(),
          };
          try {
            if (await shop.stored(drafts).replace(version, written)) version = written.version;
          } catch (error) {
            // Embedded, nobody comes between the operations of a transaction: who does seems to be its own work.
            if (!(error instanceof ForeignWrite)) throw error;
          }
          rival = undefined;
        });
      }
      return now();
    };
    // The time of a deletion is taken after the document is read; here others write then, again and again.
    shop.clock.now = compete;
    const { status } = await shop.send("DELETE", `drafts/${id}?purge=${purge}`);
    shop.clock.now = now;
    await rival;
    expect(left).toBeLessThan(3);
    expect([status, (await shop.send("GET", `drafts/${id}`)).status]).toEqual([204, 404]);
  }
});

test("Document endpoints 6: where documents are no longer deleted softly, what is in the trash is absent: 404", async () => {
  const at = Date.parse("2026-01-01T00:00:00.000Z");
  const old = { id: "trashed", version: 2, text: `{"id":"trashed","title":"a"}`, createdAt: at };
  await shop.stored(hard).insert({ ...old, deletedAt: at });
  for (const method of ["GET", "DELETE"]) expect((await shop.send(method, "hard/trashed")).status).toBe(404);
  const operations = [{ op: "delete", collection: "hard", id: "trashed" }];
  expect((await shop.send("POST", "_batch", { body: { operations } })).status).toBe(404);
});

test("Fine points: purge=false deletes softly; another value is 400", async () => {
  const id = await create();
  expect((await shop.send("DELETE", `drafts/${id}?purge=false`)).status).toBe(204);
  expect((await shop.send("GET", `drafts/${id}?deleted=only`)).status).toBe(200);
  for (const value of ["", "yes", "TRUE"]) {
    expect(code(await shop.send("DELETE", `drafts/${id}?purge=${value}`))).toBe("invalid_query");
  }
});

test("Fine points: a document past purge_at is gone for every request, before the job runs", async () => {
  const id = await deleted();
  shop.clock.advance(30 * day - 1);
  expect((await shop.send("GET", `drafts/${id}?deleted=only`)).status).toBe(200);
  shop.clock.advance(1);
  expect((await shop.send("GET", `drafts/${id}?deleted=only`)).status).toBe(404);
  expect((await shop.send("GET", `drafts/${id}?deleted=include`)).status).toBe(404);
  expect((await shop.send("POST", `drafts/${id}/restore`)).status).toBe(404);
  expect((await shop.send("DELETE", `drafts/${id}?purge=true`)).status).toBe(404);
  expect(ids(await shop.send("GET", "drafts?deleted=only&limit=100"))).not.toContain(id);
});

test("List query parameters: deleted=only is the trash, include both, each with its count", async () => {
  const [live, gone] = [await create({ title: "a" }, "kept"), await deleted({ title: "b" }, "kept")];
  const only = await shop.send("GET", "kept?deleted=only&limit=100&count=true");
  const both = await shop.send("GET", "kept?deleted=include&limit=100&count=true");
  expect([ids(only).includes(live), ids(only).includes(gone)]).toEqual([false, true]);
  expect([ids(both).includes(live), ids(both).includes(gone)]).toEqual([true, true]);
  expect(only.body["total"]).toBe(ids(only).length);
  expect(both.body["total"]).toBe(ids(both).length);
  expect((await shop.send("GET", `kept/${live}?deleted=only`)).status).toBe(404);
  expect((await shop.send("GET", `kept/${live}?deleted=include`)).status).toBe(200);
  for (const path of ["kept?deleted=all", `kept/${live}?deleted=`, "kept?deleted=only&deleted=only"]) {
    expect(code(await shop.send("GET", path))).toBe("invalid_query");
  }
});

/** A deleted document of `files`. */
async function deletedFile(owner: string, lang = "en"): Promise<string> {
  const { body } = await members.send("POST", "files", {
    body: { title: "a", lang, owner: `${owner}@example.com` },
  });
  const id = text(body, "id");
  await members.send("DELETE", `files/${id}`, { token: await robot() });
  return id;
}

let key: Promise<string> | undefined;
function robot(): Promise<string> {
  key ??= members.key();
  return key;
}

test("List query parameters: deleted needs the restore rule as well as read; include applies it to the deleted ones", async () => {
  const [anns, bobs, german] = [
    await deletedFile("ann"),
    await deletedFile("bob"),
    await deletedFile("ann", "de"),
  ];
  const { body } = await members.send("POST", "files", {
    body: { title: "live", lang: "en", owner: "bob@example.com" },
  });
  const live = text(body, "id");
  const { token } = { token: tokens.ann };
  const only = ids(await members.send("GET", "files?deleted=only&limit=100", { token }));
  expect([anns, bobs, german, live].map((id) => only.includes(id))).toEqual([true, false, false, false]);
  const both = ids(await members.send("GET", "files?deleted=include&limit=100", { token }));
  expect([anns, bobs, german, live].map((id) => both.includes(id))).toEqual([true, false, false, true]);
  expect((await members.send("GET", `files/${bobs}?deleted=only`, { token })).status).toBe(404);
  expect((await members.send("GET", `files/${live}?deleted=include`, { token })).status).toBe(200);
  const all = ids(await members.send("GET", "files?deleted=only&limit=100", { token: await robot() }));
  expect([anns, bobs, german].map((id) => all.includes(id))).toEqual([true, true, true]);
});

test("Fine points: where the restore rule is constantly false, only and include are 403 (401)", async () => {
  for (const deleted of ["only", "include"]) {
    expect((await members.send("GET", `sealed?deleted=${deleted}`, { token: tokens.ann })).status).toBe(403);
    expect((await members.send("GET", `sealed?deleted=${deleted}`)).status).toBe(401);
    expect((await members.send("GET", `sealed/x?deleted=${deleted}`, { token: tokens.ann })).status).toBe(
      403,
    );
    expect((await members.send("GET", `files?deleted=${deleted}`)).status).toBe(401);
  }
  expect((await members.send("POST", "sealed/x/restore", { token: tokens.ann })).status).toBe(403);
  expect((await members.send("POST", "sealed/x/restore")).status).toBe(401);
});

test("Fine points: a deleted document whose restore rule is false for the caller is 404 for purge and restore alike", async () => {
  const id = await deletedFile("ann");
  expect((await members.send("POST", `files/${id}/restore`, { token: tokens.bob })).status).toBe(404);
  expect((await members.send("DELETE", `files/${id}?purge=true`, { token: tokens.boss })).status).toBe(404);
  const german = await deletedFile("ann", "de");
  expect((await members.send("POST", `files/${german}/restore`, { token: tokens.ann })).status).toBe(404);
  expect((await members.send("POST", `files/${id}/restore`, { token: tokens.ann })).status).toBe(200);
});

test("Authentication 11: purge is not covered by delete, nor an undeclared one allowed", async () => {
  const id = await deletedFile("boss");
  expect((await members.send("DELETE", `files/${id}?purge=true`, { token: tokens.ann })).status).toBe(403);
  expect((await members.send("DELETE", `files/${id}?purge=true`)).status).toBe(401);
  expect((await members.send("DELETE", `files/${id}?purge=true`, { token: tokens.boss })).status).toBe(204);
  expect((await members.send("DELETE", "sealed/x?purge=true", { token: tokens.boss })).status).toBe(403);
});
