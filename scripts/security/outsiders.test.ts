/**
 * Who is no member learns nothing of an organization: whatever they ask about one that is there, or about what is in it,
 * is answered, byte for byte, as if there were none.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { isFull } from "../../runtime/testing/random.ts";
import { Description, type Operation } from "../conformance/description.ts";
import { compileTenants } from "../organizations/model/tenants.ts";
import { opened } from "../realtime/wire/opened.ts";
import type { Block } from "../realtime/wire/requests.ts";
import type { Ask } from "./outsiders/ask.ts";
import { asksOf, methodsOf, titleOf } from "./outsiders/asks.ts";
import { following, streams } from "./outsiders/streams.ts";
import {
  type Caller,
  type Names,
  nobody,
  owned,
  startTown,
  type Town,
  told,
  unlike,
} from "./outsiders/town.ts";

/** The engines differ in nothing that is told here: there a few ask. */
const isShared = process.env["REALMC_TEST_STORE"] === "mongodb";
const tenants = await compileTenants();
const { operations } = Description.of(tenants);

let town: Town;
/** Of the person whom the others ask about. */
let acme: Names;
/** Requires a second factor; that person is a member too, and has used none. */
let vault: Names;
/** Of a stranger. */
let own: Names;
/** Deleted; another person's. */
let gone: Names;
let member: Caller;
let loner: Caller;
let stranger: Caller;
let bereaved: Caller;
let robot: Caller;
let outsiders: readonly Caller[];

beforeAll(async () => {
  town = await startTown(tenants);
  member = await town.person("the-member");
  loner = await town.person("the-loner");
  stranger = await town.person("the-stranger");
  bereaved = await town.person("the-bereaved");
  robot = await town.key("a key for all data");
  const guard = await town.person("the-guard", { factor: "used" });
  acme = await town.found(member, "Acme");
  vault = await town.found(guard, "Vault");
  own = await town.found(stranger, "Own");
  gone = await town.found(bereaved, "Gone");
  await town.administer("PUT", `${vault.org}/members/the-member`, { roles: ["owner"] });
  await town.well(await town.proved(guard), "PATCH", `/_orgs/${vault.org}`, { require_mfa: true });
  await town.administer("DELETE", gone.org);
  outsiders = isShared
    ? [loner, town.acting("the-stranger"), town.service(own)]
    : [
        loner,
        stranger,
        town.acting("the-loner"),
        town.acting("the-stranger"),
        await town.key("a key that may do nothing", { scopes: {} }),
        town.service(own),
        nobody,
      ];
}, 60_000);
afterAll(() => town.stop());

/** The same asked about nothing and about what is there, and about halves of each. */
function variants(names: Names): readonly Names[] {
  const nothing = unlike(names);
  return [nothing, names, { ...nothing, org: names.org }, { ...names, org: nothing.org }];
}

let turn = 0;
/** All of them; in short runs one each time, by turns. */
function some(callers: readonly Caller[]): readonly Caller[] {
  turn += 1;
  return isFull ? callers : callers.filter((_, at) => at === turn % callers.length);
}

function written(method: string, { path, ...sent }: Ask): string {
  return `${method} ${path} ${JSON.stringify(sent)}`;
}

/** Asks an operation all that it can be asked, of each of these names, and expects no difference. */
async function expectAlike(caller: Caller, operation: Operation, of: readonly Names[]): Promise<void> {
  const asks = of.map(asksOf(operation));
  for (const method of methodsOf(operation)) {
    for (const at of asks[0]?.keys() ?? []) {
      const answers = new Map<string, string>();
      for (const which of of.keys()) {
        const ask = asks[which]?.[at];
        if (ask === undefined || answers.has(written(method, ask))) continue;
        const answer = await town.ask(caller, method, ask.path, ask);
        answers.set(written(method, ask), told(answer, ...of));
      }
      const [first] = answers.values();
      const others = [...answers].filter(([, answer]) => answer !== first);
      expect.soft(others, `${caller.name} is told by ${[...answers.keys()][0]} ${first}`).toEqual([]);
    }
  }
}

const each = operations.map((operation) => [titleOf(operation), operation] as const);
const ofDocuments = each.filter(([title]) => title.includes(" /main/") || title === "POST /_realtime");
const ofOrganizations = each.filter(([title]) => title.includes("/_orgs/{org}"));

it("every operation is known by how it names organizations", () => {
  expect(each.length).toBeGreaterThan(150);
  for (const [, operation] of each) asksOf(operation);
});

