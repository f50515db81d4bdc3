/** A domain so small that all of its callers and documents can be tried, and random rules about them. */
import fc from "fast-check";
import { declaredField } from "../../../templates/testing/models.ts";
import type { World } from "../../rules/form/evaluate.ts";

export const smallFields = [
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

export const smallRule = (depth: number): fc.Arbitrary<string> => {
  if (depth === 0) return leaf;
  const inner = smallRule(depth - 1);
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(${a}) && (${b})`) },
    { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(${a}) || (${b})`) },
    { weight: 1, arbitrary: inner.map((a) => `!(${a})`) },
    { weight: 1, arbitrary: fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`) },
  );
};

/** All of them: 19 callers, and documents with and without each value. */
export const smallWorlds = ((): readonly World[] => {
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
