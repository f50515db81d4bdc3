/** Two matrices: the cells that are others, also where a row, column or collection came or went. */
import { isJsonObject } from "../../runtime/json.ts";
import { type Cell, sameCell } from "./cells.ts";
import type { Matrix } from "./matrix.ts";

export interface CellChange {
  readonly realm: string;
  /** `support/tickets`. */
  readonly collection: string;
  readonly row: string;
  readonly column: string;
  /** Undefined where there was, or is, none. */
  readonly was: Cell | undefined;
  readonly is: Cell | undefined;
}

/** In the order of the newer one, then what went. */
export function changedCells(old: Matrix, now: Matrix): readonly CellChange[] {
  const [before, after] = [cellsOf(old), cellsOf(now)];
  const places = new Map([...after, ...before].map(([key, { place }]) => [key, place]));
  return [...places].flatMap(([key, place]) => {
    const [was, is] = [before.get(key)?.cell, after.get(key)?.cell];
    return was !== undefined && is !== undefined && sameCell(was, is) ? [] : [{ ...place, was, is }];
  });
}

type Place = Pick<CellChange, "realm" | "collection" | "row" | "column">;

function cellsOf({ realms }: Matrix): ReadonlyMap<string, { readonly place: Place; readonly cell: Cell }> {
  const all = Object.entries(realms).flatMap(([realm, collections]) =>
    Object.entries(collections).flatMap(([collection, rows]) =>
      Object.entries(rows).flatMap(([row, cells]) =>
        Object.entries(cells).map(([column, cell]) => ({ place: { realm, collection, row, column }, cell })),
      ),
    ),
  );
  return new Map(
    all.map((each) => {
      const { realm, collection, row, column } = each.place;
      return [JSON.stringify([realm, collection, row, column]), each];
    }),
  );
}

/** `if document.public`, `never`; `not there` where there is none. */
export function cellInWords(cell: Cell | undefined): string {
  if (cell === undefined) return "not there";
  return cell.condition === null ? cell.cell : `${cell.cell} ${cell.condition}`;
}

/** What a file holds, if it is a matrix. */
export function matrixFrom(value: unknown): Matrix | undefined {
  if (!isJsonObject(value) || !isJsonObject(value["realms"])) return undefined;
  const realms = mapped(value["realms"], (collections) =>
    mapped(collections, (rows) => mapped(rows, (cells) => mapped(cells, cellFrom))),
  );
  return realms && { realms };
}

/** Undefined where it is no object, or one of its members is not what it should be. */
function mapped<T>(
  value: unknown,
  read: (member: unknown) => T | undefined,
): Readonly<Record<string, T>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const members: [string, T][] = [];
  for (const [name, member] of Object.entries(value)) {
    const found = read(member);
    if (found === undefined) return undefined;
    members.push([name, found]);
  }
  return Object.fromEntries(members);
}

function cellFrom(value: unknown): Cell | undefined {
  if (!isJsonObject(value)) return undefined;
  const { cell, condition } = value;
  if (cell === "always" || cell === "never") return condition === null ? { cell, condition } : undefined;
  if (cell !== "if" && cell !== "undecided") return undefined;
  return typeof condition === "string" ? { cell, condition } : undefined;
}