describe("Organization endpoints 1: who is no member cannot tell an organization from none", () => {
  it.each(each)("%s", async (title, operation) => {
    // Past the door of administration nobody of them comes.
    const callers = title.includes(" /_admin/") && !isShared ? [loner, nobody] : outsiders;
    for (const caller of some(callers)) await expectAlike(caller, operation, variants(acme));
  });

  it("nor, inside of one's own, another's teams, members and invitations from none", async () => {
    const mine = [acme, unlike(acme)].map((names) => ({ ...names, org: own.org }));
    for (const [title, operation] of [...ofOrganizations, ...ofDocuments]) {
      // What names none of them is about one's own alone.
      if (/^\w+ \/_orgs\/\{org\}(?:\/leave)?$/.test(title)) continue;
      await expectAlike(stranger, operation, mine);
    }
  });
});

describe("Organization endpoints 6: without the second factor that it requires a member is told what others are", () => {
  it.each(ofDocuments)("%s", async (_, operation) => {
    for (const caller of some([member, town.acting("the-member")]))
      await expectAlike(caller, operation, variants(vault));
  });

  it("but for its own routes, which ask for the factor", async () => {
    for (const [title, { method }] of ofOrganizations) {
      if (title.endsWith("/leave")) continue;
      const path = title
        .slice(method.length + 1)
        .replace("{org}", vault.org)
        .replace("{team}", vault.team)
        .replace("{user}", vault.user)
        .replace("{id}", vault.invitation);
      expect((await town.ask(member, method, path)).outcome, title).toBe("403 org_requires_mfa");
    }
  });
});

describe("States, Organization: a deleted one is nothing to anybody, those who were in it and API keys included", () => {
  it.each([...ofOrganizations, ...ofDocuments])("%s", async (_, operation) => {
    const others = isShared ? [] : [town.acting("the-bereaved"), loner];
    for (const caller of some([bereaved, robot, ...others])) {
      await expectAlike(caller, operation, variants(gone));
    }
  });
});

describe("Organization: what is asked without naming anything", () => {
  const looks = each.filter(([title]) => title.startsWith("GET ") && !title.includes("{"));

  /** Everything that can be looked at, as somebody finds it. */
  async function everything(caller: Caller): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    for (const [title, { path }] of looks) {
      const below = path.slice("/v1/tenants".length);
      for (const query of [
        "",
        "?limit=1",
        "?count=true",
        "?deleted=include",
        "?expand=page,tasks,task,pages",
      ]) {
        for (const method of ["GET", "HEAD", "OPTIONS"]) {
          const answer = await town.ask(caller, method, below + query);
          const tag = answer.headers.get("etag");
          found[`${method} ${title}${query}`] = told(answer, acme);
          if (tag === null) continue;
          const again = await town.ask(caller, method, below + query, { headers: { "if-none-match": tag } });
          found[`${method} ${title}${query} again`] = told(again, acme);
        }
      }
    }
    return found;
  }

  it("stays as it is when an organization is made and filled, and when it is deleted", {
    timeout: 120_000,
  }, async () => {
    const lookers = outsiders.filter((_, at) => isFull || at % 3 === 0);
    for (const caller of [loner, stranger]) {
      for (const n of [1, 2, 3])
        await town.well(caller, "POST", "/main/wiki", { title: `keeps ${n}`, size: n });
    }
    const before = await Promise.all(lookers.map(everything));
    const founder = await town.person("the-founder");
    const late = await town.found(founder, "Late");
    expect(await Promise.all(lookers.map(everything))).toEqual(before);
    await town.administer("DELETE", late.org);
    expect(await Promise.all(lookers.map(everything))).toEqual(before);
  });
});

describe("Reference expansion 4: documents that point into an organization", () => {
  async function expanded(caller: Caller, names: Names, code: string): Promise<string> {
    const { wiki, tasks, handles } = names.documents;
    const body = { title: "points", page_id: wiki, task_ids: [tasks, handles, tasks], code };
    const { id } = await town.well(caller, "POST", "/main/shelf", body);
    const answers = [
      await town.ask(caller, "GET", `/main/shelf/${id}?expand=page,tasks,badge,page.task`),
      await town.ask(
        caller,
        "GET",
        `/main/shelf?where={"id":"${id}"}&expand=page(title),tasks(id),badge(code)`,
      ),
    ];
    await town.well(caller, "DELETE", `/main/shelf/${id}`);
    return (
      answers
        .map((answer) => told(answer, names).replaceAll(String(id), "ID").replaceAll(code, "CODE"))
        .join("\n")
        // Of a list it is made of the ids in it.
        .replace(/W\/\\"[^"]*"/, "")
    );
  }

  it("are expanded as those that point to nothing, counters included", async () => {
    for (const caller of [loner, stranger, town.acting("the-loner")]) {
      const nothing = await expanded(caller, unlike(acme), "none");
      expect(nothing).toContain('"page":null');
      expect(await expanded(caller, acme, "acme")).toBe(nothing);
      expect(await expanded(caller, gone, "gone")).toBe(nothing);
    }
    expect(await expanded(member, acme, "acme")).toContain("keeps this");
  });

  it("from one organization into another, also for a member of both", async () => {
    const both = await town.person("the-amphibian");
    for (const { org } of [acme, own])
      await town.administer("PUT", `${org}/members/the-amphibian`, { roles: [] });
    const pointing = async (to: string): Promise<JsonObject> => {
      const body = { title: "points", task_id: to, page_ids: [to] };
      const { id } = await town.well(both, "POST", `/main/wiki?org=${acme.org}`, body);
      const answer = await town.ask(both, "GET", `/main/wiki/${id}?expand=task,pages`);
      const counted = ["x-svc-expand-docs", "x-svc-expand-queries"].map((name) => answer.headers.get(name));
      return { counted, expanded: answer.body["_expanded"] ?? null };
    };
    const nothing = await pointing(unlike(own).documents.tasks);
    expect(nothing["expanded"]).toEqual({ task: null, pages: [null] });
    expect(await pointing(own.documents.tasks)).toEqual(nothing);
    expect((await pointing(acme.documents.tasks))["expanded"]).toMatchObject({
      task: { id: acme.documents.tasks },
    });
  });
});

