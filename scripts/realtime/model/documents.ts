/** Writers: what is done to documents, and what came of it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import type { Random } from "../../organizations/model/prng.ts";
import { type Answered, ask, type Headers } from "../wire/requests.ts";
import { flagIds, newDocument, newPatch } from "./choose.ts";
import { orgs, users } from "./people.ts";
import type { Stage } from "./stage.ts";
import type { Moments, Timeline } from "./timeline.ts";
import { type CollectionName, followed, inTeams, metaOf, named, owned, trashed, versionOf } from "./world.ts";

/** A document that was written, as far as is known. */
interface Known {
  readonly collection: CollectionName;
  readonly id: string;
  deleted: boolean;
  /** A request is under way. */
  busy: boolean;
}

/** How many of a collection there are at most: lists stay short. */
const most = 40;

export class Writers {
  /** Statuses by kind of write. */
  readonly outcomes = new Map<string, number>();
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #moments: Moments;
  readonly #timeline: Timeline;
  readonly #documents = new Map<string, Known>();

  constructor(stage: Stage, random: Random, moments: Moments, timeline: Timeline) {
    this.#stage = stage;
    this.#random = random;
    this.#moments = moments;
    this.#timeline = timeline;
  }

  idsOf(collection: CollectionName): readonly string[] {
    return this.#of(collection).map(({ id }) => id);
  }

  /** A write of some kind to a document that nobody else is writing. */
  async write(): Promise<void> {
    const random = this.#random;
    const collection = random.pick(followed);
    const live = this.#of(collection).filter(({ deleted, busy }) => !deleted && !busy);
    const gone = this.#of(collection).filter(({ deleted, busy }) => deleted && !busy);
    const makes = live.length === 0 || (live.length < most && random.chance(0.3));
    if (makes) return this.#create(collection);
    if (gone.length > 0 && random.chance(0.3)) return this.#restore(random.pick(gone));
    if (random.chance(0.08)) return this.#batch();
    const known = random.pick(live);
    const chance = random.next();
    if (chance < 0.18) return this.#remove(known);
    if (chance < 0.35 && owned.includes(collection)) return this.#transfer(known);
    return this.#change(known);
  }

  /** A new version of the document that all subscribers follow. */
  async beat(serial: number): Promise<number> {
    const { status, body } = await this.#send("PATCH", "/main/beats/beat", { title: `beat ${serial}` });
    if (status !== 200) throw new Error(`the beat answered ${status}`);
    return versionOf(body);
  }

  async prepare(): Promise<void> {
    for (const collection of ["beats", "blobs"] as const) {
      const id = collection === "beats" ? "beat" : "blob";
      const from = this.#moments.next();
      const { body } = await this.#send("POST", `/main/${collection}`, { id, title: "first" });
      this.#timeline.wrote(collection, id, versionOf(body), body, from);
    }
  }

  /** More than sockets hold. */
  async flood(): Promise<void> {
    for (let n = 0; n < 14; n += 1) {
      const from = this.#moments.next();
      const { body } = await this.#send("PATCH", "/main/blobs/blob", { title: `${n}`.repeat(900_000) });
      this.#timeline.wrote("blobs", "blob", versionOf(body), body, from);
    }
    const from = this.#moments.next();
    const { body } = await this.#send("PATCH", "/main/blobs/blob", { title: "small again" });
    this.#timeline.wrote("blobs", "blob", versionOf(body), body, from);
  }

