/**
 * Every claim of the analyser, "always", "never" and "implies", against all callers and documents of a small domain: nothing
 * that it says is proved has an exception in it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../runtime/testing/random.ts";
import { collectionOf, declaredField } from "../../templates/testing/models.ts";
import { outcomeOf } from "../check/clauses/clauses.ts";
import { holds, type World } from "../rules/form/evaluate.ts";
import type { Condition } from "../rules/form/form.ts";
import { compileRules } from "../rules/rules.ts";
import { noteRealm, organizations, ruleSource } from "../rules/testing/realms.ts";
import { relationOf } from "./relation.ts";

const fields = [
  declaredField("status", { values: ["closed", "open"] }),
  declaredField("count", { kinds: ["integer"] }),
  declaredField("public", { kinds: ["boolean"] }),
  declaredField("assignee"),
];

/** Comparisons that have much to do with each other. */
const leaf = fc.constantFrom(
  "document.public",
  "document.public == false",
  "document.public == null",
  "document.status == 'open'",
  "document.status == 'closed'",
  "document.status == null",
  "['open', 'closed'].includes(document.status)",
  "document.status.startsWith('o')",
  "document.count < 1",
  "document.count < 2",
  "document.count >= 2",
  "document.count == 1",
  "document.count == null",
  "user == null",
  "document._meta.owner == user.id",
  "document.assignee == user.id",
  "document.assignee == document._meta.owner",
  "hasRole('admin')",
  "hasRole('admin', 'editor')",
  "inOrg(document._meta.org)",
  "hasOrgRole(document._meta.org, 'clerk')",
  "inTeam(document._meta.team)",
  "hasTeamRole(document._meta.team, 'lead')",
  "orgClaims(document._meta.org).beta",
  "orgClaims(document._meta.org) == null",
);

const rule = (depth: number): fc.Arbitrary<string> => {
  if (depth === 0) return leaf;
  const inner = rule(depth - 1);
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(${a}) && (${b})`) },
    { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(${a}) || (${b})`) },
    { weight: 1, arbitrary: inner.map((a) => `!(${a})`) },
    { weight: 1, arbitrary: fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`) },
  );
};

/** All of them: 16 callers, and documents with and without each value. */
const worlds = ((): readonly World[] => {
  const now = "2026-01-01T00:00:00.000Z";
  const somebody = {
    email: "a@b.c",
    email_verified: true,
    locale: null,
    mfa: false,
    created_at: now,
    profile: null,
  };
  const member = (
    roles: readonly string[],
    teams: readonly string[],
    held: readonly string[],
    beta?: boolean,
  ) =>
    new Map([
      [
        "o1",
        {
          org: "o1",
          roles: new Set(roles),
          teams: new Set(teams),
          teamRoles: new Map([["t1", new Set(held)]]),
          claims: beta === undefined ? {} : { beta },
        },
      ],
    ]);
  const places = [
    new Map(),
    member([], [], []),
    member(["clerk"], [], [], true),
    member([], ["t1"], [], false),
    member([], ["t1"], ["lead"]),
  ];
  const users = ["u1"].flatMap((id) =>
    [[], ["admin"], ["editor"]].flatMap((roles) =>
      places.map((memberships) => ({ user: { ...somebody, id, roles }, memberships })),
    ),
  );
  const callers = [{ user: undefined, memberships: new Map() }, ...users];
  const optional = <T>(name: string, values: readonly T[]) => [
    {},
    ...values.map((value) => ({ [name]: value })),
  ];
  const metas = optional("owner", ["u1", "u2"]).flatMap((owner) =>
    [{}, { org: "o1" }, { org: "o2", team: "t1" }, { org: "o1", team: "t1" }].map((place) => ({
      _meta: { ...owner, ...place },
    })),
  );
  const documents = metas.flatMap((meta) =>
    optional("status", ["open", "closed"]).flatMap((status) =>
      optional("count", [0, 1, 2]).flatMap((count) =>
        optional("public", [true, false]).flatMap((isPublic) =>
          optional("assignee", ["u1", "u2"]).map((assignee) => ({
            id: "d1",
            ...meta,
            ...status,
            ...count,
            ...isPublic,
            ...assignee,
          })),
        ),
      ),
    ),
  );
  return callers.flatMap(({ user, memberships }) =>
    documents.map((document) => ({
      context: { user, now, appConfig: {}, memberships },
      document,
      data: undefined,
    })),
  );
})();

function conditions(): readonly Condition[] {
  const texts = fc.sample(rule(2), { seed: 41, numRuns: runs(300) });
  const collections = texts.map((text, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      organization: { required: false, teams: "optional", onDelete: "keep" },
      fields,
      rules: { delete: ruleSource(text, "delete", at + 1) },
    }),
  );
  const [first] = collections;
  if (first === undefined) return [];
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  const { collections: compiled } = compileRules(realm);
  return [...compiled.values()].flatMap(({ rules }) => rules.delete?.form.condition ?? []);
}

test("what is said to be always, never or implied has no exception in a small domain", () => {
  const all = conditions();
  expect(all.length).toBeGreaterThan(runs(300) / 2);
  const outcomes = all.map((condition) => worlds.map((world) => holds(condition, world)));
  const found = { constant: 0, implied: 0, related: 0 };
  for (const [at, condition] of all.entries()) {
    const own = outcomes[at] ?? [];
    const claimed = outcomeOf(condition);
    if (claimed !== undefined) {
      found.constant++;
      expect(own.every((outcome) => outcome === claimed)).toBe(true);
    }
    for (const [beside, other] of all.entries()) {
      if (beside <= at || beside > at + 8) continue;
      const others = outcomes[beside] ?? [];
      const { forward, backward } = relationOf(condition, other);
      found.related++;
      found.implied += Number(forward) + Number(backward);
      if (forward) expect(own.some((outcome, world) => outcome && others[world] === false)).toBe(false);
      if (backward) expect(others.some((outcome, world) => outcome && own[world] === false)).toBe(false);
    }
  }
  expect(found.related).toBeGreaterThan(runs(300));
  expect(found.implied).toBeGreaterThan(found.related / 50);
}, 600_000);
