import fc from "fast-check";
import type { Scalar } from "../../../filter/algebra.ts";
import {
  deletionFields,
  documentFields,
  type Field,
  type FieldKind,
  ownershipFields,
} from "../../../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../json.ts";
import type { DocumentWrite } from "../../contract/document.ts";

/**
 * Random schemas, and documents that are valid by them or were so by an older one. Values come from short lists, so that
 * filters meet them.
 */

/** The seed of this run; another one by `DIFFERENTIAL_SEED`. */
export const seed = Number(process.env["DIFFERENTIAL_SEED"] ?? 20260301);

/** What stands at a member: a value of one of these kinds, null where it may, or an array of such. */
interface Node {
  readonly kinds: readonly FieldKind[];
  readonly nullable: boolean;
  readonly array: boolean;
  /** Of a value of kind object. */
  readonly members: Schema;
}

export type Schema = readonly (readonly [name: string, node: Node])[];

/** Values that the documents of one test have in common, by kind. */
export interface Pool {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
  readonly integers: readonly number[];
  readonly instants: readonly string[];
  readonly days: readonly string[];
}

/** Names that mean something to JavaScript, JSON paths or SQL. */
export const hostileNames = [
  ...[
    "__proto__",
    "constructor",
    "it's",
    'q"q',
    "back\\slash",
    "[0]",
    "0",
    "é😀",
    "",
    "a b",
    "doc",
    "$",
    "%",
  ],
];

/** Texts that something could take for one another: case in many scripts, what SQLite or a pattern reads its own way. */
const families = [
  ["", "a", "A", "ab", "Ab", "b", "B", "aab", "abab"],
  ["a_b", "a%b", "axb", "a\nb", "a😀b", "%", "_", "%%", "__", "\\", "\\%"],
  ["*", "?", "[", "]", "[a]", "[^a]", "[!a]", "^", "-", "a-z", "a*b", "a?b"],
  ["{}", "[]", '"', "1", "1.0", "true", "null", "a'b"],
  ["straße", "STRAẞE", "strasse", "ſtraße", "STRASSE"],
  ["İx", "ix", "IX", "ıx", "i\u0307x"],
  ["K", "k", "K", "Å", "å", "Å"],
  ["ΌΣΟΣ", "όσος", "όσοσ", "µ", "μ", "Μ"],
  ["дом", "ДОМ", "ᲀом", "ǅ", "ǆ", "Ǆ"],
  ["ﬅ", "ﬆ", "st", "ΐ", "ΐ", "ᾳ", "ᾼ", "αι"],
  ["Ꭰ", "ꭰ", "𐐀", "𐐨", "漢字", "é", "É", "e\u0301"],
  ["x\ufffdy", "x\ufffey", "x\uffffy", "xy", "x\ue000y", "x\ue001y", "x\ue002y", "x\ue003y"],
  ["\ud7ff", "\ue000", "\uffff", "😀", "😀b", "😁", "\u{10ffff}", "\u{1fffe}"],
  ["2026-03-01", "2026-03-01T00:00:00.000Z", "T00:00:00.000Z"],
];
export const hostileTexts = [...new Set(families.flat())];
const days = ["2026-03-01", "2026-03-02", "1999-12-31"];
/** Around a midnight, which has two forms. */
const instants = [
  ...["2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00.001Z", "2026-02-28T23:59:59.999Z"],
  ...["2026-03-02T00:00:00.000Z", "2026-03-01T12:30:00.000Z"],
];
const integers = [0, 1, -1, 2, 10, 9, 2 ** 53 - 1, -(2 ** 53 - 1)];
const fractions = [
  1.5, -0.5, 0.1, 0.30000000000000004, 1e21, 5e-324, 3.175344214805288e-136, 1.7976931348623157e308,
];

const kind = fc.constantFrom<FieldKind>(
  "string",
  "integer",
  "number",
  "boolean",
  "date-time",
  "date",
  "object",
);
const kinds = fc.oneof(
  { weight: 1, arbitrary: fc.constant<FieldKind[]>(["string"]) },
  { weight: 3, arbitrary: kind.map((only) => [only]) },
  { weight: 1, arbitrary: fc.uniqueArray(kind, { minLength: 2, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant<FieldKind[]>(["date", "date-time"]) },
);

const schemaOf = (name: fc.Arbitrary<string>): fc.Arbitrary<Schema> =>
  fc.letrec<{ schema: Schema; inner: Schema; node: Node }>((tie) => ({
    schema: fc.uniqueArray(fc.tuple(name, tie("node")), {
      selector: ([of]) => of,
      minLength: 1,
      maxLength: 4,
    }),
    inner: fc.oneof({ maxDepth: 2, depthIdentifier: "schema" }, fc.constant([]), tie("schema")),
    node: fc
      .record({ kinds, nullable: fc.boolean(), array: fc.boolean(), members: tie("inner") })
      .map((node) => (node.kinds.includes("object") ? node : { ...node, members: [] })),
  })).schema;

const plainName = fc.constantFrom("a", "b", "c", "d");

/** Schemas whose names mean nothing to anybody. */
export const plainSchema = schemaOf(plainName);
/** Schemas some of whose names are these. */
export const schemaWith = (names: readonly string[]): fc.Arbitrary<Schema> =>
  schemaOf(
    fc.oneof({ weight: 2, arbitrary: plainName }, { weight: 1, arbitrary: fc.constantFrom(...names) }),
  );

/** The field table of a schema: every path in it. */
export function fieldsOf(schema: Schema, above: Pick<Field, "segments" | "arrays"> = root): readonly Field[] {
  return schema.flatMap(([name, { kinds, nullable, array, members }]) => {
    const segments = [...above.segments, name];
    const arrays = [...above.arrays, array];
    const own: Field = { path: segments.join("."), segments, arrays, kinds, nullable };
    return [own, ...fieldsOf(members, own)];
  });
}

const root = { segments: [], arrays: [] };

/** A few values of each kind. */
export const pool: fc.Arbitrary<Pool> = fc.record({
  texts: fc.tuple(fc.constantFrom(...families), some(hostileTexts, 3)).map((of) => of.flat()),
  numbers: some([...integers, ...fractions], 4),
  integers: some(integers, 3),
  instants: some(instants, 3),
  days: some(days, 2),
});

function some<T>(values: readonly T[], count: number): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...values], { minLength: 2, maxLength: count });
}