  async #create(collection: CollectionName): Promise<void> {
    const random = this.#random;
    const document = newDocument(random, collection, this.#stage.clock.now());
    const from = this.#moments.next();
    if (named.includes(collection)) {
      const id = random.pick(flagIds);
      if (this.#documents.get(`${collection}/${id}`)?.busy === true) return;
      const answer = await this.#send("POST", `/main/${collection}`, { id, ...document });
      this.#note("create named", collection, answer, from);
      return;
    }
    const org = random.pick(orgs);
    if (owned.includes(collection) && (collection !== "reviews" || random.chance(0.7))) {
      const teams = this.#timeline.access.orgs[org]?.teams ?? [];
      const team = inTeams.includes(collection) && teams.length > 0 && random.chance(0.8);
      const query = `?org=${org}${team ? `&team=${random.pick(teams)}` : ""}`;
      const answer = await this.#send("POST", `/_admin/data/main/${collection}${query}`, document);
      this.#note("create in organization", collection, answer, from);
      return;
    }
    if (random.chance(0.3)) {
      this.#note("create", collection, await this.#send("POST", `/main/${collection}`, document), from);
      return;
    }
    const user = random.pick(users);
    const made = await this.#send("POST", `/main/${collection}`, document, this.#as(user));
    this.#count("create as user", made);
    const id = made.body["id"];
    // They are not shown everything that they wrote.
    if (made.status === 201 && typeof id === "string") await this.#look({ collection, id }, from);
  }

  async #change(known: Known): Promise<void> {
    const random = this.#random;
    const { collection, id } = known;
    const now = this.#stage.clock.now();
    await this.#busily([known], async (from) => {
      const path = `/main/${collection}/${id}`;
      if (collection === "posts" && random.chance(0.3)) {
        const by = this.#as(random.pick(users));
        const answer = await this.#send("PATCH", path, newPatch(random, "plans", now), by);
        this.#count("patch as user", answer);
        if (answer.status === 200) await this.#look(known, from);
        else this.#lost(known, answer);
        return;
      }
      const route = random.chance(0.5) ? path : `/_admin/data${path}`;
      const whole = random.chance(0.4);
      const body = whole ? newDocument(random, collection, now) : newPatch(random, collection, now);
      const answer = await this.#send(whole ? "PUT" : "PATCH", route, body);
      this.#note(whole ? "replace" : "patch", collection, answer, from, known);
    });
  }

  async #remove(known: Known): Promise<void> {
    const { collection, id } = known;
    const purge = trashed.includes(collection) && this.#random.chance(0.3);
    await this.#busily([known], async () => {
      const answer = await this.#send("DELETE", `/main/${collection}/${id}${purge ? "?purge=true" : ""}`);
      this.#count(purge ? "purge" : "delete", answer);
      if (answer.status !== 204) return this.#lost(known, answer);
      if (trashed.includes(collection) && !purge) known.deleted = true;
      else this.#forget(known);
    });
  }

  async #restore(known: Known): Promise<void> {
    const { collection, id } = known;
    await this.#busily([known], async (from) => {
      if (this.#random.chance(0.2)) {
        const answer = await this.#send("DELETE", `/main/${collection}/${id}?purge=true`);
        this.#count("purge from trash", answer);
        this.#forget(known);
        if (answer.status !== 204) this.#lost(known, answer);
        return;
      }
      const answer = await this.#send("POST", `/main/${collection}/${id}/restore`);
      if (answer.status === 200) known.deleted = false;
      this.#note("restore", collection, answer, from, known);
    });
  }

  async #transfer(known: Known): Promise<void> {
    const random = this.#random;
    const { collection, id } = known;
    const org = collection === "reviews" && random.chance(0.3) ? null : random.pick(orgs);
    const teams = (org !== null && this.#timeline.access.orgs[org]?.teams) || [];
    const team = inTeams.includes(collection) && teams.length > 0 ? { team: random.pick(teams) } : {};
    await this.#busily([known], async (from) => {
      const path = `/_admin/data/main/${collection}/${id}/_transfer`;
      const answer = await this.#send("POST", path, { org, ...team });
      this.#note("transfer", collection, answer, from, known);
    });
  }

  /** Of documents that belong to no organization, so that it is not refused as a whole too often. */
  async #batch(): Promise<void> {
    const random = this.#random;
    const now = this.#stage.clock.now();
    const free = [...this.#of("posts"), ...this.#of("shows")].filter(
      ({ busy, deleted }) => !busy && !deleted,
    );
    const chosen = random.some(free, 4);
    await this.#busily(chosen, async (from) => {
      const operations = chosen.map(({ collection, id }): JsonObject => {
        if (random.chance(0.2)) return { op: "delete", collection, id };
        return { op: "patch", collection, id, patch: newPatch(random, collection, now) };
      });
      for (const collection of ["posts", "shows"] as const) {
        operations.push({ op: "create", collection, document: newDocument(random, collection, now) });
      }
      const answer = await this.#send("POST", "/main/_batch", { operations });
      this.#count("batch", answer);
      const { results } = answer.body;
      if (!Array.isArray(results)) {
        for (const known of chosen) this.#lost(known, answer);
        return;
      }
      for (const [at, { op, collection }] of operations.entries()) {
        const known = chosen[at];
        if (op !== "delete") this.#written(followedName(collection), results[at], from);
        else if (known !== undefined && trashed.includes(known.collection)) known.deleted = true;
        else if (known !== undefined) this.#forget(known);
      }
    });
  }

  /** Reads what was written with all members. */
  async #look({ collection, id }: Pick<Known, "collection" | "id">, from: number): Promise<void> {
    const { status, body } = await this.#send("GET", `/_admin/data/main/${collection}/${id}`);
    if (status === 200) this.#written(collection, body, from);
    else this.#timeline.doubt(collection, id);
  }

  #note(kind: string, collection: CollectionName, answer: Answered, from: number, known?: Known): void {
    this.#count(kind, answer);
    if (answer.status === 200 || answer.status === 201) this.#written(collection, answer.body, from);
    else if (known !== undefined) this.#lost(known, answer);
  }

  #written(collection: CollectionName, document: JsonValue | undefined, from: number): void {
    if (!isJsonObject(document)) return;
    const id = String(document["id"]);
    this.#moments.note(`written since ${from}: ${collection}/${JSON.stringify(document)}`);
    this.#timeline.wrote(collection, id, versionOf(document), document, from);
    const key = `${collection}/${id}`;
    const known = this.#documents.get(key);
    if (known === undefined) this.#documents.set(key, { collection, id, deleted: false, busy: false });
    else known.deleted = metaOf(document, "deleted_at") !== undefined;
  }

  /** What was refused was not done; of what was not answered there is no telling. */
  #lost(known: Known, { status }: Answered): void {
    if (status === 404) this.#forget(known);
    if (status === 0 || status >= 500) this.#timeline.doubt(known.collection, known.id);
  }

  #forget({ collection, id }: Known): void {
    this.#documents.delete(`${collection}/${id}`);
  }

  async #busily(known: readonly Known[], work: (from: number) => Promise<void>): Promise<void> {
    for (const each of known) each.busy = true;
    try {
      await work(this.#moments.next());
    } finally {
      for (const each of known) each.busy = false;
    }
  }

  #of(collection: CollectionName): readonly Known[] {
    return [...this.#documents.values()].filter((known) => known.collection === collection);
  }

  #as(user: string): Headers {
    return { ...this.#stage.credentials.bearer("delegate"), "x-svc-on-behalf-of": user };
  }

  #send(method: string, path: string, body?: JsonObject, headers?: Headers): Promise<Answered> {
    return ask(method, this.#stage.url() + path, {
      headers: headers ?? this.#stage.credentials.bearer("administrator"),
      ...(body !== undefined && { body }),
    });
  }

  #count(kind: string, { status, code }: Answered): void {
    const outcome = `${kind} ${status}${code === "" ? "" : ` ${code}`}`;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    this.#moments.note(`writer: ${outcome}`);
  }
}

function followedName(name: JsonValue | undefined): CollectionName {
  const found = followed.find((each) => each === name);
  if (found === undefined) throw new Error(`no collection ${name}`);
  return found;
}
