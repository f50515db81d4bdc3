/** `scopes`: which documents a function reaches. */

import { didYouMean } from "../../../runtime/suggest.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { object, texts } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { functionSetting } from "../setting.ts";
import type { FunctionCheck, RealmSubject } from "../subject.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** Databases, or collections as `<database>/<collection>`; in the order of the file. */
    readonly scopes: { readonly read: readonly string[]; readonly write: readonly string[] };
  }
}

const codes = {
  "function-scope": {
    severity: "error",
    summary: "A scope names a database or collection that does not exist.",
    message: "there is no {what}",
    explanation:
      "A scope is the name of a database, or of a collection as `database/collection`, of the function's realm.",
    wrong: { "function.yaml": "mode: webhook\ninvoke: true\nscopes: { read: [support/ticket] }" },
    right: { "function.yaml": "mode: webhook\ninvoke: true\nscopes: { read: [support/tickets] }" },
  },
} as const satisfies Codes;

const changes = {
  "function-scope-widened": {
    kind: "additive",
    message: "the handler may {act} {scopes}",
    why: "For reviewers: `ctx.db` works past the rules, so whoever may run the function reaches these documents as far as its code lets them.",
  },
  "function-scope-narrowed": {
    kind: "internal",
    message: "the handler may not {act} {scopes} any longer",
    why: "`ctx.db` refuses it, and the build says where the handler tries.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

const known: FunctionCheck = ({ fn, file, faults, names }) =>
  (["read", "write"] as const).flatMap((way) =>
    fn.scopes[way].flatMap((scope, at) => {
      const path = ["scopes", way, at];
      if (file.value.scopes === undefined || faults.touch(file.path, path)) return [];
      const missing = missingIn(scope, names);
      return missing === undefined
        ? []
        : [diagnose("function-scope", locate(file, path), { what: missing.what }, { hint: missing.hint })];
    }),
  );

/** What of `database/collection`, or of the name of a database, does not exist. */
export function missingIn(
  scope: string,
  names: RealmSubject["names"],
): { readonly what: string; readonly hint: string | undefined } | undefined {
  const [database = "", ...rest] = scope.split("/");
  const collections = names.get(database);
  if (collections === undefined) {
    const owner = [...names].find(([, each]) => each.includes(scope))?.[0];
    const hint =
      owner === undefined ? didYouMean(database, [...names.keys()]) : `did you mean '${owner}/${scope}'?`;
    return { what: `database '${database}' in this realm`, hint };
  }
  const collection = rest.join("/");
  if (rest.length === 0 || collections.includes(collection)) return undefined;
  return {
    what: `collection '${collection}' in the database '${database}'`,
    hint: didYouMean(collection, collections),
  };
}

/** The scopes of which not all is reached by those of a list. */
function beyond(scopes: readonly string[], others: readonly string[]): string {
  return scopes
    .filter((scope) => !others.includes(scope) && !others.includes(scope.split("/")[0] ?? ""))
    .join(", ");
}

export const scopes = functionSetting({
  codes,
  changes,
  compare: ({ scopes: old }, { scopes: now }, place, report) => {
    for (const act of ["read", "write"] as const) {
      const where = `${place} scopes.${act}`;
      const [added, gone] = [beyond(now[act], old[act]), beyond(old[act], now[act])];
      if (added) report("function-scope-widened", where, { act, scopes: added });
      if (gone) report("function-scope-narrowed", where, { act, scopes: gone });
    }
  },
  checks: [known],
  read: ({ given, database }): Pick<RealmFunction, "scopes"> => {
    if (given.find("scopes", object) === undefined)
      return { scopes: { read: [database], write: [database] } };
    const own = given.in("scopes");
    return { scopes: { read: own.read("read", texts), write: own.read("write", texts) } };
  },
  definition: ({ fn }) => ({ scopes: fn.scopes }),
  effective: ({ fn: { scopes: own } }) => ({ scopes: { read: [...own.read], write: [...own.write] } }),
});
