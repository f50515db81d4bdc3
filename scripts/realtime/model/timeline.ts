import type { JsonObject } from "../../../runtime/json.ts";
import { type Access, type Caller, type CollectionName, viewOf } from "./world.ts";

/** Moments of a run: each is later than the one before. */
export class Moments {
  #last = 0;

  /** What happened, for whoever has to find out why. */
  readonly journal: string[] = [];

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  note(what: string): void {
    this.journal.push(`${this.#last} ${what}`);
    if (this.journal.length > 20_000) this.journal.splice(0, 10_000);
  }
}

/** Access that was in force, from the request that made it so to the answer of the one that changed it. */
interface Reign {
  readonly access: Access;
  readonly from: number;
  until: number;
}

/** A version of a document in all its members. */
interface Written {
  readonly full: JsonObject;
  /** When the request was sent that wrote it. */
  readonly from: number;
}

/** Who could read what, and when. */
export class Timeline {
  #reigns: Reign[];
  readonly #written = new Map<string, Written[]>();
  /** Documents of which versions may be that nobody was told of: a server died, or their organization. */
  readonly #uncertain = new Set<string>();

  constructor(access: Access) {
    this.#reigns = [{ access, from: 0, until: Number.POSITIVE_INFINITY }];
  }

  get access(): Access {
    const last = this.#reigns.at(-1);
    if (last === undefined) throw new Error("no access");
    return last.access;
  }

  /** @param from when the request was sent @param until when it was answered */
  changed(access: Access, from: number, until: number): void {
    const last = this.#reigns.at(-1);
    if (last !== undefined) last.until = until;
    this.#reigns.push({ access, from, until: Number.POSITIVE_INFINITY });
  }

  /** What was before counts no longer: everybody has heard of it. */
  settle(): void {
    this.#reigns = this.#reigns.slice(-1);
  }

  wrote(collection: CollectionName, id: string, version: number, full: JsonObject, from: number): void {
    const key = `${collection}/${id}@${version}`;
    this.#written.set(key, [...(this.#written.get(key) ?? []), { full, from }]);
  }

  /** A write of it may or may not have been done. */
  doubt(collection: CollectionName, id: string): void {
    this.#uncertain.add(`${collection}/${id}`);
  }

  /**
   * Why a caller could not have been shown a version as they were; undefined: they could.
   * @param view as it was shown; undefined where only that it was there is told
   * @param at when it arrived
   * @param lags whether access as it was at the last rest counts too
   */
  whyNot(
    caller: Caller,
    collection: CollectionName,
    { id, version, view, at }: { id: string; version: number; view: JsonObject | undefined; at: number },
    lags: boolean,
  ): string | undefined {
    const written = this.#written.get(`${collection}/${id}@${version}`);
    if (written === undefined) {
      return this.#uncertain.has(`${collection}/${id}`) ? undefined : "nobody wrote that version";
    }
    const shown = view && canonical(view);
    const could = written.some(({ full, from }) =>
      this.#reigns.some((reign) => {
        if (reign.from > at || (!lags && reign.until < from)) return false;
        const seen = viewOf(reign.access, caller, collection, full);
        return seen !== undefined && (shown === undefined || canonical(seen) === shown);
      }),
    );
    if (could) return undefined;
    const full = written.map((each) => canonical(each.full)).join(" or ");
    return shown === undefined ? `it was ${full}` : `shown ${shown}, it was ${full}`;
  }
}

/** Members of documents come in one order wherever they are shown. */
function canonical(document: JsonObject): string {
  return JSON.stringify(document);
}