describe("Realtime stream: who is no member", () => {
  it("gets a stream, as of nothing", async () => {
    const [whole] = streams(acme);
    const answer = await town.ask(loner, "POST", "/_realtime", whole);
    expect([answer.outcome, answer.text]).toEqual(["200", expect.stringContaining("event: ready")]);
  });

  it("is told nothing by it of what members write, and of the end of an organization", async () => {
    const founder = await town.person("the-late-founder");
    const late = await town.found(founder, "Followed");
    const subscriptions = following({}, { doc: late.documents.wiki }, { where: { "_meta.org": late.org } });
    const listeners = await Promise.all(
      [loner, stranger, town.acting("the-loner")].map(async (caller) => {
        const request = { headers: caller.headers, body: subscriptions };
        const stream = await opened(`${town.url}/v1/tenants/_realtime`, request);
        if ("status" in stream) throw new Error(`no stream: ${stream.status} ${stream.code}`);
        return { caller, stream };
      }),
    );
    await town.well(founder, "PATCH", `/main/wiki/${late.documents.wiki}`, { title: "changes" });
    await town.well(founder, "POST", `/main/wiki?org=${late.org}`, { title: "comes" });
    await town.well(founder, "DELETE", `/main/wiki/${late.documents.wiki}`);
    await town.well(founder, "POST", `/main/wiki/${late.documents.wiki}/restore`);
    await town.administer("DELETE", late.org);
    for (const { caller, stream } of listeners) {
      const own = await town.well(caller, "POST", "/main/wiki", { title: "mine" });
      const isOwn = ({ data }: Block) => isJsonObject(data["doc"]) && data["doc"]["id"] === own["id"];
      await stream.first(isOwn);
      // Two are the same user's.
      const others = stream.blocks.filter(({ data }) => !JSON.stringify(data).includes("mine"));
      expect(others.map(({ event }) => event).filter((event) => event !== "")).toEqual(["ready"]);
      stream.cut();
    }
  });
});

