import { beforeAll, describe, expect, it } from "vitest";
import { matches } from "../../runtime/filter/predicate.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { RuleUser } from "../../runtime/realm/caller.ts";
import { type Memberships, noMemberships } from "../../runtime/realm/memberships.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import type { RuleName } from "../model/model.ts";
import { compileRules } from "./rules.ts";
import { type EmittedRules, emittedRules } from "./testing/emitted.ts";
import { noteFields, noteRealm, ofOrganizations, organizations, ruleSource } from "./testing/realms.ts";

const ada: RuleUser = {
  id: "u1",
  email: "ada@example.com",
  email_verified: true,
  roles: ["editor"],
  locale: null,
  mfa: false,
  created_at: "2026-01-01T00:00:00.000Z",
  profile: { team: "blue", level: 3, vip: true, skills: ["sql", "ts"], address: { city: "Rome" } },
};

interface Case {
  readonly rule: RuleName | "field write";
  readonly text: string;
  readonly user?: RuleUser;
  readonly memberships?: Memberships;
  /** Absent: there is none. */
  readonly document?: JsonObject;
  readonly data?: JsonObject;
  readonly holds: boolean;
}

const cases: { readonly sentence: string; readonly of: Case }[] = [];

/** Registers cases under a sentence of the language's description. */
function says(sentence: string, ...of: readonly Case[]): void {
  cases.push(...of.map((one) => ({ sentence, of: one })));
}

const read = (text: string, document: JsonObject, holds: boolean, user?: RuleUser): Case => ({
  rule: "read",
  text,
  document,
  holds,
  ...(user === undefined ? {} : { user }),
});
const update = (text: string, document: JsonObject, data: JsonObject, holds: boolean): Case => ({
  rule: "update",
  text,
  document,
  data,
  holds,
  user: ada,
});

