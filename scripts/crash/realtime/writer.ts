import { randomInt } from "node:crypto";
import type { JsonObject } from "../../../runtime/json.ts";
import { isJsonObject } from "../../../runtime/json.ts";
import { type Answered, ask, type Headers } from "../../realtime/wire/requests.ts";

/** Collections that are written. */
export const followed = ["posts", "tasks"] as const;

export interface Target {
  /** Of the realm, at a server that lives or does not. */
  url(): string;
  readonly headers: Headers;
}

interface Known {
  readonly collection: string;
  readonly id: string;
  /** As it was acknowledged; undefined where a write had no answer since. */
  version: number | undefined;
}

/** Documents that a writer has at a time. */
const DOCUMENTS = 5;

/** One client, whose documents nobody else writes; notes what was acknowledged, and who was told that it was not. */
export class Writer {
  /** `<collection> <id> <did>`: `+1`, `~2`, `-2`, by the version after it, or before. */
  readonly acknowledged: string[] = [];
  readonly problems: string[] = [];
  readonly #target: Target;
  #documents: Known[] = [];
  #serial = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Something that it has, and will keep. */
  async first(): Promise<string> {
    await this.#create("posts");
    return this.#documents[0]?.id ?? "";
  }

  async run(goesOn: () => boolean): Promise<void> {
    while (goesOn() && this.problems.length === 0) await this.#write();
  }

  #write(): Promise<void> {
    const { length } = this.#documents;
    const known = this.#documents[randomInt(length)];
    const kind = randomInt(6);
    if (known === undefined || (length < DOCUMENTS && kind < 2)) {
      return this.#create(followed[randomInt(followed.length)] ?? "posts");
    }
    if (kind === 2 && known !== this.#documents[0]) return this.#delete(known);
    return kind === 3 ? this.#batch() : this.#patch(known);
  }

  #body(): JsonObject {
    this.#serial += 1;
    return { open: randomInt(2) === 0, rank: randomInt(10), memo: `memo ${this.#serial}` };
  }

  async #create(collection: string): Promise<void> {
    const answer = await this.#send("POST", collection, this.#body());
    if (answer?.status !== 201) return;
    const known: Known = { collection, id: String(answer.body["id"]), version: undefined };
    this.#documents.push(known);
    this.#done(known, answer.body);
  }

  async #patch(known: Known): Promise<void> {
    const answer = await this.#send("PATCH", `${known.collection}/${known.id}`, this.#body());
    if (answer?.status === 200) this.#done(known, answer.body);
    else known.version = undefined;
  }

  async #delete(known: Known): Promise<void> {
    this.#documents = this.#documents.filter((each) => each !== known);
    const answer = await this.#send("DELETE", `${known.collection}/${known.id}`);
    if (answer?.status !== 204 || known.version === undefined) return;
    this.#acknowledge(known, `-${known.version}`);
  }

  async #batch(): Promise<void> {
    const all = [...this.#documents];
    const operations = all.map(({ collection, id }) => ({
      op: "patch",
      collection,
      id,
      patch: this.#body(),
    }));
    const answer = await this.#send("POST", "_batch", { operations });
    const results = answer?.body["results"];
    for (const [at, known] of all.entries()) {
      const result = Array.isArray(results) ? results[at] : undefined;
      if (isJsonObject(result)) this.#done(known, result);
      else known.version = undefined;
    }
  }

  #done(known: Known, { _meta: meta }: JsonObject): void {
    const version = isJsonObject(meta) ? Number(meta["version"]) : Number.NaN;
    known.version = version;
    this.#acknowledge(known, version === 1 ? "+1" : `~${version}`);
  }

  #acknowledge({ collection, id }: Known, did: string): void {
    this.acknowledged.push(`${collection} ${id} ${did}`);
  }

  /** Undefined where nobody knows whether it was done, or where it was not. */
  async #send(method: string, path: string, body?: JsonObject): Promise<Answered | undefined> {
    const { url, headers } = this.#target;
    const answer = await ask(method, `${url()}/main/${path}`, { headers, ...(body && { body }) });
    if (answer.status !== 0 && answer.status < 300) return answer;
    // What a server that was killed had under way may hold up others for a while.
    if (![0, 409, 503].includes(answer.status)) {
      this.problems.push(`${method} ${path} answered ${answer.status} ${answer.code}`);
    }
    return undefined;
  }
}
