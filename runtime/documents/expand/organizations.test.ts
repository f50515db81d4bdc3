import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../auth/testing/accounts.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { startTenants, type Tenants } from "../testing/organizations.ts";

let shop: Tenants;
/** Tickets of acme and bolt, and notes of acme, of bolt and of nobody. */
let acme: string;
let bolt: string;
let acmeNote: string;
let boltNote: string;
let freeNote: string;
const missing = "0".repeat(20);
beforeAll(async () => {
  shop = await startTenants();
  acme = await shop.made(`tickets?org=${shop.acme.id}`);
  bolt = await shop.made(`tickets?org=${shop.bolt.id}`);
  boltNote = await shop.made(`notes?org=${shop.bolt.id}`);
  acmeNote = await shop.made(`notes?org=${shop.acme.id}`);
  freeNote = await shop.made("notes");
});
afterAll(() => shop.stop());

/** Of both organizations, and an API key, and administrators. */
const callers = (): readonly (Person | string)[] => [shop.bob, shop.robot];

async function expanded(who: Person | string, path: string) {
  const answer = await shop.as(who)("GET", path);
  expect(answer.status).toBe(200);
  const { headers, body } = answer;
  const costs = [headers.get("x-svc-expand-queries"), headers.get("x-svc-expand-docs")];
  return { expanded: body["_expanded"], body, costs };
}

describe("within one organization", () => {
  test("Reference expansion 4: a document of another organization is null, for members of both and for keys", async () => {
    const own = await shop.made(`tickets?org=${shop.acme.id}`, { owner: acme, lang: acmeNote });
    const others = await shop.made(`tickets?org=${shop.acme.id}`, { owner: bolt, lang: boltNote });
    for (const who of callers()) {
      expect((await expanded(who, `tickets/${own}?expand=parent(title),note(title)`)).expanded).toEqual({
        parent: { id: acme, title: "a" },
        note: { id: acmeNote, title: "a" },
      });
      expect((await expanded(who, `tickets/${others}?expand=parent,note`)).expanded).toEqual({
        parent: null,
        note: null,
      });
      expect((await shop.as(who)("GET", `tickets/${bolt}`)).status).toBe(200);
    }
    const seen = await shop.data("GET", `tickets/${others}?expand=parent,note`);
    expect(seen.body["_expanded"]).toEqual({ parent: null, note: null });
  });

  test("Reference expansion 4: what belongs to no organization leads, and is led to, from everywhere", async () => {
    const ticket = await shop.made(`tickets?org=${shop.acme.id}`, { lang: freeNote });
    const note = await shop.made("notes", { owner: bolt, lang: acmeNote });
    const page = await shop.made("pages", { owner: acme, lang: boltNote });
    for (const who of callers()) {
      expect((await expanded(who, `tickets/${ticket}?expand=note(title)`)).expanded).toEqual({
        note: { id: freeNote, title: "a" },
      });
      expect((await expanded(who, `notes/${note}?expand=ticket(title),next(title)`)).expanded).toEqual({
        ticket: { id: bolt, title: "a" },
        next: { id: acmeNote, title: "a" },
      });
      expect((await expanded(who, `pages/${page}?expand=ticket(title),note(title)`)).expanded).toEqual({
        ticket: { id: acme, title: "a" },
        note: { id: boltNote, title: "a" },
      });
    }
  });

  test("Reference expansion 4: one among many keeps its place as null", async () => {
    const tags = [bolt, acme, missing, acme];
    const id = await shop.made(`tickets?org=${shop.acme.id}`, { tags });
    for (const who of callers()) {
      const { expanded: shown, costs } = await expanded(who, `tickets/${id}?expand=related(title)`);
      const own = { id: acme, title: "a" };
      expect(shown).toEqual({ related: [null, own, null, own] });
      expect(costs).toEqual(["1", "2"]);
    }
  });

  test("Reference expansion 3: the second level is kept within the organization of the first", async () => {
    const middle = await shop.made(`tickets?org=${shop.acme.id}`, { owner: bolt, lang: acmeNote });
    const top = await shop.made(`tickets?org=${shop.acme.id}`, { owner: middle });
    const note = await shop.made(`notes?org=${shop.acme.id}`, { owner: middle });
    for (const who of callers()) {
      const path = "expand=parent.parent,parent.note(title),parent(title)";
      expect((await expanded(who, `tickets/${top}?${path}`)).expanded).toEqual({
        parent: { id: middle, title: "a", _expanded: { parent: null, note: { id: acmeNote, title: "a" } } },
      });
      expect((await expanded(who, `notes/${note}?expand=ticket(title),ticket.parent`)).expanded).toEqual({
        ticket: { id: middle, title: "a", _expanded: { parent: null } },
      });
    }
  });
});

