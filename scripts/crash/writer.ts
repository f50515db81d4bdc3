import { randomInt } from "node:crypto";

/** What a document must be after a crash: as last acknowledged, or as the write that was under way would make it. */
interface Expectation {
  readonly acknowledged: State;
  readonly pending?: State;
}

/** `price` of the document and its version; `absent` before the first write and after a delete. */
type State = "absent" | { readonly price: number; readonly version: number };

const collection = "/v1/inventory/stock/items";
const batchSize = 5;

/**
 * One client that writes one request after another until the server dies, and remembers what was acknowledged. The
 * documents are its own, so that nobody else changes them.
 */
export class Writer {
  readonly #name: string;
  readonly #documents = new Map<string, Expectation>();
  #group: string[] = [];
  #serial = 0;
  acknowledged = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Resolves when the server stops answering. */
  async run(url: string): Promise<void> {
    try {
      if (this.#group.length === 0) await this.#makeGroup(url);
      for (;;) await this.#write(url);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // fetch failed: the connection is gone
    }
  }

  /** Compares the restarted server with what was acknowledged; answers the number of documents looked at. */
  async verify(url: string): Promise<number> {
    for (const [id, { acknowledged, pending }] of this.#documents) {
      const found = await state(url, id);
      if (!same(found, acknowledged) && (pending === undefined || !same(found, pending))) {
        const expected = JSON.stringify([acknowledged, pending]);
        throw new Error(
          `${this.#name}: document ${id} is ${JSON.stringify(found)}, expected one of ${expected}`,
        );
      }
      this.#documents.set(id, { acknowledged: found });
    }
    this.#verifyBatch();
    const verified = this.#documents.size;
    // What is known to be gone is forgotten, and of the rest enough is kept.
    const singles = [...this.#documents].filter(([id]) => !this.#group.includes(id));
    for (const [id, { acknowledged }] of singles) {
      if (acknowledged === "absent" || this.#documents.size > 200) this.#documents.delete(id);
    }
    return verified;
  }

  /** A batch patches the whole group to one price: after a crash they must all agree. */
  #verifyBatch(): void {
    const prices = new Set(this.#group.map((id) => JSON.stringify(this.#documents.get(id)?.acknowledged)));
    if (prices.size > 1)
      throw new Error(`${this.#name}: a batch was applied in part: ${[...prices].join(" ")}`);
  }

  async #makeGroup(url: string): Promise<void> {
    const operations = Array.from({ length: batchSize }, () => ({
      op: "create",
      collection: "items",
      document: this.#item(0),
    }));
    const { results } = await send(url, "POST", "/v1/inventory/stock/_batch", { operations }, 200);
    for (const { id } of results as { id: string }[]) {
      this.#group.push(id);
      this.#documents.set(id, { acknowledged: { price: 0, version: 1 } });
    }
  }

  async #write(url: string): Promise<void> {
    const single = this.#newestSingle();
    const price = ++this.#serial;
    switch (single === undefined ? 0 : randomInt(4)) {
      case 0: {
        // A create's id is not known until it is acknowledged, so a lost answer leaves nothing to check.
        const { id } = await send(url, "POST", collection, this.#item(price), 201);
        this.#documents.set(String(id), { acknowledged: { price, version: 1 } });
        break;
      }
      case 1:
        await this.#change(
          single ?? "",
          (version) => ({ price, version: version + 1 }),
          async (id) => {
            await send(url, "PATCH", `${collection}/${id}`, { price }, 200);
          },
        );
        break;
      case 2:
        await this.#change(
          single ?? "",
          () => "absent",
          async (id) => {
            await send(url, "DELETE", `${collection}/${id}`, undefined, 204);
          },
        );
        break;
      default: {
        for (const id of this.#group) this.#announce(id, (version) => ({ price, version: version + 1 }));
        const operations = this.#group.map((id) => ({
          op: "patch",
          collection: "items",
          id,
          patch: { price },
        }));
        await send(url, "POST", "/v1/inventory/stock/_batch", { operations }, 200);
        for (const id of this.#group) this.#settle(id);
      }
    }
    this.acknowledged++;
  }

  #newestSingle(): string | undefined {
    for (const [id, { acknowledged }] of [...this.#documents].reverse()) {
      if (acknowledged !== "absent" && !this.#group.includes(id)) return id;
    }
    return undefined;
  }

  async #change(
    id: string,
    next: (version: number) => State,
    request: (id: string) => Promise<void>,
  ): Promise<void> {
    this.#announce(id, next);
    await request(id);
    this.#settle(id);
  }

  #announce(id: string, next: (version: number) => State): void {
    const acknowledged = this.#documents.get(id)?.acknowledged ?? "absent";
    this.#documents.set(id, {
      acknowledged,
      pending: next(acknowledged === "absent" ? 0 : acknowledged.version),
    });
  }

  #settle(id: string): void {
    const pending = this.#documents.get(id)?.pending;
    if (pending !== undefined) this.#documents.set(id, { acknowledged: pending });
  }

  #item(price: number): object {
    const sku =
      `${this.#name}-${(++this.#serial).toString(36)}-${randomInt(2 ** 30).toString(36)}`.toUpperCase();
    return { sku: sku.slice(0, 20), name: "A thing", unit: "piece", price };
  }
}

async function send(
  url: string,
  method: string,
  path: string,
  body: object | undefined,
  status: number,
): Promise<Record<string, unknown>> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(url + path, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
  return text === "" ? {} : JSON.parse(text);
}

async function state(url: string, id: string): Promise<State> {
  const answer = await fetch(`${url}${collection}/${id}`);
  if (answer.status === 404) return "absent";
  const { price, _meta }: { price: number; _meta: { version: number } } = JSON.parse(await answer.text());
  return { price, version: _meta.version };
}

function same(one: State, other: State): boolean {
  if (one === "absent" || other === "absent") return one === other;
  return one.price === other.price && one.version === other.version;
}