says(
  "`==` and `===` are the same, and so are their negations",
  read("document.title === 'a'", { title: "a" }, true),
  read("document.title == 'a'", { title: "a" }, true),
  read("document.title !== 'a'", { title: "a" }, false),
  read("document.title != 'a'", { title: "b" }, true),
);
says(
  "null and missing are the same, absent",
  read("document.title == null", {}, true),
  read("document.title == null", { title: null }, true),
  read("document.title != null", { title: "" }, true),
  read("null == document.title", {}, true),
  read("document.address.city == null", { address: null }, true),
  read("document.address == null", { address: {} }, false),
  read("document.tags == null", { tags: [] }, false),
);
says(
  "a comparison with an absent side is false, `!=` is exactly its negation",
  read("document.title == user.locale", { title: null }, false, ada),
  read("document.title != user.locale", { title: null }, true, ada),
  read("document.count < 3", {}, false),
  read("document.count >= 3", { count: null }, false),
  read("!(document.count < 3)", {}, true),
  read("document.public == false", {}, false),
);
says(
  "anonymous callers have every `user.*` absent: an absent caller value matches no document without the field",
  read("document._meta.owner == user.id", { _meta: { owner: null } }, false),
  read("document._meta.owner == user.id", { _meta: {} }, false),
  read("document._meta.owner == user.id", { _meta: { owner: "u1" } }, true, ada),
  read("user.id == null", {}, true),
  read("user == null", {}, true),
  read("user != null", {}, true, ada),
  read("user.profile == null", {}, true),
  read("user.roles.length >= 0", {}, false),
);
says(
  "an absent boolean is false",
  read("document.public", {}, false),
  read("!document.public", {}, true),
  read("document.public", { public: true }, true),
  read("user.mfa || document.public", { public: null }, false),
  read("user.profile.vip", {}, true, ada),
  read("user.profile.vip", {}, false, { ...ada, profile: { vip: "yes" } }),
);
says(
  "every level may be absent, `?.` and `.` are the same",
  read("document.address.city == 'Rome'", {}, false),
  read("document?.address?.city == 'Rome'", { address: { city: "Rome" } }, true),
  read("document.address.city == 'Rome'", { address: "Rome" }, false),
  read("document.address.city == user.profile.address.city", { address: { city: "Rome" } }, true, ada),
);
says(
  "dates compare as dates; a `date` is its midnight, UTC",
  read("document.day == '2026-03-01T01:00:00+01:00'", { day: "2026-03-01" }, true),
  read("document.due_at == '2026-03-01'", { due_at: "2026-03-01T00:00:00.000Z" }, true),
  read("document.due_at < now", { due_at: "2026-03-01T11:59:59.999Z" }, true),
  read("document.day < now", { day: "2026-03-01" }, true),
  read("document.day < now", { day: "2026-03-02" }, false),
  read("document.due_at > ago('12h')", { due_at: "2026-03-01T00:00:00.000Z" }, false),
  read("document.due_at >= ago('12h')", { due_at: "2026-03-01T00:00:00.000Z" }, true),
  read("document.due_at <= ahead('30s')", { due_at: "2026-03-01T12:00:30.000Z" }, true),
  read(
    "document._meta.created_at > user.created_at",
    { _meta: { created_at: "2026-01-02T00:00:00.000Z" } },
    true,
    ada,
  ),
  read("document.days.includes('2026-03-01')", { days: ["2026-03-01"] }, true),
  read("['2026-03-01'].includes(document.due_at)", { due_at: "2026-03-01T00:00:00.000Z" }, true),
  update("document.day == data.due_at", { day: "2026-03-01" }, { due_at: "2026-03-01T00:00:00.000Z" }, true),
);
says(
  "texts order by code point",
  read("document.title < '\u{1f600}'", { title: "\ufb01" }, true),
  read("document.title > 'B'", { title: "a" }, true),
);
says(
  "`.includes` on lists and texts, `.startsWith`, `.endsWith`, `.length`",
  read("document.tags.includes('a')", { tags: ["b", "a"] }, true),
  read("document.tags.includes('a')", { tags: "a" }, true),
  read("document.tags.includes('a')", {}, false),
  read("document.title.includes('ell')", { title: "hello" }, true),
  read("document.title.startsWith('')", { title: "" }, true),
  read("document.title.startsWith('')", {}, false),
  read("document.title.endsWith('o')", { title: "hello" }, true),
  read("user.email.endsWith(document.title)", { title: "@example.com" }, true, ada),
  read("user.email.startsWith(document.title)", { title: "example" }, false, ada),
  read("['a', 'b'].includes(document.title)", { title: "b" }, true),
  read("[].includes(document.title)", { title: "b" }, false),
  read("user.profile.skills.includes(document.title)", { title: "ts" }, true, ada),
  read("appConfig.open_to.includes(document.title)", { title: "b" }, true),
  update("data.tags.length == 2 && data.title.length == 3", {}, { tags: ["a", "b"], title: "abc" }, true),
  update("data.tags.length == 0", {}, {}, false),
  update("document.tags.includes(data.title)", { tags: ["a"] }, { title: "a" }, true),
  update("data.address.length == 7", {}, { address: { length: 7 } }, true),
);
says(
  "`hasRole(role…)` is any of the roles, also one that the document names",
  read("hasRole('admin', 'editor')", {}, true, ada),
  read("hasRole('admin')", {}, false, ada),
  read("hasRole('editor')", {}, false),
  read("hasRole(document.needed_role)", { needed_role: "editor" }, true, ada),
  read("hasRole(document.needed_role)", { needed_role: "admin" }, false, ada),
  read("hasRole(document.needed_role)", {}, false, ada),
);
says(
  "`?:` chooses, of conditions and of values",
  read("user.mfa ? document.public : document.shared", { shared: true }, true, ada),
  read("document.public ? document.title == 'a' : document.title == 'b'", { title: "b" }, true),
  read(
    "(document.public ? document.title : document.address.city) == 'a'",
    { public: true, title: "a" },
    true,
  ),
  read("document.title == (user.mfa ? 'x' : 'y')", { title: "y" }, true, ada),
  read("document.title == (user == null ? null : 'y')", {}, false),
  read("document.public == (document.shared && user != null)", { public: false, shared: false }, true, ada),
  read("document.public == (document.shared && user != null)", { shared: false }, false, ada),
);
says(
  "`appConfig` is what the realm configures",
  read("document.count < appConfig.trial_days", { count: 13 }, true),
  read("document.count == appConfig.limits.max", { count: 3 }, true),
  read("!appConfig.frozen", {}, true),
);
says(
  "a field may be called like a member of every object",
  read("document.constructor == 'a'", { constructor: "a" }, true),
  read("document.constructor == null", {}, true),
  read("document['due-at'] == null", {}, true),
  read("document.place.name == 'x' || document.place == 'y'", { place: "y" }, true),
  read("document.place.name == 'x' || document.place == 'y'", { place: { name: "x" } }, true),
);
says(
  "stored documents of any shape satisfy nothing and break nothing",
  read("document.public", { public: "true" }, false),
  read("document.title == 'a'", { title: ["a"] }, false),
  read("document.title.includes('a')", { title: ["a"] }, false),
  read("document.count < 3", { count: "2" }, false),
  read("document.due_at < now", { due_at: 5 }, false),
  read("document.address.city == 'a'", { address: ["a"] }, false),
  read("document._meta.owner == user.id", {}, false, ada),
);
says(
  "`data` in a create rule, `document` and `data` in an update rule",
  {
    rule: "create",
    text: "user.email_verified && data.count > 3",
    user: ada,
    data: { count: 4 },
    holds: true,
  },
  { rule: "create", text: "user.email_verified && data.count > 3", data: { count: 4 }, holds: false },
  update(
    "document.status != 'closed' && data.status != 'closed'",
    { status: "open" },
    { status: "closed" },
    false,
  ),
);
says(
  "a field's write rule sees `document`, absent on create, and `data`",
  { rule: "field write", text: "document == null", data: {}, holds: true },
  { rule: "field write", text: "document == null", document: { _meta: {} }, data: {}, holds: true },
  { rule: "field write", text: "document == null", document: { id: "d1" }, data: {}, holds: false },
  { rule: "field write", text: "document != null", document: { id: "d1" }, data: {}, holds: true },
  { rule: "field write", text: "document.title == null", data: {}, holds: true },
  { rule: "field write", text: "document.address.city != data.title", data: { title: "a" }, holds: true },
);