/** Any value of the pool. */
export const scalarIn = (of: Pool): fc.Arbitrary<Scalar> =>
  fc.oneof(
    fc.constantFrom<Scalar>(...of.texts),
    fc.constantFrom<Scalar>(...of.numbers, ...of.integers),
    fc.constantFrom<Scalar>(...of.instants, ...of.days),
    fc.boolean(),
  );

function valueOfKind(of: Pool, kind: Exclude<FieldKind, "object">): fc.Arbitrary<Scalar> {
  switch (kind) {
    case "string":
      return fc.constantFrom(...of.texts);
    case "integer":
      return fc.constantFrom(...of.integers);
    case "number":
      return fc.constantFrom(...of.numbers);
    case "boolean":
      return fc.boolean();
    case "date-time":
      return fc.constantFrom(...of.instants);
    case "date":
      return fc.constantFrom(...of.days);
  }
}

/** Documents' bodies that are valid by the schema. */
export function validBody(schema: Schema, of: Pool): fc.Arbitrary<JsonObject> {
  return bodyBy(schema, (node) => {
    const single = fc.oneof(
      ...node.kinds.map((kind) => (kind === "object" ? validBody(node.members, of) : valueOfKind(of, kind))),
      ...(node.nullable ? [fc.constant(null)] : []),
    );
    return node.array ? fc.array(single, { maxLength: 3 }) : single;
  });
}

/** Bodies that an older schema allowed: here and there a value of another type, arrays where none are, or none. */
export function olderBody(schema: Schema, of: Pool): fc.Arbitrary<JsonObject> {
  return bodyBy(schema, (node) => {
    const scalar = scalarIn(of);
    const own = fc.oneof(olderBody(node.members, of), scalar);
    const single = fc.oneof(
      { weight: 6, arbitrary: own },
      { weight: 1, arbitrary: fc.constantFrom<JsonValue>(null, [], {}, [null], [[1]], [["a"]], { a: 1 }) },
    );
    const several = fc.array(single, { maxLength: 3 });
    const [likely, unlikely] = node.array ? [several, single] : [single, several];
    return fc.oneof({ weight: 3, arbitrary: likely }, { weight: 1, arbitrary: unlikely });
  });
}

function bodyBy(schema: Schema, valueFor: (node: Node) => fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(...schema.map(([name, node]) => fc.option(valueFor(node).map((value) => [name, value] as const))))
    .map((members) => Object.fromEntries(members.filter((member) => member !== null)));
}

/** Fields that every collection has. */
export const serverFields: readonly Field[] = [
  ...Object.values(documentFields),
  ...Object.values(deletionFields),
  ...Object.values(ownershipFields),
];

/** Where the clock of a store with such documents stands. */
export const now = Date.parse("2026-03-01T12:00:00.000Z");

/** Documents around these bodies, as the document layer writes them. */
export const writtenAround = (body: fc.Arbitrary<JsonObject>): fc.Arbitrary<DocumentWrite> => {
  const instant = fc.constantFrom(...instants).map((date) => Date.parse(date));
  return fc
    .record({
      id: fc.oneof(
        fc.constantFrom("", ...hostileTexts),
        fc.nat().map((n) => `${n}`),
      ),
      body,
      version: fc.nat(2),
      createdAt: instant,
      owner: fc.constantFrom("", "x", "y", "2026-03-01", null, undefined),
      deletedAt: fc.option(instant, { nil: undefined, freq: 2 }),
      purgeAt: fc.option(fc.constantFrom(now + 1, now + 86_400_000), { nil: undefined }),
    })
    .map(({ id, body: members, version, createdAt, owner, deletedAt, purgeAt }) => {
      const meta = {
        created_at: dateOf(createdAt),
        version: version === 0 ? undefined : version,
        owner,
        deleted_at: dateOf(deletedAt),
        purge_at: dateOf(purgeAt),
      };
      const whole = Object.fromEntries([...Object.entries(members), ["id", id], ["_meta", meta]]);
      return { id, version, createdAt, deletedAt, purgeAt, text: JSON.stringify(whole) };
    });
};

const dateOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());

export function parsed({ text }: DocumentWrite): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error("a document is an object");
  return value;
}
