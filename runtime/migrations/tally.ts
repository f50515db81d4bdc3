/** What was counted of documents, as it can be written down and gone on with. */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { kept } from "../kept.ts";

/** Ids that are named. */
export const NAMED = 10;

/** Documents that something is said of. */
export interface Tally {
  readonly count: number;
  /** The first ids. */
  readonly ids: readonly string[];
  /** Why, the most frequent first: a document counts once for each reason. */
  readonly reasons: readonly Reason[];
}

export interface Reason {
  readonly path: string;
  readonly reason: string;
  readonly count: number;
}

/** Reasons that are told apart: messages of migrations may be different for each document. */
const TOLD_APART = 100;
const others = "other reasons";

interface Counting {
  count: number;
  readonly ids: string[];
  /** By path and reason. */
  readonly reasons: Map<string, { readonly path: string; readonly reason: string; count: number }>;
}

/** By what is said of the documents. */
export class Tallies {
  readonly #all = new Map<string, Counting>();

  add(of: string, id: string, reasons: readonly Pick<Reason, "path" | "reason">[] = []): void {
    const counting = kept(this.#all, of, () => ({ count: 0, ids: [], reasons: new Map() }));
    counting.count += 1;
    if (counting.ids.length < NAMED) counting.ids.push(id);
    for (const { path, reason } of reasons) {
      const own = JSON.stringify([path, reason]);
      const isTold = counting.reasons.has(own) || counting.reasons.size < TOLD_APART;
      const entry = isTold ? { path, reason } : { path: "", reason: others };
      const key = isTold ? own : others;
      kept(counting.reasons, key, () => ({ ...entry, count: 0 })).count += 1;
    }
  }

  of(key: string): Tally {
    const { count, ids, reasons } = this.#all.get(key) ?? { count: 0, ids: [], reasons: new Map() };
    return { count, ids, reasons: [...reasons.values()].sort((a, b) => b.count - a.count) };
  }

  written(): JsonObject {
    return Object.fromEntries(
      [...this.#all].map(([key, { count, ids, reasons }]) => [
        key,
        { count, ids: [...ids], reasons: [...reasons.values()].map((reason) => ({ ...reason })) },
      ]),
    );
  }

  /** @throws Error for what was never written */
  static read(written: JsonValue | undefined): Tallies {
    const tallies = new Tallies();
    for (const [key, value] of Object.entries(isJsonObject(written) ? written : {})) {
      const { count, ids, reasons } = isJsonObject(value) ? value : {};
      if (typeof count !== "number" || !Array.isArray(ids) || !Array.isArray(reasons))
        throw new Error("no tally");
      tallies.#all.set(key, { count, ids: ids.map(String), reasons: new Map(reasons.map(readReason)) });
    }
    return tallies;
  }
}

function readReason(value: JsonValue) {
  const { path, reason, count } = isJsonObject(value) ? value : {};
  if (typeof path !== "string" || typeof reason !== "string" || typeof count !== "number")
    throw new Error("no reason");
  const key = reason === others ? others : JSON.stringify([path, reason]);
  return [key, { path, reason, count }] as const;
}
