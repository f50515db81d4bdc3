/** Refusals explained to who develops: by `realmc dev`, and with `SVC_EXPLAIN=on`. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Explain } from "../http/dispatcher.ts";
import { type ExplainedRules, explanation } from "../realm/explained.ts";
import { ruleThatRefused } from "../realm/refused.ts";

/** By realm. */
export type Explained = ReadonlyMap<string, ExplainedRules>;

export interface Explaining {
  /** What is at hand now. */
  readonly rules: () => Explained;
  /** Adds `X-Svc-Explain` to answers. */
  readonly header: boolean;
  /** Hears a line for each refused request. */
  readonly tell?: (line: string) => void;
}

/** Characters of a path in a line. */
const longest = 100;

export function explaining({ rules, header, tell }: Explaining): Explain {
  return ({ method, path, requestId }, error) => {
    const refused = ruleThatRefused(error);
    if (refused === undefined) return undefined;
    const text = explanation(rules().get(refused.realm), refused);
    const place = path.length > longest ? `${path.slice(0, longest)}…` : path;
    tell?.(`${error.status} ${method} ${place}: ${text} [${requestId}]`);
    return header ? { "x-svc-explain": text } : undefined;
  };
}

/**
 * The rules of realms taken apart, as `explain/<realm>.mjs` beside the server has them; of realms without such a file, which
 * have no rules or were not bundled with it, nothing.
 * @param folder a URL that ends with `/`
 */
export async function explainedIn(folder: string | URL, realms: readonly string[]): Promise<Explained> {
  const found = new Map<string, ExplainedRules>();
  for (const realm of realms) {
    const module = new URL(`explain/${realm}.mjs`, folder);
    if (!existsSync(fileURLToPath(module))) continue;
    const { explained }: { readonly explained: ExplainedRules } = await import(module.href);
    found.set(realm, explained);
  }
  return found;
}
