import { expect, test } from "vitest";
import { realmOf, someAccounts } from "../http/testing/server.ts";
import type { Caller, KeyCaller, UserCaller } from "../realm/caller.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import { type Memberships, noMemberships } from "../realm/memberships.ts";
import { clientEntrance, type Entrance } from "./entrance.ts";
import { inbox, notes, pages, projects, tickets } from "./testing/organizations.ts";
import { collection, fields } from "./testing/shop.ts";

const leading = (name: string, target: string) =>
  collection(name, {
    references: {
      next: { database: "main", collection: target, field: fields.owner, key: "id", many: false },
    },
  });
const lone = collection("lone");
const one = leading("one", "two");
const two = leading("two", "three");
const three = leading("three", "projects");
const all = [tickets, notes, projects, pages, inbox, lone, one, two, three];

const memberships: Memberships = new Map();
const withheld: ReadonlySet<string> = new Set(["gone"]);
const ann: UserCaller = {
  kind: "user",
  actor: "user:ann",
  user: {
    id: "ann",
    email: "ann@example.com",
    email_verified: true,
    roles: [],
    locale: null,
    mfa: false,
    created_at: "2026-01-01T00:00:00.000Z",
    profile: null,
  },
  credential: {
    kind: "session",
    id: "s",
    hash: "h",
    expires: 0,
    cookie: false,
    administration: undefined,
    lapsed: false,
  },
};
const robot: KeyCaller = {
  kind: "key",
  actor: "key:robot",
  keyId: "k",
  scopes: undefined,
  administration: undefined,
  delegates: false,
  expires: Number.POSITIVE_INFINITY,
};
const exchange: Exchange = {
  method: "GET",
  params: {},
  search: "",
  headers: {},
  receive: () => Promise.reject(new Error("a read has no body")),
  requestId: "r",
  address: "127.0.0.1",
  abandoned: false,
  reserve: () => undefined,
};

/** The way to some collections, and what it asks of organizations. */
function opened(collections: readonly CollectionDefinition[], caller: Caller, later = false) {
  const asked: string[] = [];
  const answering = <T>(what: string, value: T) => {
    asked.push(what);
    return later ? Promise.resolve(value) : value;
  };
  const { instance } = realmOf({}, { accounts: someAccounts, collections: all });
  const realm: RealmInstance = {
    ...instance,
    authenticate: () => caller,
    organizations: {
      marks: () => undefined,
      membershipsOf: () => answering("memberships", memberships),
      withheld: () => answering("withheld", withheld),
      accountChange: async () => async () => undefined,
      addService: async () => undefined,
      endService: async () => undefined,
    },
  };
  return { entrance: clientEntrance(realm, collections), asked };
}

const both = ["memberships", "withheld"];

test.each<[string, CollectionDefinition, Record<"reads" | "expands" | "writes", readonly string[]>]>([
  ["without organizations nothing", lone, { reads: [], expands: [], writes: [] }],
  ["whose rules ask for memberships both, once", tickets, { reads: both, expands: [], writes: both }],
  [
    "whose references lead to rules that do, these only to expand",
    notes,
    { reads: ["withheld"], expands: ["memberships"], writes: both },
  ],
  [
    "from which references lead to organizations both, only to expand",
    pages,
    { reads: [], expands: both, writes: [] },
  ],
  ["from which they lead there in two levels the same", two, { reads: [], expands: both, writes: [] }],
  ["from which they lead there in three levels nothing", one, { reads: [], expands: [], writes: [] }],
])("a collection %s", async (_, definition, { reads, expands, writes }) => {
  const reading = opened([definition], ann);
  const access = reading.entrance.reader(exchange);
  expect([reading.asked.toSorted(), access instanceof Promise]).toEqual([reads, false]);
  reading.asked.length = 0;
  const further = await reading.entrance.further(await access);
  expect(reading.asked.toSorted()).toEqual(expands);
  expect([further.context?.memberships ?? noMemberships, further.withheld]).toEqual([
    [...reads, ...expands].includes("memberships") ? memberships : noMemberships,
    [...reads, ...expands].includes("withheld") ? withheld : undefined,
  ]);
  expect(further.context?.now).toBe((await access).context?.now);
  const writing = opened([definition], ann);
  writing.entrance.writer(exchange);
  expect(writing.asked.toSorted()).toEqual(writes);
});

test("API keys and anonymous callers are asked for no memberships to expand", async () => {
  for (const caller of [robot, { kind: "anonymous", actor: "anonymous" } as const]) {
    const { entrance, asked } = opened([pages], caller);
    const { context, withheld: kept } = await entrance.further(await entrance.reader(exchange));
    expect([asked, kept, context?.memberships ?? noMemberships]).toEqual([
      ["withheld"],
      withheld,
      noMemberships,
    ]);
  }
});

test("a collection with organizations whose rules do not ask for memberships needs none to be read", () => {
  const { references: _, ...alone } = notes;
  const { entrance, asked } = opened([alone], ann);
  entrance.reader(exchange);
  expect(asked).toEqual(["withheld"]);
});

test("a batch asks for what any of its collections needs", () => {
  const { entrance, asked } = opened([lone, inbox], ann);
  entrance.writer(exchange);
  expect(asked.toSorted()).toEqual(["memberships", "withheld"]);
});

test("what is asked stands in the access, whether it is there at once or later", async () => {
  for (const later of [false, true]) {
    const { entrance } = opened([tickets], ann, later);
    const access = entrance.reader(exchange);
    expect(access instanceof Promise).toBe(later);
    const { context, withheld: kept } = await access;
    expect([context?.memberships, kept]).toEqual([memberships, withheld]);
  }
});

test("API keys and anonymous callers have no memberships, and withheld documents", async () => {
  for (const later of [false, true]) {
    for (const caller of [robot, { kind: "anonymous", actor: "anonymous" } as const]) {
      const { entrance, asked } = opened([tickets], caller, later);
      const access = await entrance.reader(exchange);
      expect([asked, access.withheld]).toEqual([["withheld"], withheld]);
      expect(access.context?.memberships ?? noMemberships).toBe(noMemberships);
      expect(placeOf(entrance, access)).toEqual({ org: "acme", team: undefined, teams: undefined });
    }
  }
  // What one way keeps of a key is not what another one may do with it.
  const { entrance } = opened([lone], robot);
  expect((await entrance.reader(exchange)).withheld).toBeUndefined();
});

function placeOf(entrance: Entrance, access: Parameters<Entrance["place"]>[0]) {
  return entrance.place(access, { org: "acme", team: undefined });
}

test("a failure to ask fails the request", async () => {
  const { instance } = realmOf({}, { accounts: someAccounts, collections: all });
  const failing = () => Promise.reject(new Error("unreachable"));
  const organizations = {
    marks: () => undefined,
    membershipsOf: failing,
    withheld: failing,
    accountChange: failing,
    addService: failing,
    endService: failing,
  };
  const way = (definition: CollectionDefinition) =>
    clientEntrance({ ...instance, authenticate: () => ann, organizations }, [definition]);
  await expect(Promise.resolve(way(tickets).reader(exchange))).rejects.toThrow("unreachable");
  const expanding = way(pages);
  const access = await expanding.reader(exchange);
  await expect(Promise.resolve(expanding.further(access))).rejects.toThrow("unreachable");
});