test("Reference expansion 6: another organization's document is not told from none, in answers and counters", async () => {
  const nextTo = async (id: string) => {
    const ticket = await shop.made(`tickets?org=${shop.acme.id}`, {
      owner: id,
      lang: id,
      tags: [id, acme, id],
    });
    const mixed = await shop.made(`notes?org=${shop.acme.id}`, { lang: ticket, owner: ticket });
    const answers: unknown[] = [];
    for (const who of [shop.bob, shop.ann, shop.robot]) {
      for (const path of [
        `tickets/${ticket}?expand=parent.parent,parent.note,note.ticket,related.parent,related(title)`,
        `notes/${mixed}?expand=ticket.parent,ticket(title),next`,
      ]) {
        const { expanded: shown, costs } = await expanded(who, path);
        answers.push([shown, costs]);
      }
    }
    return JSON.stringify(answers).replaceAll(ticket, "ticket").replaceAll(mixed, "mixed");
  };
  const nothing = await nextTo(missing);
  for (const id of [bolt, boltNote]) expect(await nextTo(id)).toBe(nothing);
});

test("Reference expansion 4: each document of a list is expanded within its own organization", async () => {
  const sources: readonly (readonly [query: string, body: JsonObject])[] = [
    [`org=${shop.acme.id}`, { lang: acmeNote }],
    [`org=${shop.acme.id}`, { lang: boltNote }],
    [`org=${shop.bolt.id}`, { lang: acmeNote }],
    [`org=${shop.bolt.id}`, { lang: boltNote }],
    [`org=${shop.bolt.id}`, { lang: freeNote }],
    ["", { lang: boltNote }],
    ["", { lang: acmeNote, owner: bolt }],
  ];
  for (const [query, body] of sources) await shop.made(`notes?${query}`, { title: "list", ...body });
  const where = encodeURIComponent(JSON.stringify({ title: "list" }));
  for (const who of callers()) {
    const { body, costs } = await expanded(who, `notes?where=${where}&expand=next(title),ticket(title)`);
    const items = Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
    const shown = items.map(({ _expanded: found }) => (isJsonObject(found) ? found["next"] : undefined));
    const note = (id: string) => ({ id, title: "a" });
    expect(shown).toEqual([
      note(acmeNote),
      null,
      null,
      note(boltNote),
      note(freeNote),
      note(boltNote),
      note(acmeNote),
    ]);
    expect(costs).toEqual(["2", "6"]);
  }
});

test("Limits: documents of other organizations take no room among those that are expanded", async () => {
  // More references to others than an answer may hold, beside one to the organization's own.
  const crowd = 30;
  const others: string[] = [];
  for (let at = 0; at < crowd; at += 1) others.push(await shop.made(`tickets?org=${shop.bolt.id}`));
  const mine = await shop.made(`tickets?org=${shop.acme.id}`, { tags: [...others, acme] });
  const theirs = await shop.made(`tickets?org=${shop.bolt.id}`, { tags: [acme] });
  const where = encodeURIComponent(JSON.stringify({ id: { $in: [mine, theirs] } }));
  const { body, costs } = await expanded(shop.bob, `tickets?where=${where}&expand=related(title)`);
  const items = Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
  expect(items.map(({ _expanded: found }) => found)).toEqual([
    { related: [...others.map(() => null), { id: acme, title: "a" }] },
    { related: [null] },
  ]);
  expect(costs).toEqual(["1", "1"]);
});
