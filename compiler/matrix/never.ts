/** Cells that somebody wants to be `never`: `"member: purge support/tickets"`. */
import { didYouMean } from "../../runtime/suggest.ts";
import type { Cell } from "./cells.ts";
import type { Matrix } from "./matrix.ts";

/** A demand that names no cell; the message says what it names instead. */
export class UnknownCell extends Error {}

export interface Named {
  readonly realm: string;
  readonly collection: string;
  readonly row: string;
  readonly column: string;
  /** Undefined: an operation that the collection does not have, which nobody can do. */
  readonly cell: Cell | undefined;
}

/** @throws UnknownCell */
export function cellNamed(demand: string, matrix: Matrix): Named {
  const [, row = "", column = "", place = ""] = /^\s*(.+?)\s*:\s*(\S+)\s+(\S+)\s*$/.exec(demand) ?? [];
  if (place === "")
    throw new UnknownCell(`'${demand}' names no cell (write '<row>: <column> <database>/<collection>')`);
  const { realm, collection } = placeNamed(place, matrix);
  const rows = matrix.realms[realm]?.[collection] ?? {};
  const cells = Object.hasOwn(rows, row) ? rows[row] : undefined;
  if (cells === undefined) throw unknown(`${realm} has no row '${row}'`, row, Object.keys(rows));
  const cell = Object.hasOwn(cells, column) ? cells[column] : undefined;
  if (cell === undefined && column !== "restore" && column !== "purge")
    throw unknown(`${collection} has no column '${column}'`, column, Object.keys(cells));
  return { realm, collection, row, column, cell };
}

function placeNamed(named: string, { realms }: Matrix): Pick<Named, "realm" | "collection"> {
  const all = Object.entries(realms).flatMap(([realm, collections]) =>
    Object.keys(collections).map((collection) => ({ realm, collection })),
  );
  const found = all.filter(
    ({ realm, collection }) => collection === named || `${realm}/${collection}` === named,
  );
  const [only, other] = found;
  if (only === undefined) {
    const names = all.flatMap(({ realm, collection }) => [collection, `${realm}/${collection}`]);
    const short = all.map(({ collection }) => collection);
    throw unknown(`there is no collection '${named}'`, named, named.split("/").length > 2 ? names : short);
  }
  if (other !== undefined) {
    const names = found.map(({ realm }) => realm).join(", ");
    throw new UnknownCell(
      `several realms have a collection '${named}': ${names} (write ${only.realm}/${named})`,
    );
  }
  return only;
}

function unknown(message: string, name: string, names: readonly string[]): UnknownCell {
  return new UnknownCell(`${message} (${didYouMean(name, names) ?? `there are: ${names.join(", ")}`})`);
}
