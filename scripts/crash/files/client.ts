/** What clients of the server do with files, and what they were told. */
import { hash, randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { type Answer, sendInPieces } from "./pieces.ts";

const fields = ["scan", "film"] as const;
type Field = (typeof fields)[number];

/** Of a field what was acknowledged last: a file's SHA-256, or that there is none; undefined where nobody knows. */
type Known = string | "none" | undefined;

/** What a document names. */
export interface Named {
  readonly document: string;
  readonly field: string;
  readonly id: string;
  readonly sha256: string;
  readonly size: number;
}

/** Contents that several documents have at a time, and none for a while. */
const shared = Array.from({ length: 8 }, () => randomBytes(randomInt(1, 100_000)));

/** Documents that each writer has at a time. */
const held = 6;

export class Client {
  /** How often each was acknowledged. */
  readonly acknowledged = { uploads: 0, direct: 0, resumable: 0, removals: 0, documents: 0 };
  readonly #base: () => string;
  readonly #known = new Map<string, Record<Field, Known>>();
  /** SHA-256 of all files that were ever acknowledged. */
  readonly contents = new Set<string>();
  readonly #problems: string[] = [];
  /** Documents whose deletion was acknowledged, or may have come about. */
  readonly #deleted = new Map<string, "yes" | "perhaps">();

  /** @param base of the collection's routes */
  constructor(base: () => string) {
    this.#base = base;
  }

  get total(): number {
    return Object.values(this.acknowledged).reduce((all, each) => all + each, 0);
  }

  /** Each writer has documents of its own. */
  async write(goesOn: () => boolean): Promise<void> {
    const own: string[] = [];
    while (goesOn()) {
      const id = own.length < held ? await this.#create() : own[randomInt(own.length)];
      if (id === undefined) continue;
      if (!own.includes(id)) own.push(id);
      const what = randomInt(10);
      if (what < 2) await this.#remove(id);
      else if (what < 3) {
        own.splice(own.indexOf(id), 1);
        await this.#delete(id);
      } else if (what < 5) await this.#sendDirectly(id);
      else if (what < 7) await this.#sendInPieces(id);
      else await this.#upload(id);
    }
  }

  async #create(): Promise<string | undefined> {
    const { body } = await this.#ask("", json({}));
    if (typeof body["id"] !== "string") return undefined;
    this.#known.set(body["id"], { scan: "none", film: "none" });
    return body["id"];
  }

  async #upload(id: string): Promise<void> {
    const bytes = content();
    this.#tell(id, "scan", undefined);
    const path = `/${id}/_files/scan?replace=true`;
    const { status } = await this.#ask(path, { method: "POST", body: new Blob([bytes]) });
    if (status !== 201) return;
    this.#tell(id, "scan", hash("sha256", bytes));
    this.acknowledged.uploads += 1;
  }

  async #sendDirectly(id: string): Promise<void> {
    const bytes = content();
    const sha256 = hash("sha256", bytes);
    const said = { name: "film", type: "application/octet-stream", size: bytes.length, sha256 };
    const { body } = await this.#ask(`/${id}/_files/film/_uploads?replace=true`, json(said));
    const { upload, url, headers } = body;
    if (typeof url !== "string" || !isJsonObject(headers)) return;
    const told = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const put = { method: "PUT", headers: told, body: new Blob([bytes]) };
    if ((await this.#ask(new URL(url, this.#base()).href, put)).status !== 204) return;
    this.#tell(id, "film", undefined);
    const { status } = await this.#ask(`/${id}/_files/film/_uploads/${upload}/complete`, { method: "POST" });
    if (status !== 201) return;
    this.#tell(id, "film", sha256);
    this.acknowledged.direct += 1;
  }

  /** In pieces, over kills. */
  async #sendInPieces(id: string): Promise<void> {
    const bytes = randomBytes(randomInt(1, 400_000));
    this.#tell(id, "scan", undefined);
    const ask = (path: string, init: RequestInit) => this.#ask(path, init);
    const problem = await sendInPieces(ask, `/${id}/_files/scan/_tus`, bytes);
    if (problem === "not begun") return;
    if (problem !== undefined) {
      this.#problems.push(`an upload of ${id} in pieces: ${problem}`);
      return;
    }
    this.#tell(id, "scan", hash("sha256", bytes));
    this.acknowledged.resumable += 1;
  }

  async #remove(id: string): Promise<void> {
    const field = fields[randomInt(fields.length)] ?? "scan";
    const { [field]: file } = (await this.#ask(`/${id}`, {})).body;
    if (!isJsonObject(file)) return;
    this.#tell(id, field, undefined);
    const { status } = await this.#ask(`/${id}/_files/${field}/${file["id"]}`, { method: "DELETE" });
    if (status !== 204) return;
    this.#tell(id, field, "none");
    this.acknowledged.removals += 1;
  }

  async #delete(id: string): Promise<void> {
    this.#deleted.set(id, "perhaps");
    const { status } = await this.#ask(`/${id}`, { method: "DELETE" });
    if (status !== 204) return;
    this.#deleted.set(id, "yes");
    this.acknowledged.documents += 1;
  }

  #tell(id: string, field: Field, known: Known): void {
    if (known !== undefined && known !== "none") this.contents.add(known);
    const all = this.#known.get(id);
    if (all !== undefined) all[field] = known;
  }

  /** What was acknowledged and is not so, and what is named and not there; and what is named. */
  async judged(): Promise<{ readonly problems: readonly string[]; readonly named: readonly Named[] }> {
    const problems = [...this.#problems];
    const named: Named[] = [];
    for (const [id, known] of this.#known) {
      const { status, body } = await this.#ask(`/${id}`, {});
      const deleted = this.#deleted.get(id);
      if (status === 404 && deleted !== undefined) continue;
      if (status !== 200 || deleted === "yes") {
        problems.push(`${id} answers ${status}, and was ${deleted === "yes" ? "deleted" : "not deleted"}`);
        continue;
      }
      for (const field of fields) {
        const file = body[field];
        const has = isJsonObject(file) ? String(file["sha256"]) : "none";
        if (known[field] !== undefined && known[field] !== has)
          problems.push(`${field} of ${id} is ${has}, and was acknowledged as ${known[field]}`);
        if (!isJsonObject(file)) continue;
        named.push({ document: id, field, id: String(file["id"]), sha256: has, size: Number(file["size"]) });
        const response = await fetch(`${this.#base()}/${id}/_files/${field}/${file["id"]}`);
        const bytes = Buffer.from(await response.arrayBuffer());
        if (response.status !== 200 || hash("sha256", bytes) !== has)
          problems.push(`${field} of ${id} cannot be read: ${response.status}`);
      }
    }
    return { problems, named };
  }

  /** Status 0 where there was no answer. */
  async #ask(path: string, init: RequestInit): Promise<Answer> {
    try {
      const response = await fetch(path.startsWith("http") ? path : `${this.#base()}${path}`, init);
      const text = await response.text();
      const body: unknown = text === "" ? {} : JSON.parse(text);
      return { status: response.status, body: isJsonObject(body) ? body : {}, headers: response.headers };
    } catch {
      // The server was killed.
      await setTimeout(5);
      return { status: 0, body: {}, headers: new Headers() };
    }
  }
}

function content(): Buffer {
  return (
    (randomInt(3) === 0 ? shared[randomInt(shared.length)] : undefined) ?? randomBytes(randomInt(1, 200_000))
  );
}

function json(body: JsonObject): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
