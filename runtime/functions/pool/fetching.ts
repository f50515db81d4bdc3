import type { AskedFetch, FetchOptions, FetchReply } from "../fetch/guarded.ts";
import { GuardedFetch } from "../fetch/guarded.ts";

/** What the runs of one thread have fetched. */
export class Fetching {
  readonly #options: FetchOptions;
  readonly #underWay = new Map<string, AbortController>();
  #fetch: GuardedFetch | undefined;

  constructor(options: FetchOptions) {
    this.#options = options;
  }

  async answer(run: number, id: number, asked: AskedFetch): Promise<FetchReply> {
    this.#fetch ??= new GuardedFetch(this.#options);
    const controller = new AbortController();
    const name = `${run} ${id}`;
    this.#underWay.get(name)?.abort();
    this.#underWay.set(name, controller);
    try {
      return await this.#fetch.answer(asked, controller.signal);
    } finally {
      if (this.#underWay.get(name) === controller) this.#underWay.delete(name);
    }
  }

  /** @param id default: all of the run */
  stop(run: number, id?: number): void {
    for (const [name, controller] of this.#underWay) {
      if (id === undefined ? name.startsWith(`${run} `) : name === `${run} ${id}`) controller.abort();
    }
  }

  close(): void {
    for (const controller of this.#underWay.values()) controller.abort();
    this.#fetch?.close();
  }
}
