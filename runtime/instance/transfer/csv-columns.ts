/** How documents of a collection stand in the columns of CSV. */
import { documentFields, type Field, holdsArray } from "../../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { define } from "../../merge-patch.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";

export interface Column {
  readonly path: string;
  readonly segments: readonly string[];
  /** Its cells are JSON: arrays, objects that are not declared member by member, and what has no type. */
  readonly isJson: boolean;
  readonly kinds: readonly Field["kinds"][number][];
  readonly nullable: boolean;
}

/** The columns of a collection, by what its schema declares. @param meta with those of `_meta` */
export function columnsOf(definition: CollectionDefinition, meta: boolean): readonly Column[] {
  const own = Object.values(definition.fields).filter(
    ({ path }) => path !== "id" && !path.startsWith("_meta."),
  );
  const columns = new Map<string, Column>([["id", columnOf(documentFields.id)]]);
  for (const field of own) {
    const column = placeOf(field, own, definition);
    if (column !== undefined && !columns.has(column.path)) columns.set(column.path, column);
  }
  if (meta) for (const column of metaColumns(definition)) columns.set(column.path, column);
  return [...columns.values()];
}

/** The column that holds a field: its own, or that of the array or object that it lies in; undefined where others hold it. */
function placeOf(
  field: Field,
  all: readonly Field[],
  { files = [] }: CollectionDefinition,
): Column | undefined {
  const { segments, arrays } = field;
  if (files.some(({ name }) => name === segments[0])) return jsonColumn(segments.slice(0, 1));
  const array = arrays.indexOf(true);
  if (array >= 0) return jsonColumn(segments.slice(0, array + 1));
  const outer = all.find(
    ({ path, kinds, nullable }) =>
      field.path.startsWith(`${path}.`) && (nullable || kinds.some((kind) => kind !== "object")),
  );
  if (outer !== undefined) return jsonColumn(outer.segments);
  const isObject = field.kinds.includes("object");
  if (!isObject && field.kinds.length > 0) return columnOf(field);
  const isDeclared = isObject && all.some(({ path }) => path.startsWith(`${field.path}.`));
  const isPlain = field.kinds.length === 1 && !field.nullable;
  return isDeclared && isPlain ? undefined : jsonColumn(segments);
}

function columnOf(field: Field): Column {
  const { path, segments, kinds, nullable } = field;
  return { path, segments, kinds, nullable, isJson: holdsArray(field) };
}

function jsonColumn(segments: readonly string[]): Column {
  return { path: segments.join("."), segments, kinds: [], nullable: true, isJson: true };
}

function metaColumns({ fields }: CollectionDefinition): readonly Column[] {
  const all = Object.values({ ...documentFields, ...fields });
  return all.filter(({ path }) => path.startsWith("_meta.")).map(columnOf);
}

/** What a head of a file names: a column of the schema, or something that it does not declare. */
export function columnCalled(path: string, columns: readonly Column[]): Column {
  return columns.find((column) => column.path === path) ?? jsonColumn(path.split("."));
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What a cell says; undefined where it is empty. */
export function valueIn(text: string, { isJson, kinds, nullable }: Column): JsonValue | undefined {
  if (text === "") return undefined;
  if (isJson) return jsonIn(text) ?? (text === "null" ? null : text);
  if (nullable && text === "null") return null;
  if ((kinds.includes("number") || kinds.includes("integer")) && number.test(text)) return Number(text);
  if (kinds.includes("boolean") && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  // A text that would be read as something else, or be empty, is written as JSON.
  const quoted = text.length > 1 && text.startsWith('"') && text.endsWith('"') ? jsonIn(text) : undefined;
  return typeof quoted === "string" ? quoted : text;
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The cell of a value, as it is read back where that is possible. */
function cellOf(value: JsonValue, column: Column): string {
  if (column.isJson || typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  return valueIn(text, column) === value ? text : JSON.stringify(value);
}

/** Puts a value where its column says. */
export function place(document: JsonObject, [name = "", ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    define(document, name, value);
    return;
  }
  const inner = Object.hasOwn(document, name) ? document[name] : undefined;
  const object: JsonObject = isJsonObject(inner) ? inner : {};
  if (inner !== object) define(document, name, object);
  place(object, rest, value);
}

/** Columns by the members that lead to them. */
interface Branch {
  at?: number;
  readonly inner: Map<string, Branch>;
}

/** Prints documents as records of RFC 4180. */
export class CsvPrinter {
  readonly #columns: readonly Column[];
  readonly #root: Branch = { inner: new Map() };
  /** Documents with members that no column holds, and the first of these. */
  lossy = 0;
  lost: string | undefined;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    for (const [at, { segments }] of columns.entries()) {
      let branch = this.#root;
      for (const name of segments) {
        const next = branch.inner.get(name) ?? { inner: new Map() };
        branch.inner.set(name, next);
        branch = next;
      }
      branch.at = at;
    }
  }

  get head(): string {
    return recordOf(this.#columns.map(({ path }) => path));
  }

  record(document: JsonObject): string {
    const cells = Array.from(this.#columns, () => "");
    const lost = this.#fill(document, this.#root, cells);
    if (lost !== undefined) {
      this.lossy += 1;
      this.lost ??= `${String(document["id"])}: ${lost}`;
    }
    return recordOf(cells);
  }

  /** @returns the path of a member that no column holds */
  #fill(object: JsonObject, { inner }: Branch, cells: string[]): string | undefined {
    let lost: string | undefined;
    for (const [name, value] of Object.entries(object)) {
      const branch = inner.get(name);
      const column = branch?.at === undefined ? undefined : this.#columns[branch.at];
      if (value === undefined) continue;
      if (branch?.at !== undefined && column !== undefined) cells[branch.at] = cellOf(value, column);
      else if (branch === undefined || !isJsonObject(value) || Object.keys(value).length === 0) lost ??= name;
      else {
        const deeper = this.#fill(value, branch, cells);
        if (deeper !== undefined) lost ??= `${name}.${deeper}`;
      }
    }
    return lost;
  }
}

function recordOf(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}