/** Ada owns o1, where she leads t1, and is in o2; her role in t2 needs no membership of it. */
const memberships: Memberships = new Map(
  [
    {
      org: "o1",
      roles: new Set(["owner"]),
      teams: new Set(["t1"]),
      teamRoles: new Map([["t1", new Set(["lead"])]]),
      claims: {
        plan: "pro",
        seats: 5,
        beta: true,
        features: ["sso", "audit"],
        until: "2026-04-01T02:00:00+02:00",
        limits: { size: 10 },
        domain: "mail.example.com",
        parent: "o2",
        editors: "owner",
        length: 7,
      },
    },
    {
      org: "o2",
      roles: new Set(["clerk"]),
      teams: new Set<string>(),
      teamRoles: new Map([["t2", new Set(["reviewer"])]]),
      claims: { plan: 3, features: "sso", beta: "yes", seats: 2 },
    },
  ].map((membership) => [membership.org, membership]),
);
const member = (text: string, document: JsonObject, holds: boolean, user = ada): Case => ({
  ...read(text, document, holds, user),
  memberships,
});
const of = (org: string | null, further: JsonObject = {}): JsonObject => ({ ...further, _meta: { org } });
const inTeam = (team: string | null): JsonObject => ({ _meta: { team } });

says(
  "`inOrg(id)`: the caller is a member of the organization",
  member("inOrg(document._meta.org)", of("o1"), true),
  member("inOrg(document._meta.org)", of("o9"), false),
  member("inOrg(document._meta.org)", of(null), false),
  member("inOrg(document._meta.org)", {}, false),
  member("!inOrg(document._meta.org)", {}, true),
  member("inOrg(document.org_id)", { org_id: "o2" }, true),
  member("inOrg(document.org_id)", { org_id: ["o2"] }, false),
  member("inOrg('o1')", {}, true),
  member("inOrg(user.profile.org)", {}, false),
  member("inOrg(user.profile.org)", {}, true, { ...ada, profile: { org: "o2" } }),
  read("inOrg(document._meta.org)", of("o1"), false),
  read("inOrg(document._meta.org)", of("o1"), false, ada),
);
says(
  "`hasOrgRole(id, role…)`: they hold one of the roles there, also one that the document names",
  member("hasOrgRole(document._meta.org, 'owner')", of("o1"), true),
  member("hasOrgRole(document._meta.org, 'owner')", of("o2"), false),
  member("hasOrgRole(document._meta.org, 'owner', 'clerk')", of("o2"), true),
  member("hasOrgRole(document._meta.org, document.needed_role)", of("o2", { needed_role: "clerk" }), true),
  member("hasOrgRole(document._meta.org, document.needed_role)", of("o1", { needed_role: "clerk" }), false),
  member("hasOrgRole(document._meta.org, document.needed_role)", of("o1"), false),
  member("hasOrgRole('o1', document.needed_role)", { needed_role: "owner" }, true),
  member("hasOrgRole('o1', document.needed_role)", { needed_role: "clerk" }, false),
);
says(
  "`inTeam(id)`, `hasTeamRole(id, role…)`: in the team, with a role within it",
  member("inTeam(document._meta.team)", inTeam("t1"), true),
  member("inTeam(document._meta.team)", inTeam("t2"), false),
  member("inTeam(document._meta.team)", inTeam(null), false),
  member("hasTeamRole(document._meta.team, 'lead')", inTeam("t1"), true),
  member("hasTeamRole(document._meta.team, 'lead')", inTeam("t2"), false),
  member("hasTeamRole(document._meta.team, 'lead', 'reviewer')", inTeam("t2"), true),
  member(
    "hasTeamRole(document._meta.team, document.needed_role)",
    { ...inTeam("t2"), needed_role: "reviewer" },
    true,
  ),
  read("inTeam(document._meta.team)", inTeam("t1"), false, ada),
);
says(
  "`orgClaims(id)` is what an organization of the caller claims, or absent",
  member("orgClaims(document._meta.org) != null", of("o2"), true),
  member("orgClaims(document._meta.org) != null", of("o9"), false),
  member("orgClaims(document._meta.org) == null", of(null), true),
  member("orgClaims(document._meta.org).plan == 'pro'", of("o1"), true),
  member("orgClaims(document._meta.org).plan == 'pro'", of("o9"), false),
  member("orgClaims(document._meta.org).plan != 'pro'", of("o9"), true),
  member("orgClaims(document._meta.org).seats > 3", of("o1"), true),
  member("orgClaims(document._meta.org).seats > 3", of("o2"), false),
  member("orgClaims(document._meta.org).beta", of("o1"), true),
  member("orgClaims(document._meta.org).features.includes('sso')", of("o1"), true),
  member("orgClaims(document._meta.org).features.length == 2", of("o1"), true),
  member("orgClaims(document._meta.org).length == 7", of("o1"), true),
  member("orgClaims(document._meta.org).domain.endsWith('.example.com')", of("o1"), true),
  member("orgClaims(document._meta.org).none == null", of("o1"), true),
  member("orgClaims(document._meta.org).limits.size >= document.count", of("o1", { count: 10 }), true),
  member("orgClaims(document._meta.org).limits.size >= document.count", of("o1", { count: 11 }), false),
  member("orgClaims(document._meta.org).limits.size >= document.count", of("o1"), false),
  member("document.tags.includes(orgClaims(document._meta.org).plan)", of("o1", { tags: ["pro"] }), true),
  member("orgClaims('o1').plan == document.title", { title: "pro" }, true),
  member("inOrg(orgClaims(document._meta.org).parent)", of("o1"), true),
  member("orgClaims(orgClaims(document._meta.org).parent).seats == 2", of("o1"), true),
  member("hasOrgRole(document._meta.org, orgClaims(document._meta.org).editors)", of("o1"), true),
  member("(document.public ? orgClaims('o1') : null) != null", { public: true }, true),
  read("orgClaims(document._meta.org).plan == 'pro'", of("o1"), false),
);
says(
  "claims are of the type that they are used as; one of another type is absent",
  member("orgClaims(document._meta.org).plan == '3'", of("o2"), false),
  member("orgClaims(document._meta.org).plan == 3", of("o2"), true),
  member("orgClaims(document._meta.org).beta", of("o2"), false),
  member("orgClaims(document._meta.org).features.includes('sso')", of("o2"), false),
  member("orgClaims(document._meta.org).until > now", of("o1"), true),
  member(
    "orgClaims(document._meta.org).until == document.due_at",
    of("o1", { due_at: "2026-04-01T00:00:00.000Z" }),
    true,
  ),
  member("orgClaims(document._meta.org).plan > now", of("o1"), false),
  member("orgClaims('o1').plan == orgClaims('o2').plan", {}, false),
  member("orgClaims('o1').seats > orgClaims('o2').seats", {}, true),
);

