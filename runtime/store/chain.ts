import { isIn } from "../filter/algebra.ts";
import type { Field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { ChainStep } from "./contract/chain.ts";
import type { StoredDocument } from "./contract/document.ts";
import type { Store } from "./contract/store.ts";

/** A chain of reads, one query after the other: for engines whose queries cost no round trip. */
export async function readChain(
  store: Pick<Store, "collection">,
  steps: readonly ChainStep[],
): Promise<readonly (readonly StoredDocument[])[]> {
  const found: (readonly StoredDocument[])[] = [];
  for (const { collection, key, value, limit } of steps) {
    const values = typeof value === "string" ? [value] : valuesIn(found[value.step] ?? [], value.field);
    const isAsked = values.length > 0 && (found.length === 0 || (found[0]?.length ?? 0) > 0);
    const query = { filter: isIn(key, values), visibility: "live", limit, skip: 0 } as const;
    found.push(isAsked ? await store.collection(collection).find(query) : []);
  }
  return found.map((documents, at) =>
    steps[at]?.versions === true
      ? documents.map(({ id, version }) => ({ id, version, text: "" }))
      : documents,
  );
}

function valuesIn(documents: readonly StoredDocument[], { segments }: Field): readonly string[] {
  return documents.flatMap(({ text }) => {
    const document: JsonObject = JSON.parse(text);
    let value: unknown = document;
    for (const segment of segments) value = Object(value)[segment];
    return typeof value === "string" ? [value] : [];
  });
}
