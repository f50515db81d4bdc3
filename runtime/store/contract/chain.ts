import type { Field } from "../../filter/fields.ts";

/** Of a chain of reads: the live documents in which a key is what is given, or what documents of a step before say. */
export interface ChainStep {
  readonly collection: string;
  /** The id, or a field that has an index; one string in every document. */
  readonly key: Field;
  /** `step` counts from 0; `field` holds one string in every document of it. The first step is given an id. */
  readonly value: string | { readonly step: number; readonly field: Field };
  /** At most so many documents are answered. */
  readonly limit: number;
  /** Only what tells whether they have changed: texts are empty. */
  readonly versions?: boolean;
}