const now = "2026-03-01T12:00:00.000Z";
const collections = cases.map(({ of: { rule, text } }, at) => {
  const source = ruleSource(text, rule);
  const name = `notes${at}`;
  const rules = rule === "field write" ? {} : { [rule]: source };
  const fieldRules = rule === "field write" ? [{ path: "title", span: source.span, write: source }] : [];
  return collectionOf("desk", "db", name, { fields: noteFields, rules, fieldRules, ...ofOrganizations });
});

let modules: readonly EmittedRules[] = [];

beforeAll(async () => {
  const [first] = collections;
  if (first === undefined) return;
  const realm = noteRealm(first, { organizations });
  const stage = compileRules({ ...realm, databases: [{ name: "db", collections }] });
  expect(stage.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  modules = await emittedRules(collections, stage);
});

const { appConfig } = noteRealm(collectionOf("desk", "db", "notes"));

describe("Rule expressions", () => {
  it.each(cases.map((one, at) => ({ ...one, at })))("$sentence: $of.text ($at)", ({ of, at }) => {
    const context = { user: of.user, now, appConfig, memberships: of.memberships ?? noMemberships };
    const { rules, fieldRules } = modules[at] ?? { rules: {} };
    const { document, data = {} } = of;
    switch (of.rule) {
      case "read": {
        const stored = document ?? {};
        expect(rules.read?.check(context, stored) ?? false).toBe(of.holds);
        expect(matches(rules.read?.filter(context) ?? { op: "false" }, stored)).toBe(of.holds);
        if (of.holds) expect(rules.read?.possible?.(context) ?? true).toBe(true);
        return;
      }
      case "field write": {
        const rule:
          | { check?(known: typeof context, stored: JsonObject | undefined, written: JsonObject): boolean }
          | undefined = fieldRules?.[0]?.write;
        expect(rule?.check?.(context, document, data) ?? true).toBe(of.holds);
        return;
      }
      default: {
        const rule = of.rule === "create" ? rules.create : rules.update;
        expect(rule?.check(context, document ?? {}, data) ?? false).toBe(of.holds);
        if (of.holds) expect(rule?.possible?.(context) ?? true).toBe(true);
      }
    }
  });
});
