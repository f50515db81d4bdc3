/**
 * Object-level authorization: ids of what belongs to somebody else answer, byte for byte, as ids of nothing do, so that
 * nobody learns what is there; and what belongs to another realm is nothing here.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "../../runtime/auth/collections.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { insertSession } from "../people.ts";
import { compileFort } from "./compiled.ts";
import { type Fort, startFort } from "./fort.ts";
import type { Received } from "./send.ts";

const fort = await compileFort();
const nothing = "00000000000000000000";

let server: Fort;
let maker: string;
let stranger: string;
beforeAll(async () => {
  server = await startFort(fort);
  maker = await server.session("maker");
  stranger = await server.session("stranger");
});
afterAll(() => server.stop());

/** An answer but for what names the request, with the id in it replaced. */
function bytes({ status, headers, text }: Received, id: string) {
  // Ids of requests grow longer as they count.
  const ofRequest = ["date", "x-request-id", "content-length"];
  const kept = [...headers].filter(([name]) => !ofRequest.includes(name));
  return { status, headers: kept, text: text.replace(/"request_id":"[^"]*"/, "").replaceAll(id, "ID") };
}

/** Asks for something of somebody else's and for nothing, and expects no difference. */
async function expectAlike(
  method: string,
  path: (id: string) => string,
  id: string,
  sent: Parameters<Fort["send"]>[2],
  outcome = "404 not_found",
): Promise<void> {
  const [theirs, none] = [
    await server.send(method, path(id), sent),
    await server.send(method, path(nothing), sent),
  ];
  expect(none.outcome).toBe(outcome);
  expect(bytes(theirs, id)).toEqual(bytes(none, nothing));
}

async function note(token: string): Promise<string> {
  return String((await server.send("POST", "/main/notes", { token, body: { text: "mine" } })).body["id"]);
}

describe("Somebody else's id answers as no id does", () => {
  it("documents, whatever is asked of them", async () => {
    const id = await note(maker);
    const one = (each: string) => `/main/notes/${each}`;
    for (const [method, query, body] of [
      ["GET", "", undefined],
      ["GET", "?expand=author", undefined],
      ["PUT", "", { text: "x" }],
      ["PATCH", "", { text: "x" }],
      ["DELETE", "", undefined],
    ] as const) {
      const sent = { token: stranger, ...(body && { body }) };
      await expectAlike(method, (each) => one(each) + query, id, sent);
      for (const condition of ["*", '"1"', '"99"']) {
        const name = method === "GET" ? "if-none-match" : "if-match";
        await expectAlike(method, (each) => one(each) + query, id, {
          ...sent,
          headers: { [name]: condition },
        });
      }
    }
    await server.send("DELETE", one(id), { token: maker });
    await expectAlike("POST", (each) => `${one(each)}/restore`, id, { token: stranger });
    await expectAlike("GET", (each) => `${one(each)}?deleted=only`, id, { token: stranger });
    await expectAlike("GET", (each) => `${one(each)}?deleted=include`, id, { token: stranger });
    expect((await server.send("POST", `${one(id)}/restore`, { token: maker })).outcome).toBe("200");
  });

  it("documents in a batch", async () => {
    const id = await note(maker);
    for (const operation of [
      { op: "patch", patch: { text: "x" } },
      { op: "replace", document: { text: "x" } },
      { op: "delete" },
    ]) {
      const ask = (each: string) =>
        server.send("POST", "/main/_batch", {
          token: stranger,
          body: { operations: [{ ...operation, collection: "notes", id: each }] },
        });
      const [theirs, none] = [await ask(id), await ask(nothing)];
      expect(none.outcome).toBe("404 not_found");
      expect(bytes(theirs, id)).toEqual(bytes(none, nothing));
    }
  });

  it("documents in lists, counts, groups, cursors and expansions", async () => {
    const token = await server.session("member");
    const id = await note(maker);
    const where = encodeURIComponent(JSON.stringify({ id }));
    const list = await server.send("GET", `/main/notes?where=${where}&count=true`, { token });
    expect(list.body).toMatchObject({ items: [], total: 0, has_more: false });
    const groups = await server.send("GET", `/main/notes/_aggregate?metrics=count&where=${where}`, { token });
    expect(groups.body["groups"]).toEqual([{ key: {}, count: 0 }]);
    // The stranger's person is the member's to see, and the stranger's alone; the reader sees none.
    await server.send("POST", "/main/people", { token: stranger, body: { id: "stranger", name: "S" } });
    const reader = await server.session("reader");
    const made = async (author_id: string) =>
      (await server.send("POST", "/main/notes", { token: reader, body: { text: "x", author_id } })).body[
        "id"
      ];
    const expanded = async (of: string) => {
      const answer = await server.send("GET", `/main/notes/${await made(of)}?expand=author`, {
        token: reader,
      });
      return answer.body["_expanded"];
    };
    expect(await expanded("stranger")).toEqual({ author: null });
    expect(await expanded(nothing)).toEqual({ author: null });
  });

  it("a custom id that is not one's own is refused, taken or not", async () => {
    await server.send("POST", "/main/people", { token: maker, body: { id: "maker", name: "M" } });
    for (const id of ["maker", "stranger", nothing]) {
      const answer = await server.send("POST", "/main/people", {
        token: await server.session("reader"),
        body: { id, name: "x" },
      });
      expect(answer.outcome).toBe("400 invalid_id");
    }
  });

  it("sessions", async () => {
    await insertSession(server.store("fort"), server.clock, "maker", "the-makers");
    await expectAlike("DELETE", (id) => `/_auth/sessions/${id}`, "the-makers", { token: stranger });
    const { items } = (await server.send("GET", "/_auth/sessions?limit=100", { token: maker })).body;
    expect(JSON.stringify(items)).toContain('"the-makers"');
    const others = await server.send("GET", "/_auth/sessions?limit=100", { token: stranger });
    expect(others.text).not.toContain("the-makers");
  });

  it("users are told from nobody only to keys that may act for them", async () => {
    const key = await createKey(server.store("fort"), server.clock, { name: "cannot", admin: false });
    for (const user of ["maker", "gone", nothing]) {
      const answer = await server.send("GET", "/main/notes", {
        token: key,
        headers: { "x-svc-on-behalf-of": user },
      });
      expect(answer.outcome).toBe("400 invalid_header");
    }
  });

  it("users, sessions, invitations and keys, for administrators of other areas", async () => {
    const token = await server.session("audit");
    const operator = { token: server.operator };
    const invitation = await server.send("POST", "/_admin/invitations", { ...operator, body: {} });
    const key = await server.send("POST", "/_admin/keys", {
      ...operator,
      body: { name: "seen", scopes: {} },
    });
    for (const [method, path, id] of [
      ["GET", "/_admin/users/", "maker"],
      ["PATCH", "/_admin/users/", "maker"],
      ["DELETE", "/_admin/users/", "maker"],
      ["DELETE", "/_admin/invitations/", String(invitation.body["id"])],
      ["DELETE", "/_admin/keys/", String(key.body["id"])],
    ] as const) {
      await expectAlike(method, (each) => path + each, id, { token }, "403 forbidden");
    }
    for (const method of ["GET", "DELETE"]) {
      await expectAlike(method, (id) => `/_admin/users/${id}/sessions`, "maker", { token }, "403 forbidden");
    }
  });

  it("a proof of identity proves nothing in another session, not even of the same user", async () => {
    const [one, two] = [await server.session("member"), await server.session("member")];
    const made = await server.send("POST", "/_auth/reauth", {
      token: one,
      body: { password: "correct horse" },
    });
    const headers = { "x-svc-reauth": String(made.body["proof"]) };
    for (const token of [two, stranger]) {
      const answer = await server.send("DELETE", "/_auth/me", { token, headers });
      expect(answer.outcome).toBe("401 reauth_required");
    }
    const found = await server.store("fort").collection(collections.users).get("member", "live");
    expect(found).toBeDefined();
  });
});

describe("SVC_ADMIN_API=off", () => {
  it("no route of _admin is there, for nobody, and none differs from a route that never was", async () => {
    const off = await startFort(fort, { settings: { adminApi: false } });
    const paths = Object.keys(
      JSON.parse(JSON.stringify(fort.definition.openapi?.document["paths"] ?? {})),
    ).filter((path) => path.startsWith("/v1/fort/_admin/"));
    expect(paths.length).toBeGreaterThan(20);
    const boss = await off.session("boss");
    const asked = async (path: string, token: string) => {
      const answers = [];
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        answers.push(bytes(await off.send(method, path, { token }), ""));
      }
      return answers;
    };
    const never = await asked("/_admin/never", off.operator);
    expect(never[0]?.status).toBe(404);
    for (const path of paths) {
      const below = path.slice("/v1/fort".length).replaceAll(/\{\w+\}/g, "maker");
      for (const token of [off.operator, boss]) expect(await asked(below, token), below).toEqual(never);
    }
    await off.stop();
  });
});
