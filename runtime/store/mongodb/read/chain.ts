import type { Document } from "mongodb";
import { isIn, TRUE } from "../../../filter/algebra.ts";
import type { ChainStep } from "../../contract/chain.ts";
import type { StoredDocument } from "../../contract/document.ts";
import { BsonBytes, type } from "../bson/bson-bytes.ts";
import { storedDocument, storedVersion } from "../bson/json-text.ts";
import type { Engine, Provisioned } from "../engine.ts";
import { columns, pathOf } from "../layout.ts";
import { withoutStems } from "../text/search.ts";
import { chosen } from "./visibility.ts";

/**
 * A chain of reads as one aggregation over the first step's collection: one document, in which the documents of each step
 * stand under its name. Later ones are looked up by indexes. `_svc.*` lies unsharded, as such collections do.
 * @throws the driver's errors
 */
export async function readChain(
  engine: Engine,
  provisionedOf: (collection: string) => Provisioned,
  steps: readonly ChainStep[],
): Promise<readonly (readonly StoredDocument[])[]> {
  const [first] = steps;
  if (first === undefined) return [];
  const { database, queryTime: maxTimeMS } = engine;
  const pipeline = steps.flatMap((step, at) => stagesOf(engine, provisionedOf(step.collection), steps, at));
  const answer = database
    .collection(first.collection)
    .aggregate<Uint8Array>(pipeline, { raw: true, maxTimeMS });
  const [bytes] = await answer.toArray();
  return bytes === undefined ? steps.map(() => []) : foundIn(bytes, steps);
}

const nameOf = (at: number) => `s${at}`;

function stagesOf(
  { clock }: Engine,
  provisioned: Provisioned,
  steps: readonly ChainStep[],
  at: number,
): readonly Document[] {
  const step = steps[at];
  if (step === undefined) return [];
  const { key, value, collection: from } = step;
  const given = typeof value === "string" ? isIn(key, [value]) : TRUE;
  const pipeline = [
    { $match: chosen(provisioned, clock, given, "live") },
    { $limit: step.limit },
    ...shown(provisioned, steps, at),
  ];
  const as = nameOf(at);
  if (at === 0) return [...pipeline, { $project: { _id: 0, [as]: ["$$ROOT"] } }];
  if (typeof value === "string") return [{ $lookup: { from, pipeline, as } }];
  const localField = `${nameOf(value.step)}.${pathOf(value.field)}`;
  return [{ $lookup: { from, localField, foreignField: pathOf(key), pipeline, as } }];
}

/** Of documents whose versions alone are asked for that, and what later steps ask of them. */
function shown({ shape }: Provisioned, steps: readonly ChainStep[], at: number): readonly Document[] {
  if (steps[at]?.versions !== true) return shape.text === undefined ? [] : [{ $project: withoutStems }];
  const asked = steps.flatMap(({ value }) =>
    typeof value !== "string" && value.step === at ? [[pathOf(value.field), 1] as const] : [],
  );
  return [{ $project: { [columns.id]: 1, [columns.version]: 1, ...Object.fromEntries(asked) } }];
}

function foundIn(bytes: Uint8Array, steps: readonly ChainStep[]): readonly (readonly StoredDocument[])[] {
  const answer = new BsonBytes(bytes);
  const found: StoredDocument[][] = steps.map(() => []);
  answer.each(0, (kind, name, value) => {
    const at = steps.findIndex((_, one) => answer.isName(name, nameOf(one)));
    if (kind !== type.array || at < 0) return;
    const read = steps[at]?.versions === true ? storedVersion : storedDocument;
    answer.each(value, (itemKind, _, item) => {
      if (itemKind === type.object) found[at]?.push(read(bytes.subarray(item, answer.end(itemKind, item))));
    });
  });
  return found;
}
