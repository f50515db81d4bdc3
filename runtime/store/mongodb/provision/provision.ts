import { kept } from "../../../kept.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine, Provisioned } from "../engine.ts";
import { exclusively } from "../exclusively.ts";
import { statesOf } from "../states/declarations.ts";
import { FieldStates } from "../states/states.ts";
import { openTextState } from "../text/build.ts";
import { TextRecords } from "../text/record.ts";
import { adoptCollection, existingCollections, keepsImages } from "./collections.ts";
import { makeIndexed, makeIndexes } from "./indexes.ts";
import { checkServer } from "./server.ts";
import { declarationsIn, type KeptCollection, leaseNames, Upkeep } from "./upkeep.ts";

const upkeeps = new WeakMap<Engine, Upkeep>();

/** What goes on for a store from its provisioning until it closes. */
export function upkeepOf(engine: Engine): Upkeep {
  return kept(upkeeps, engine, () => new Upkeep(engine));
}

/**
 * Makes what the collections need and drops indexes of ours that no instance declares any longer. Several instances may
 * call it at once, also with different shapes: they come one after another. Data is never dropped, nor are indexes that
 * somebody else made. To be ended with `upkeepOf(engine).end()`.
 * @returns by name
 * @throws UniqueIndexViolated
 * @throws Error for a server that cannot be used, and for collections that somebody made otherwise
 */
export async function provision(
  engine: Engine,
  shapes: readonly CollectionShape[],
): Promise<ReadonlyMap<string, Provisioned>> {
  await checkServer(engine);
  return exclusively(engine, leaseNames.provision, () => provisionAll(engine, shapes));
}

async function provisionAll(
  engine: Engine,
  shapes: readonly CollectionShape[],
): Promise<ReadonlyMap<string, Provisioned>> {
  const upkeep = upkeepOf(engine);
  const rivals = await upkeep.instances.rivals();
  const remembered = await statesOf(engine)
    .find({ fields: { $exists: true } }, { maxTimeMS: engine.queryTime })
    .toArray();
  const states = new Map(remembered.map((state) => [state._id, state] as const));
  const existing = await existingCollections(engine);
  const collections: KeptCollection[] = [];
  for (const shape of shapes) {
    const { name, feed } = shape;
    const found = existing.get(name);
    const made = found === undefined ? await makeIndexed(engine, shape) : undefined;
    // Where there was none, and it was not made now, somebody has made it meanwhile.
    const there = made === undefined ? (found ?? (await existingCollections(engine)).get(name)) : undefined;
    if (made === undefined) await adoptCollection(engine, shape, there);
    const declared = declarationsIn(rivals, name).map(({ fields }) => fields);
    const fields = await FieldStates.open(
      engine,
      shape,
      made === undefined ? states.get(name) : "new",
      declared,
    );
    const indexes = made ?? (await makeIndexes(engine, shape, fields));
    const staleImages = feed !== "documents" && there !== undefined && keepsImages(there);
    collections.push({ shape, states: fields, ...indexes, staleImages });
  }
  await upkeep.begin(collections);

  const texts = await TextRecords.all(engine);
  const provisioned = new Map<string, Provisioned>();
  for (const { shape, states: regularity } of collections) {
    const text = await openTextState(engine, shape, texts.get(shape.name));
    const narrowIndexes = () => upkeep.narrow(shape.name);
    provisioned.set(shape.name, { shape, regularity, narrowIndexes, text });
  }
  return provisioned;
}
