/** What command lines of `realmc explain` name: collections, and JSON that is typed or lies in a file. */
import { readFileSync } from "node:fs";
import { didYouMean } from "../../runtime/suggest.ts";
import type { Called } from "../explain/call.ts";
import type { ExplainedRule } from "../explain/explanation.ts";
import { isGivenCaller, problemOfCaller } from "../explain/read-caller.ts";
import type { Collection, Realm } from "../model/model.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import type { ExampleCaller } from "../plans/examples.ts";
import type { CompiledRules } from "../rules/compiled.ts";
import { UsageError } from "./exit.ts";

/** Of `<realm>/<database>/<collection>`. */
export function realmIn(named: string): string | undefined {
  const parts = named.split("/");
  return parts.length === 3 ? parts[0] : undefined;
}

/** A collection of a realm with its rules. */
export type Place = Pick<ExplainedRule, "realm" | "collection" | "rules">;

/** @throws UsageError where it is none, or one of several realms, or one without rules */
export function findCollection(named: string, realms: readonly AnalysedRealm[]): Place {
  const all = realms.flatMap(({ realm, rules }) =>
    realm.databases.flatMap(({ collections }) =>
      collections.map((collection) => placeOf(realm, collection, rules.collections)),
    ),
  );
  const found = all.filter(
    ({ name, collection: { realm } }) => name === named || `${realm}/${name}` === named,
  );
  const [only, other] = found;
  if (only === undefined) {
    const hint = didYouMean(
      named,
      all.flatMap(({ name, realm }) => [name, `${realm.name}/${name}`]),
    );
    throw new UsageError(
      `there is no collection '${named}' (${hint ?? `there are: ${all.map(({ name }) => name).join(", ")}`})`,
    );
  }
  if (other !== undefined) {
    const names = found.map(({ realm }) => realm.name).join(", ");
    throw new UsageError(`several realms have a collection '${named}': ${names} (say --realm)`);
  }
  if (!only.realm.auth)
    throw new UsageError(`the realm '${only.realm.name}' has auth: disabled, and so no rules`);
  return only;
}

/** @throws UsageError where it is none, or one that nobody calls */
export function findFunction(named: string, realms: readonly AnalysedRealm[]): Called & Pick<Place, "realm"> {
  const all = realms.flatMap(({ realm, rules }) =>
    realm.functions.map((fn) => {
      const name = `${fn.database}/${fn.name}`;
      return { realm, fn, name: `${realm.name}/${name}`, rule: rules.functions.get(name)?.invoke };
    }),
  );
  const found = all.find(({ name }) => name === named);
  if (found === undefined) {
    const names = all.map(({ name }) => name);
    const hint = didYouMean(named, names) ?? `there are: ${names.join(", ") || "none"}`;
    throw new UsageError(`there is no function '${named}' (${hint})`);
  }
  if (found.fn.mode === "event") throw new UsageError(`'${named}' runs by events: nobody calls it`);
  return found;
}

function placeOf(
  realm: Realm,
  collection: Collection,
  compiled: ReadonlyMap<string, CompiledRules>,
): Place & { readonly name: string } {
  const name = `${collection.database}/${collection.name}`;
  const rules = compiled.get(name) ?? { rules: {}, fieldRules: [] };
  return { realm, collection, name, rules };
}

/**
 * @param given JSON, or `@` and a file that holds it
 * @throws UsageError
 */
export function readCaller(given: string, option = "--caller"): ExampleCaller {
  const [caller, what] = readJson(given, option, exampleCaller);
  if (!isGivenCaller(caller)) throw new UsageError(`${what}: ${problemOfCaller(caller)}`);
  return { name: caller === "anonymous" ? caller : (caller.id ?? "ada"), caller };
}

const exampleCaller = `'{"id":"ada","roles":["editor"]}', or anonymous`;

/**
 * @param given JSON, or `@` and a file that holds it
 * @returns the value, and what to call it: the option or the file
 * @throws UsageError
 */
export function readJson(given: string, option: string, example: string): readonly [unknown, string] {
  const fromFile = given.startsWith("@");
  const what = fromFile ? given.slice(1) : option;
  return [parsed(fromFile ? textOf(what) : given, what, example), what];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`there is no file ${file}`);
  }
}

function parsed(text: string, what: string, example: string): unknown {
  // Without its quotes, which a shell takes away.
  if (text.trim() === "anonymous") return "anonymous";
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${what} is not JSON (write for example ${example})`);
  }
}
