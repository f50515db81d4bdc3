/** The matrix as tables for a terminal, with conditions by their numbers below. */
import picocolors from "picocolors";
import type { Cell } from "../cells.ts";
import type { CollectionMatrix, Matrix } from "../matrix.ts";

/** Characters of a line; what has more columns goes on in a further table. */
const WIDTH = 100;

export function renderMatrix(matrix: Matrix, colored: boolean): string {
  const colors = picocolors.createColors(colored);
  const paints: Readonly<Record<Cell["cell"], (text: string) => string>> = {
    always: colors.green,
    never: colors.dim,
    if: colors.yellow,
    undecided: colors.red,
  };
  const tables = Object.entries(matrix.realms).flatMap(([realm, collections]) =>
    Object.entries(collections).map(([place, rows]) => {
      const conditions = new Conditions();
      const lines = tablesOf(rows, conditions, paints, colors.bold);
      return [colors.bold(`${realm} ${place}`), ...lines, ...conditions.lines()].join("\n");
    }),
  );
  return tables.join("\n\n");
}

/** Conditions of a collection, numbered as they come. */
class Conditions {
  readonly #numbers = new Map<string, number>();

  numberOf(condition: string): number {
    const number = this.#numbers.get(condition) ?? this.#numbers.size + 1;
    this.#numbers.set(condition, number);
    return number;
  }

  lines(): readonly string[] {
    const width = String(this.#numbers.size).length;
    return [...this.#numbers].map(
      ([condition, number]) => `  ${String(number).padStart(width)}  ${condition}`,
    );
  }
}

function tablesOf(
  rows: CollectionMatrix,
  conditions: Conditions,
  paints: Readonly<Record<Cell["cell"], (text: string) => string>>,
  bold: (text: string) => string,
): readonly string[] {
  const [first = {}] = Object.values(rows);
  const names = Object.keys(rows);
  const widest = Math.max(...names.map((name) => name.length));
  // Told once, so that a condition has its number where it is first read.
  const texts = Object.values(rows).map((cells) =>
    Object.fromEntries(Object.entries(cells).map(([column, cell]) => [column, cellText(cell, conditions)])),
  );
  const columns = Object.keys(first).map((name) => ({
    name,
    width: Math.max(name.length, ...texts.map((cells) => cells[name]?.length ?? 0)),
  }));
  return chunks(columns, WIDTH - widest - 2).flatMap((chunk, at) => [
    ...(at === 0 ? [] : [""]),
    bold(
      line(
        "",
        widest,
        chunk.map(({ name, width }) => name.padEnd(width)),
      ),
    ),
    ...Object.entries(rows).map(([name, cells], row) =>
      line(
        name,
        widest,
        chunk.map(({ name: column, width }) => {
          const text = (texts[row]?.[column] ?? "").padEnd(width);
          const cell = cells[column];
          return cell === undefined ? text : paints[cell.cell](text);
        }),
      ),
    ),
  ]);
}

function line(name: string, width: number, cells: readonly string[]): string {
  return `  ${name.padEnd(width)}  ${cells.join("  ")}`.trimEnd();
}

function cellText({ cell, condition }: Cell, conditions: Conditions): string {
  return condition === null ? cell : `${cell} ${conditions.numberOf(condition)}`;
}

interface Column {
  readonly name: string;
  readonly width: number;
}

/** Columns that fit beside each other; at least one. */
function chunks(columns: readonly Column[], width: number): readonly (readonly Column[])[] {
  const all: Column[][] = [];
  let left = 0;
  for (const column of columns) {
    const taken = column.width + 2;
    const last = all.at(-1);
    if (last === undefined || taken > left) {
      all.push([column]);
      left = width - taken;
    } else {
      last.push(column);
      left -= taken;
    }
  }
  return all;
}
