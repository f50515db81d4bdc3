import { randomInt } from "node:crypto";
import type { Batch, Create, Outcome, Read, Update } from "./history.ts";

/** The servers of a run; each may die at any time. */
export interface Fleet {
  /** Where one of them listens, whether it lives or not. */
  anyUrl(): string;
}

export interface Documents {
  /** Written by single updates. */
  readonly single: readonly string[];
  /** Written by batches. */
  readonly group: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** One of several clients that write to the same documents through any server, and note what they see. */
export class Client {
  readonly reads: Read[] = [];
  readonly updates: Update[] = [];
  readonly batches: Batch[] = [];
  readonly creates: Create[] = [];
  readonly #name: string;
  readonly #fleet: Fleet;
  readonly #base: string;
  readonly #key: string;
  readonly #documents: Documents;
  #serial = 0;

  /** @param base `/v1/<realm>/main` */
  constructor(name: string, fleet: Fleet, base: string, key: string, documents: Documents) {
    this.#name = name;
    this.#fleet = fleet;
    this.#base = base;
    this.#key = key;
    this.#documents = documents;
  }

  async run(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const kind = randomInt(4);
      if (kind === 0) await this.#batch();
      else if (kind === 1) await this.#create(goesOn);
      else await this.#update();
    }
  }

  #value(): string {
    this.#serial += 1;
    return `${this.#name}-${this.#serial}`;
  }

  async #update(): Promise<void> {
    const { single } = this.#documents;
    const id = single[randomInt(single.length)] ?? "";
    const seen = await this.#read("GET", id);
    if (seen === undefined) return;
    const value = this.#value();
    const expected = seen.version;
    const begun = performance.now();
    const answer = await this.#send("PATCH", `notes/${id}`, { value }, { "if-match": `"${expected}"` });
    this.updates.push({ id, value, expected, outcome: outcomeOf(answer) });
    if (answer?.status === 200) this.#note(answer, begun);
  }

  async #batch(): Promise<void> {
    const value = this.#value();
    const operations = this.#documents.group.map((id) => ({
      op: "patch",
      collection: "notes",
      id,
      patch: { value },
    }));
    const answer = await this.#send("POST", "_batch", { operations });
    this.batches.push({ value, outcome: outcomeOf(answer) });
    for (const id of this.#documents.group) await this.#read("GET", id);
  }

  /** Sends one create with its key until a server answers for good. */
  async #create(goesOn: () => boolean): Promise<void> {
    const value = this.#value();
    const ids: string[] = [];
    // Twice at least: the second answer is a replay of the first.
    for (let answered = 0; answered < 2 && goesOn(); ) {
      const answer = await this.#send(
        "POST",
        "notes",
        { value, kind: "created" },
        { "idempotency-key": value },
      );
      if (answer?.status === 201) {
        ids.push(String(answer.body["id"]));
        answered += 1;
      } else if (outcomeOf(answer) === "refused") {
        // Held by a server that died; nobody waits for the end of its lease here.
        break;
      }
    }
    this.creates.push({ value, ids });
  }

  async #read(method: "GET", id: string): Promise<Read | undefined> {
    const begun = performance.now();
    const answer = await this.#send(method, `notes/${id}`);
    return answer?.status === 200 ? this.#note(answer, begun) : undefined;
  }

  #note({ body }: Answer, begun: number): Read {
    const meta = body["_meta"];
    const version = typeof meta === "object" && meta !== null && "version" in meta ? Number(meta.version) : 0;
    const ended = performance.now();
    const read = { id: String(body["id"]), version, value: String(body["value"]), begun, ended };
    this.reads.push(read);
    return read;
  }

  /** Undefined when the connection broke. */
  async #send(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | undefined> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    try {
      const answer = await fetch(`${this.#fleet.anyUrl()}${this.#base}/${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#key}`, "content-type": type, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

/** @throws Error for an answer that no server may give to these requests */
function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer === undefined || answer.status === 503) return "unknown";
  if (answer.status < 300) return "done";
  if (answer.status === 409 || answer.status === 412) return "refused";
  throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
}
