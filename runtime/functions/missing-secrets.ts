import { collections, secretFields } from "../auth/collections.ts";
import { isIn } from "../filter/algebra.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import type { Store } from "../store/contract/store.ts";

/** A secret that functions declare and nobody has set. */
export interface MissingSecret {
  readonly name: string;
  /** `<database>/<function>` of each. */
  readonly functions: readonly string[];
}

/** Those of a realm, by name. @param given names of those that are set elsewhere */
export async function missingSecrets(
  store: Pick<Store, "collection">,
  functions: readonly Pick<FunctionDefinition, "database" | "name" | "secrets">[],
  given: ReadonlySet<string> = new Set(),
): Promise<readonly MissingSecret[]> {
  const declared = [...new Set(functions.flatMap(({ secrets }) => secrets))].filter(
    (name) => !given.has(name),
  );
  if (declared.length === 0) return [];
  const found = await store.collection(collections.secrets).find({
    filter: isIn(secretFields.id, declared),
    visibility: "live",
    limit: declared.length,
    skip: 0,
  });
  const set = new Set(found.map(({ id }) => id));
  return declared
    .filter((name) => !set.has(name))
    .sort()
    .map((name) => ({
      name,
      functions: functions.filter(({ secrets }) => secrets.includes(name)).map(functionName),
    }));
}
