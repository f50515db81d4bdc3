import { documentFields } from "../../filter/fields.ts";
import type { Along } from "../../realm/along.ts";
import type { ChainStep } from "../../store/contract/chain.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import type { Store } from "../../store/contract/store.ts";
import { collections } from "../collections.ts";
import type { RecordCache } from "./cache.ts";
import type { LiveUser } from "./live.ts";

/** The record of a user in a chain of reads. */
export function userStep(value: ChainStep["value"]): ChainStep {
  return { collection: collections.users, key: documentFields.id, value, limit: 1 };
}

/**
 * The records of a caller, each step's own, and in the same command what is to be read along with them: unless the first
 * step finds nothing, since then the others are not asked.
 * @param user what names the caller's user; undefined: there is none
 */
export async function readAlong(
  store: Pick<Store, "chain">,
  own: readonly ChainStep[],
  user: ChainStep["value"] | undefined,
  along: Along | undefined,
): Promise<readonly (StoredDocument | undefined)[]> {
  const found = await store.chain([...own, ...(along?.steps(user, own.length) ?? [])]);
  if (found[0] !== undefined && found[0].length > 0) along?.found(found.slice(own.length));
  return own.map((_, at) => found[at]?.[0]);
}

/** Reads the user whom an API key acts for along with the key, and along with both what is to be. */
export class DelegateAlong implements Along {
  /** Undefined where it was not read, or is nobody. */
  user: LiveUser | undefined;
  readonly #id: string;
  readonly #users: RecordCache<LiveUser>;
  readonly #along: Along | undefined;

  constructor(id: string, users: RecordCache<LiveUser>, along: Along | undefined) {
    this.#id = id;
    this.#users = users;
    this.#along = along;
  }

  steps(_: unknown, at: number): readonly ChainStep[] {
    return [userStep(this.#id), ...(this.#along?.steps(this.#id, at + 1) ?? [])];
  }

  found(found: readonly (readonly StoredDocument[])[]): void {
    const [users = [], ...others] = found;
    const [user] = users;
    if (user !== undefined) this.user = this.#users.of(user);
    this.#along?.found(others);
  }
}
