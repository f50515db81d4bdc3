/** Every helper of the rule language, as rules call it, by its name. */
import { ts } from "@ts-morph/common";
import type { Value } from "../form/form.ts";
import type { Environment } from "../language/environment.ts";
import { idOf, rolesOf } from "./arguments.ts";
import { type MembershipHelper, membershipHelperNames, membershipHelpers } from "./memberships.ts";
import { type MomentHelper, momentHelperNames } from "./moments.ts";

export interface Helper {
  /** What stands between its brackets, in hints. */
  readonly argument: "'…'" | "…";
  /** It asks who calls. */
  readonly ofCallers?: true;
  /** It is there in realms with organizations only. */
  readonly ofOrganizations?: true;
  /** How many arguments it takes; at least so many with `more`. */
  readonly takes: number;
  readonly more?: boolean;
  /** Arguments that are plainly no texts are refused before they are looked at. */
  readonly texts?: true;
  /** Undefined where something is wrong with the arguments, which is reported. */
  readonly analyse: (call: Call, environment: Environment) => Value | undefined;
}

/** A call with as many arguments as its helper takes. */
export interface Call {
  readonly values: readonly Value[];
  readonly node: ts.CallExpression;
}

const hasRole: Helper = {
  ofCallers: true,
  argument: "'…'",
  takes: 1,
  more: true,
  texts: true,
  analyse: ({ values, node }, environment) => {
    const at = environment.at(node);
    const roles = rolesOf("hasRole", "realm", values, environment);
    return roles && { kind: "condition", of: { kind: "hasRole", roles, at }, at };
  },
};

function membershipHelper(helper: MembershipHelper): Helper {
  const { in: place, takesRoles } = membershipHelpers[helper];
  return {
    argument: "…",
    ofCallers: true,
    ofOrganizations: true,
    takes: takesRoles ? 2 : 1,
    more: takesRoles,
    texts: true,
    analyse: ({ values: [first, ...more], node }, environment) => {
      const at = environment.at(node);
      const id = first && idOf(helper, place, first, environment);
      const roles = rolesOf(helper, place, more, environment);
      return id && roles && { kind: "condition", of: { kind: "membership", helper, id, roles, at }, at };
    },
  };
}

const orgClaims: Helper = {
  argument: "…",
  ofCallers: true,
  ofOrganizations: true,
  takes: 1,
  texts: true,
  analyse: ({ values: [first], node }, environment) => {
    const org = first && idOf("orgClaims", "organization", first, environment);
    return org && { kind: "claim", org, path: [], type: { kinds: ["object"] }, at: environment.at(node) };
  },
};

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function momentHelper(helper: MomentHelper): Helper {
  return {
    argument: "'…'",
    takes: 1,
    analyse: ({ node }, { at, report }) => {
      const [argument] = node.arguments;
      if (argument === undefined) return undefined;
      const written = ts.isStringLiteral(argument) ? argument.text : "";
      const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(written) ?? [];
      const milliseconds = Number(count) * (units[unit] ?? Number.NaN);
      // Beyond 10,000 years there are no dates.
      if (count === "" || !(milliseconds <= 3_650_000 * 86_400_000)) {
        const hint = count === "" ? undefined : "it is too long; the longest is '3650000d', 10,000 years";
        report("rule-duration", at(argument), { helper, value: argument.getText() }, hint);
        return undefined;
      }
      return { kind: "moment", helper, milliseconds, at: at(node) };
    },
  };
}

/** In the order in which messages name them. */
export const helpers: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ["hasRole", hasRole],
  ...momentHelperNames.map((name) => [name, momentHelper(name)] as const),
  ...membershipHelperNames.map((name) => [name, membershipHelper(name)] as const),
  ["orgClaims", orgClaims],
]);
