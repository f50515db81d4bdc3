/** Whether JSON that somebody typed is a caller (`compiler/plans/callers.ts`), and what is wrong where it is none. */
import { isJsonObject } from "../../runtime/json.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import type { GivenCaller } from "../plans/callers.ts";

/** What keeps a value from being a caller; undefined: nothing. */
export function problemOfCaller(value: unknown): string | undefined {
  if (value === "anonymous") return undefined;
  if (isJsonObject(value) && "key" in value)
    return "an API key is asked no rule: what it may do its scopes say";
  return user(value, "the caller");
}

export function isGivenCaller(value: unknown): value is GivenCaller {
  return problemOfCaller(value) === undefined;
}

/** Says what is wrong with a value that is called `name`. */
type Check = (value: unknown, name: string) => string | undefined;

const ofType =
  (type: "string" | "boolean", words: string): Check =>
  (value, name) =>
    typeof value === type ? undefined : `${name} must be ${words}`;

const text = ofType("string", "a text");
const flag = ofType("boolean", "true or false");
const moment: Check = (value, name) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) ? undefined : `${name} must be a date`;
const anyObject: Check = (value, name) => (isJsonObject(value) ? undefined : `${name} must be an object`);

const listOf =
  (check: Check): Check =>
  (value, name) =>
    Array.isArray(value)
      ? value.map((item, at) => check(item, `${name}[${at}]`)).find((problem) => problem !== undefined)
      : `${name} must be a list`;

/** An object with members of any names. */
const each =
  (check: Check): Check =>
  (value, name) =>
    !isJsonObject(value)
      ? `${name} must be an object`
      : Object.entries(value)
          .map(([member, inner]) => check(inner, `${name}.${member}`))
          .find((problem) => problem !== undefined);

/** An object with no members but these. */
const members =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, name) => {
    if (!isJsonObject(value)) return `${name} must be an object`;
    for (const [member, inner] of Object.entries(value)) {
      const check = Object.hasOwn(checks, member) ? checks[member] : undefined;
      const names = Object.keys(checks);
      if (check === undefined)
        return `${name} has no '${member}' (${didYouMean(member, names) ?? `there are ${names.join(", ")}`})`;
      const problem = check(inner, name === "the caller" ? member : `${name}.${member}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

const windowed = members({ role: text, from: moment, until: moment });
const teamRole: Check = (value, name) =>
  typeof value === "string"
    ? undefined
    : (windowed(value, name) ??
      (isJsonObject(value) && "role" in value ? undefined : `${name} must name a role`));
const user = members({
  id: text,
  email: text,
  email_verified: flag,
  roles: listOf(text),
  locale: text,
  mfa: flag,
  created_at: moment,
  profile: anyObject,
  orgs: each(
    members({
      roles: listOf(text),
      teams: each(members({ roles: listOf(teamRole) })),
      claims: anyObject,
    }),
  ),
});
