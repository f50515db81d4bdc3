/** Callers of a file of rule tests: who they are to the rules, and what in them is of no realm. */

import { missingAmong, readScopes } from "../../runtime/auth/scopes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { KeyScopes } from "../../runtime/realm/caller.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { flag, objectOf, text, texts } from "../model/given.ts";
import {
  type Circumstances,
  contextOf,
  type GivenOrganization,
  type GivenTeamRole,
  type GivenUser,
} from "../plans/callers.ts";
import type { Path } from "../source/source.ts";
import type { TestReading } from "./reading.ts";
import { anonymousCaller, type TestCaller } from "./rule-tests.ts";

/** All of them, by name; those with mistakes are nobody, so that what names them is not told to be a mistake as well. */
export function readCallers(
  reading: TestReading,
  circumstances: Circumstances,
): ReadonlyMap<string, TestCaller> {
  const given = objectOf(reading.file.value.callers);
  const found = new Map<string, TestCaller>();
  for (const [name, value = null] of Object.entries(given)) {
    if (!isJsonObject(value) || !("key" in value || "on_behalf_of" in value))
      found.set(name, personOf(reading, name, value, circumstances));
  }
  for (const [name, value] of Object.entries(given)) {
    if (!found.has(name) && isJsonObject(value)) found.set(name, keyOf(reading, name, value, found));
  }
  if (!found.has(anonymousCaller))
    found.set(anonymousCaller, nobody(reading, anonymousCaller, circumstances));
  return found;
}

function nobody({ realm }: TestReading, name: string, circumstances: Circumstances): TestCaller {
  const context = contextOf("anonymous", realm, circumstances);
  return { name, kind: "anonymous", context, scopes: undefined };
}

function personOf(
  reading: TestReading,
  name: string,
  value: JsonValue,
  circumstances: Circumstances,
): TestCaller {
  if (!isJsonObject(value)) return nobody(reading, name, circumstances);
  if (name === anonymousCaller)
    reading.report(
      "rule-test-caller",
      ["callers", name],
      { problem: "somebody who is called anonymous is nobody" },
      { target: "key" },
    );
  const user = userOf(reading, name, value);
  return { name, kind: "user", context: contextOf(user, reading.realm, circumstances), scopes: undefined };
}

function userOf(reading: TestReading, name: string, given: JsonObject): GivenUser {
  const { realm } = reading;
  const path = ["callers", name];
  const roles = texts(given.roles ?? null) ?? [];
  if (!reading.isOpen("roles")) known(reading, "role", roles, realm.roles, [...path, "roles"]);
  const orgs = Object.entries(objectOf(given.orgs)).map(
    ([org, value]) => [org, organizationOf(reading, objectOf(value), [...path, "orgs", org])] as const,
  );
  const locale = text(given.locale ?? null);
  const email = text(given.email ?? null);
  const createdAt = moment(given.created_at);
  return {
    id: text(given.id ?? null) ?? name,
    roles,
    email_verified: flag(given.email_verified ?? null) ?? true,
    mfa: flag(given.mfa ?? null) ?? false,
    orgs: Object.fromEntries(orgs),
    ...(email !== undefined && { email }),
    ...(locale !== undefined && { locale }),
    ...(createdAt !== undefined && { created_at: createdAt }),
    ...(isJsonObject(given.profile) && { profile: given.profile }),
  };
}

function organizationOf(reading: TestReading, given: JsonObject, path: Path): GivenOrganization {
  const { roles: declared = [], teamRoles = [] } = reading.realm.organizations ?? {};
  const roles = texts(given.roles ?? null) ?? [];
  if (!reading.isOpen("organizations.roles"))
    known(reading, "organization role", roles, declared, [...path, "roles"]);
  const teams = Object.entries(objectOf(given.teams)).map(([team, value]) => {
    const held = teamRolesOf(objectOf(value));
    const names = held.map((each) => (typeof each === "string" ? each : each.role));
    if (!reading.isOpen("organizations.team_roles"))
      known(reading, "team role", names, teamRoles, [...path, "teams", team, "roles"]);
    return [team, { roles: held }] as const;
  });
  return { roles, teams: Object.fromEntries(teams), claims: objectOf(given.claims) };
}

function known(
  reading: TestReading,
  what: string,
  names: readonly string[],
  declared: readonly { readonly name: string }[],
  path: Path,
): void {
  const all = declared.map(({ name }) => name);
  for (const [at, name] of names.entries()) reading.knows(what, name, all, [...path, at]);
}

function teamRolesOf({ roles }: JsonObject): readonly GivenTeamRole[] {
  if (!Array.isArray(roles)) return [];
  return roles.flatMap((each: JsonValue): readonly GivenTeamRole[] => {
    if (typeof each === "string") return [each];
    const { role, from, until } = objectOf(each);
    if (typeof role !== "string") return [];
    return [
      {
        role,
        ...(typeof from === "string" && { from }),
        ...(typeof until === "string" && { until }),
      },
    ];
  });
}

function keyOf(
  reading: TestReading,
  name: string,
  given: JsonObject,
  people: ReadonlyMap<string, TestCaller>,
): TestCaller {
  const path = ["callers", name];
  const problem = (words: string): void =>
    reading.report("rule-test-caller", path, { problem: words }, { target: "key" });
  const { key, on_behalf_of: behalf, ...others } = given;
  if (key === undefined) problem("only a key acts on behalf of somebody, and this one has none");
  const [other] = Object.keys(others);
  if (other !== undefined)
    problem(`a key is no user, so it has no ${other}; write on_behalf_of: <caller> for the user`);
  const scopes = scopesOf(reading, objectOf(key), [...path, "key", "scopes"]);
  if (typeof behalf !== "string") return { name, kind: "key", context: undefined, scopes };
  const place = [...path, "on_behalf_of"];
  const user = people.get(behalf);
  const users = [...people.values()].filter(({ kind }) => kind === "user").map((each) => each.name);
  if (user?.kind !== "user") reading.knows("user among the callers", behalf, users, place);
  // A key uses no second factor, whomever it acts for.
  const context =
    user?.context?.user === undefined
      ? undefined
      : { ...user.context, user: { ...user.context.user, mfa: false } };
  return { name, kind: "delegate", context, scopes };
}

function scopesOf(reading: TestReading, { scopes }: JsonObject, path: Path): KeyScopes | undefined {
  if (!isJsonObject(scopes)) return undefined;
  const read = readScopes(scopes);
  const { realm } = reading;
  const collections = realm.databases.flatMap((each) => each.collections);
  for (const { access, at, entry, known: targets } of missingAmong(
    read.scopes,
    collections,
    realm.functions,
  )) {
    const hint = didYouMean(entry, targets);
    reading.report(
      "rule-test-unknown",
      [...path, access, at],
      { what: "target of scopes", name: entry },
      { hint },
    );
  }
  return read.scopes;
}

/** As it is stored; undefined where it is none, which validation has said. */
export function moment(value: JsonValue | undefined): string | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
