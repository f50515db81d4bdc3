/** Findings that the number of documents alone decides about: indexes, cursors, streams. */
import { type Field, passesArray } from "../../../runtime/filter/fields.ts";
import type { CollectionShape, IndexShape } from "../../../runtime/store/contract/shape.ts";
import type { TextIndex } from "../../model/model.ts";
import { fieldTable, shapeOf } from "../../plans/shapes.ts";
import { estimated, isLong } from "../estimate.ts";
import { counted, type Finding, finding, type Severity, type Spot } from "../finding.ts";
import type { Extent, Judge } from "../judge.ts";
import { type CollectionSides, spotOf } from "../sides.ts";

/** Undefined where nothing changed that it tells of. */
export function extentJudge(sides: CollectionSides): Judge | undefined {
  const all = [
    ...indexChanges(sides),
    ...textChanges(sides),
    ...cursorChanges(sides),
    ...realtimeChanges(sides),
  ];
  if (all.length === 0) return undefined;
  return {
    looks: false,
    look: () => undefined,
    findings: (_, extent) => all.flatMap((told) => told(extent)),
  };
}

type Told = (extent: Extent) => Finding | readonly Finding[];

/** Indexes that the new configuration declares and the old one did not have. */
export function newIndexes(sides: CollectionSides): readonly IndexShape[] {
  const before = new Set(shapesOf(sides).old.indexes.map(identity));
  return shapesOf(sides).now.indexes.filter((index) => !before.has(identity(index)));
}

function shapesOf({ old, now }: CollectionSides): { readonly old: CollectionShape; now: CollectionShape } {
  return { old: shapeOf(old.realm, old.collection), now: shapeOf(now.realm, now.collection) };
}

function indexChanges(sides: CollectionSides): readonly Told[] {
  const { old, now } = shapesOf(sides);
  const built = newIndexes(sides);
  const after = new Set(now.indexes.map(({ name }) => name));
  const dropped = old.indexes.filter(({ name }) => !after.has(name));
  return [
    ...built.map(
      (index): Told =>
        (extent) => {
          const isAnew = old.indexes.some(({ name }) => name === index.name);
          const how = `is built${isAnew ? " anew" : ""} over ${counted(extent.documents)}`;
          const seconds = estimated.index(extent);
          const spot = spotOf(sides, `indexes.${index.name}`);
          const message = `the index over ${keysOf(index)} ${how}`;
          return [
            work("index-built", spot, message, extent, seconds),
            // A text index is built in the background, by short batches.
            ...(sides.hasOneWriter && seconds > 0
              ? [
                  work(
                    "writes-wait",
                    spot,
                    "while the index is built nothing is written to the realm",
                    extent,
                    seconds,
                  ),
                ]
              : []),
          ];
        },
    ),
    ...dropped.map(
      (index): Told =>
        (extent) =>
          finding(
            "index-dropped",
            spotOf(sides, `indexes.${index.name}`),
            { count: extent.documents },
            `the index over ${keysOf(index)} is dropped: queries that it served become slower`,
            { seconds: 0 },
          ),
    ),
  ];
}

function textChanges(sides: CollectionSides): readonly Told[] {
  const [before, after] = [sides.old.collection.text, sides.now.collection.text];
  if (after === undefined) {
    if (before === undefined) return [];
    return [
      ({ documents }) =>
        finding(
          "index-dropped",
          spotOf(sides, "text"),
          { count: documents },
          "the text index is dropped: searches are refused",
          { seconds: 0 },
        ),
    ];
  }
  if (before !== undefined && declared(before) === declared(after)) return [];
  return [
    (extent) =>
      work(
        "text-index-rebuilt",
        spotOf(sides, "text"),
        `the text index is built${before === undefined ? "" : " anew"} over ${counted(extent.documents)}: until then searches are answered with index_building`,
        extent,
        estimated.text(extent),
      ),
  ];
}

/** What takes time, for which somebody waits where it is long. */
function work(
  kind: "index-built" | "writes-wait" | "text-index-rebuilt",
  spot: Spot,
  message: string,
  { documents }: Extent,
  seconds: number,
): Finding {
  const severity: Severity = isLong(seconds) ? "blocking" : "safe";
  return finding(kind, spot, { count: documents }, message, { severity, seconds });
}

function identity({ name, unique, keys }: IndexShape): string {
  const own = keys.map(({ field, descending }) => [
    ...[field.path, descending, [...field.kinds].sort(), field.arrays],
  ]);
  return JSON.stringify([name, unique, own]);
}

function keysOf({ keys }: IndexShape): string {
  return keys.map(({ field, descending }) => `${descending ? "-" : ""}${field.path}`).join(", ");
}

function declared({ fields, defaultLanguage, languageField }: TextIndex): string {
  return JSON.stringify([
    fields.map(({ path, weight }) => [path, weight]),
    defaultLanguage,
    languageField ?? null,
  ]);
}

/** Fields that clients may order and filter by, and that are something else now. */
function cursorChanges(sides: CollectionSides): readonly Told[] {
  const [before, after] = [sides.old, sides.now].map(({ realm, collection }) =>
    fieldTable(realm, collection),
  );
  const details = Object.values(before ?? {}).flatMap((field) => {
    const was = kindOf(field);
    if (was === undefined) return [];
    const now = after?.[field.path];
    const is = now && kindOf(now);
    if (was === is) return [];
    return [{ path: field.path, reason: now === undefined ? "is gone" : `was ${was}, is ${is ?? "a list"}` }];
  });
  if (details.length === 0) return [];
  const named = details.map(({ path, reason }) => `${path} ${reason}`).join("; ");
  const message = `cursors and filters of lists by these fields end: ${named}`;
  return [
    ({ documents }) => finding("cursors-end", spotOf(sides), { count: documents }, message, { details }),
  ];
}

/** Undefined of what no order goes by. */
function kindOf(field: Field): string | undefined {
  if (passesArray(field) || field.kinds.length === 0 || field.kinds.every((kind) => kind === "object"))
    return undefined;
  return [...field.kinds].sort().join(" or ");
}

function realtimeChanges(sides: CollectionSides): readonly Told[] {
  const [before, after] = [sides.old.collection.realtime, sides.now.collection.realtime];
  if (before === undefined || after !== undefined) return [];
  const message =
    "the collection cannot be followed any longer: subscriptions end, and resume tokens lose them";
  return [
    ({ documents }) => finding("realtime-ends", spotOf(sides, "realtime"), { count: documents }, message),
  ];
}
