import type { Collection, RuleName } from "../../../model/model.ts";
import type { CompiledRules } from "../../../rules/compiled.ts";
import type { Build } from "../build.ts";
import type { HeaderName } from "../headers.ts";
import type { CollectionSchemas } from "../schemas/collection.ts";
import { accessBy } from "../security.ts";

/** A collection and what its operations are described from. */
export interface Described {
  readonly collection: Collection;
  readonly rules: CompiledRules["rules"];
  readonly schemas: CollectionSchemas;
  readonly stem: string;
  readonly tag: string;
}

/** Sentences to a description; undefined where there is nothing to say. */
export function about(...sentences: readonly (string | undefined)[]): string | undefined {
  return sentences.filter((sentence) => sentence !== undefined).join(" ") || undefined;
}

/** Which rules an operation hangs on. */
export function decided(
  build: Build,
  rules: Described["rules"],
  ...names: readonly RuleName[]
): string | undefined {
  if (!build.realm.auth) return undefined;
  if (accessBy(...names.map((name) => rules[name])) === "keys")
    return "No rule allows it: for API keys only.";
  const listed = names.map((name) => `\`${name}\``).join(" and ");
  return `Decided by the ${names.length > 1 ? "rules" : "rule"} ${listed}; API keys pass.`;
}

/** Of reads, by the name that they have in the answer. */
export function readHeaders(collection: Collection, tag: HeaderName): Record<string, HeaderName> {
  return { ETag: tag, ...(collection.publicCache && { "Cache-Control": "PublicCache" as const }) };
}
