import { isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { Store } from "../store/contract/store.ts";
import { collections } from "./collections.ts";
import { isOperators, type KeyRecord, type KeyUseRecord, readKeyUse } from "./key-records.ts";

/** Keys as they are shown (api-decisions: Shapes and statuses): never the key itself, nor its hash. */

export type View = (record: KeyRecord, use: KeyUseRecord | undefined) => JsonObject;

/** What is shown of every key. */
export const keyView: View = (record, use) => {
  const { key, name, scopes, networks, start, created_at, created_by, expires_at } = record;
  return {
    ...{ id: key, name, scopes: scopes === null ? null : { ...scopes }, networks, start },
    ...{ created_at, created_by, expires_at },
    last_used_at: use?.last_used_at ?? null,
    last_used_address: use?.last_used_address ?? null,
  };
};

/** To operators. */
export const operatorView: View = (record, use) => {
  const { admin, on_behalf_of, binding } = record;
  const kind = isOperators(record) ? "operator" : (binding?.kind ?? null);
  const user = binding !== null && "user" in binding ? binding.user : null;
  const org = binding !== null && "org" in binding ? binding.org : null;
  return { ...keyView(record, use), kind, user, org, admin, on_behalf_of };
};

/** Of a page of keys, with when each was used last: one query. */
export async function keyViews(
  store: Store,
  records: readonly KeyRecord[],
  view: View,
): Promise<readonly JsonObject[]> {
  if (records.length === 0) return [];
  const documents = await store.collection(collections.keyUses).find({
    filter: isIn(
      documentFields.id,
      records.map(({ key }) => key),
    ),
    visibility: "live",
    limit: records.length,
    skip: 0,
  });
  const uses = new Map(documents.map((document) => [document.id, readKeyUse(document).record]));
  return records.map((record) => view(record, uses.get(record.key)));
}

/** The answer that makes a key, and shows it this once. */
export function shownOnce(token: string, view: JsonObject): JsonObject {
  const { id = null, name = null, ...rest } = view;
  return { id, name, key: token, ...rest };
}
