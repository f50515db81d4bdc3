/** Names of tests that have none: what they say. */
import type { Expected, Pair, TestAction } from "./rule-tests.ts";

/** The name of a test that has none. */
export function nameOfAction(action: TestAction): string {
  switch (action.kind) {
    case "create":
      return `create as ${action.as}${into(action)}: ${told(action.expected)}`;
    case "update":
      return `${action.change} ${action.document} as ${action.as}: ${told(action.expected)}`;
    case "list":
      return `list as ${action.as}${action.where === undefined ? "" : ` where ${action.where}`}: ${
        "documents" in action.expected
          ? action.expected.documents.join(", ") || "nothing"
          : told(action.expected)
      }`;
    case "fields":
      return `fields of ${action.document} as ${action.as}`;
    case "call":
      return `call ${action.function} as ${action.as}: ${told(action.expected)}`;
    case "create_organization":
      return `create an organization as ${action.as}: ${told(action.expected)}`;
    default: {
      if (action.only) return `${action.kind}: only ${people(action.allow) || "nobody"}`;
      const sides = (["allow", "deny"] as const).filter((side) => action[side].length > 0);
      return `${action.kind}: ${sides.map((side) => `${side} ${people(action[side])}`).join("; ")}`;
    }
  }
}

function into({ org, team }: { readonly org?: string; readonly team?: string }): string {
  return org === undefined ? "" : ` in ${team === undefined ? org : `${org}, ${team}`}`;
}

function told(expected: Expected): string {
  if (expected.decision === "allow") return "allowed";
  return expected.field === undefined ? "denied" : `denied for ${expected.field}`;
}

function people(pairs: readonly Pair[]): string {
  const callers = [...new Set(pairs.map(({ caller }) => caller))];
  const documents = (one: string): readonly string[] =>
    pairs.filter(({ caller }) => caller === one).map(({ document }) => document);
  return callers.map((caller) => `${caller} ${documents(caller).join(", ")}`).join("; ");
}