describe("Organization: what members leave behind", () => {
  it("an idempotency key of theirs is anybody's to use", async () => {
    const headers = { "idempotency-key": "of-a-member" };
    const body = { title: "once" };
    const first = await town.ask(member, "POST", `/main/tasks?org=${acme.org}`, { body, headers });
    expect(first.status).toBe(201);
    for (const [key, org] of [
      ["of-a-member", acme.org],
      ["of-a-member", own.org],
      ["of-nobody", own.org],
    ] as const) {
      const answer = await town.ask(loner, "POST", `/main/tasks?org=${org}`, {
        body,
        headers: { "idempotency-key": key },
      });
      expect(answer.outcome).toBe("403 not_org_member");
      expect(answer.headers.get("idempotent-replayed")).toBe(null);
    }
  });

  it("a cursor of theirs leads on in one's own list, wherever it comes from", async () => {
    for (const n of [1, 2]) await town.well(member, "POST", `/main/wiki?org=${acme.org}`, { title: `${n}` });
    for (const order of ["_meta.created_at,id", "title", "id", "-_meta.updated_at"]) {
      const page = await town.ask(member, "GET", `/main/wiki?limit=1&order_by=${order}`);
      const cursor = String(page.body["next_cursor"]);
      const [item] = Array.isArray(page.body["items"]) ? page.body["items"] : [];
      const id = isJsonObject(item) ? String(item["id"]) : "";
      const next = () =>
        town.ask(loner, "GET", `/main/wiki?order_by=${order}&after=${encodeURIComponent(cursor)}`);
      const before = told(await next(), acme);
      expect(before).not.toContain("keeps this");
      await town.well(member, "DELETE", `/main/wiki/${id}`);
      expect(told(await next(), acme)).toBe(before);
      await town.well(member, "POST", `/main/wiki/${id}/restore`);
    }
  });

  it("a link to a file leads there without a credential, and with the organization's end as nowhere", async () => {
    const founder = await town.person("the-linker");
    const late = await town.found(founder, "Linked");
    const { scan } = await town.well(founder, "GET", `/main/tasks/${late.documents.tasks}?file_links=true`);
    const [file] = Array.isArray(scan) ? scan : [];
    const link = isJsonObject(file) ? String(file["url"]).slice("/v1/tenants".length) : "";
    expect((await town.ask(nobody, "GET", link)).body).toEqual({ kept: "Linked" });
    await town.administer("DELETE", late.org);
    expect((await town.ask(nobody, "GET", link)).outcome).toBe("404 not_found");
    expect((await town.ask(founder, "GET", link)).outcome).toBe("404 not_found");
  });

  it("a token of an invitation tells whom it is not for that it is good, and nothing else", async () => {
    const body = { user: "the-member", roles: ["guest"] };
    const made = await town.well(member, "POST", `/_orgs/${acme.org}/invitations`, body);
    const tokens = async (caller: Caller, token: string) =>
      Promise.all(
        ["preview", "accept", "signup"].map(async (what) => {
          const account = what === "signup" ? { password: "correct horse" } : {};
          const path = `/_orgs/invitations/${what}`;
          const answer = await town.ask(caller, "POST", path, { body: { token, ...account } });
          return told(answer, acme);
        }),
      );
    const good = await tokens(loner, String(made["token"]));
    for (const answer of good) expect(answer).toMatch(/^403 .*"invitation_not_for_you"/);
    for (const answer of good) for (const name of ["ID", "Acme", "acme"]) expect(answer).not.toContain(name);
    const unknown = await tokens(loner, `svi_${"a".repeat(43)}`);
    for (const answer of unknown) expect(answer).toMatch(/^400 .*"invalid_invitation"/);
    await town.well(member, "DELETE", `/_orgs/${acme.org}/invitations/${made["id"]}`);
    expect(await tokens(loner, String(made["token"]))).toEqual(unknown);
  });

  it("methods that are not there are refused before anything is looked at", async () => {
    for (const path of ["", "/members", "/members/the-member", "/teams", "/leave", "/invitations"]) {
      for (const method of ["GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"]) {
        const known = ofOrganizations.some(
          ([title]) => title === `${method} /_orgs/{org}${path.replace("the-member", "{user}")}`,
        );
        if (known) continue;
        for (const caller of [loner, nobody]) {
          const [there, nothing] = [acme, unlike(acme)].map(async (names) => {
            const answer = await town.ask(caller, method, `/_orgs/${names.org}${path}`);
            return `${told(answer, names)} ${answer.headers.get("allow")}`;
          });
          expect(await there).toBe(await nothing);
        }
      }
    }
  });
});

/** What the issue excepts: each would tell, so none is excepted for nothing. */
describe("Organization: what is unique in the whole realm tells that it is taken", () => {
  const conflicts = async (method: string, path: string, body: JsonObject) =>
    (await town.ask(loner, method, path, { body })).outcome;

  it("slugs", async () => {
    const creator = await town.person("the-creator");
    const made = (body: JsonObject) => town.ask(creator, "POST", "/_orgs", { body });
    expect((await made({ name: "Mine", slug: "acme" })).outcome).toBe("409 slug_taken");
    expect((await made({ name: "Acme" })).body["slug"]).toBe("acme-2");
    // Of what is deleted nothing is taken.
    expect((await made({ name: "Mine", slug: "gone" })).outcome).toBe("201");
  });

  it("custom ids", async () => {
    const body = (id: string) => ({ id, title: "mine" });
    expect(await conflicts("POST", "/main/handles", body(acme.documents.handles))).toBe("409 id_taken");
    expect(await conflicts("POST", "/main/handles", body(unlike(acme).documents.handles))).toBe("201");
  });

  it("unique indexes without _meta.org", async () => {
    const body = (code: string) => ({ id: `of-${code}`, title: "mine", code });
    expect(await conflicts("POST", "/main/handles", body("acme"))).toBe("409 conflict");
    expect(await conflicts("POST", "/main/handles", body("free"))).toBe("201");
  });

  it("and nothing else: unique indexes with _meta.org tell nothing", async () => {
    const body = { title: "mine", slug: "acme" };
    expect((await town.ask(stranger, "POST", `/main/wiki?org=${own.org}`, { body })).outcome).toBe("201");
    expect((await town.ask(loner, "POST", "/main/wiki", { body })).outcome).toBe("201");
    expect(owned).toContain("wiki");
  });
});
