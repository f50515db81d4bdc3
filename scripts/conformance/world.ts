import { HOTP, Secret } from "otpauth";
import { collections } from "../../runtime/auth/collections.ts";
import { type MailedPurpose, newMailed, putToken } from "../../runtime/auth/credentials/mailed.ts";
import { newToken } from "../../runtime/auth/credentials/tokens.ts";
import { newInvitation } from "../../runtime/auth/invitations.ts";
import { readUser, type UserRecord, writeInvitation } from "../../runtime/auth/records.ts";
import { queueCallWithin } from "../../runtime/functions/events/calls.ts";
import type { HeldClock, Started } from "../../runtime/instance/testing/servers.ts";
import { recordJob } from "../../runtime/jobs/queue.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import type { FunctionDefinition } from "../../runtime/realm/functions.ts";
import { insertProof, insertSession, insertUser } from "../people.ts";
import { mailKey } from "./functions.ts";
import { keysOf } from "./keys.ts";
import { Tenants } from "./organizations.ts";
import type { Pairs } from "./queries.ts";
import type { CallerName } from "./requests.ts";

/** Who sends a request: what they send, and the id of another session of theirs. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly otherSession: string;
}

/** Seconds of a code of a second factor. */
const period = 30;

/** A realm on a running server, with callers of every kind and the ids that requests have come to know. */
export class World {
  readonly url: string;
  /** By the path of what they name. */
  readonly known = new Map<string, string[]>();
  /** What was last created, by the path of its collection. */
  readonly created = new Map<string, JsonObject>();
  /** Queries that go on where a page ended, by the path of the list. */
  readonly pages = new Map<string, Pairs[]>();
  /** Of second factors, by their user: what was answered last. */
  readonly secrets = new Map<string, string>();
  /** Absent where the realm has no organizations. */
  readonly tenants: Tenants | undefined;
  readonly #server: Started<HeldClock>;
  readonly #realm: RealmModule["definition"];
  readonly #keys: ReadonlyMap<CallerName, string>;
  readonly #roles: ReadonlyMap<string, readonly string[]>;
  #serial = 0;

  private constructor(
    server: Started<HeldClock>,
    { definition }: RealmModule,
    keys: ReadonlyMap<CallerName, string>,
  ) {
    this.#server = server;
    this.#realm = definition;
    this.#keys = keys;
    this.url = server.url;
    if (definition.accounts?.organizations !== undefined) this.tenants = new Tenants(this.#place);
    const roles = definition.accounts?.roles ?? [];
    this.#roles = new Map([
      ["boss", roles.map(({ name }) => name)],
      ["auditor", roles.flatMap(({ name, admin }) => (admin === "read" ? [name] : []))],
    ]);
  }

  /** @param other a realm whose keys are no keys of this one */
  static async open(server: Started<HeldClock>, module: RealmModule, other: string): Promise<World> {
    const { name, accounts } = module.definition;
    const stores = { own: server.store(name), other: server.store(other) };
    const world = new World(server, module, await keysOf(stores, server.clock, module.definition));
    world.known.set(`/v1/${name}/_admin/secrets`, ["PAYMENTS", "search_token", mailKey.name]);
    const numbers = module.definition.collections.flatMap(({ migrations = [] }) => migrations);
    world.known.set(
      `/v1/${name}/_admin/migrations`,
      numbers.map(({ number }) => number),
    );
    if (accounts === undefined) return world;
    for (const id of ["user", "boss", "auditor", "known", "guarded", "victim", "victim-2"])
      await world.#user(id);
    world.known.set(`/v1/${name}/_admin/users`, ["victim", "victim-2"]);
    await world.tenants?.ensureCompany();
    return world;
  }

  /** A new document with its references leading to documents that are known, half of the time. */
  linked(path: string, document: JsonObject, pick: number): JsonObject {
    const { name: realm, collections: all } = this.#realm;
    const { references = {} } =
      all.find((each) => path === `/v1/${realm}/${each.database}/${each.name}`) ?? {};
    const links = Object.values(references).flatMap(({ database, collection, field, key, many }) => {
      const target = `/v1/${realm}/${database}/${collection}`;
      const known = this.known.get(target) ?? [];
      const value =
        key === "id" ? known[(pick >> 1) % Math.max(known.length, 1)] : this.created.get(target)?.[key];
      if (pick % 2 === 0 || value === undefined || document[field.path] === undefined) return [];
      return [[field.path, many ? [value, "nobody"] : value] as const];
    });
    return { ...document, ...Object.fromEntries(links) };
  }

  /**
   * Users have a new session each time, since requests end them.
   * @param proving whether a session brings a proof of identity
   */
  async identity(caller: CallerName, proving: boolean): Promise<Identity> {
    this.#server.clock.advance(1_000);
    const key = this.#keys.get(caller);
    if (key !== undefined) {
      const acting = caller === "delegate" ? { "x-svc-on-behalf-of": (await this.#user("user")).id } : {};
      return { headers: { ...bearer(key), ...acting }, otherSession: "none" };
    }
    if (caller === "ended") return { headers: bearer(newToken("svs")), otherSession: "none" };
    if (this.#realm.accounts === undefined || caller === "anonymous") {
      return { headers: {}, otherSession: "none" };
    }
    const user = await this.#user(caller);
    const { token, session } = await this.#begin(user);
    const other = await this.#begin(user);
    const proof = proving
      ? await insertProof(this.#place.store, this.#place.clock, user, session)
      : undefined;
    return {
      headers: { ...bearer(token), ...(proof !== undefined && { "x-svc-reauth": proof }) },
      otherSession: other.session,
    };
  }

  /** Has a function of a database called in an hour. @param path of one of its jobs */
  async queueCall(path: string): Promise<void> {
    const definition = this.functions.find(
      (each) => each.mode === "call" && path.startsWith(`/v1/${this.name}/${each.database}/`),
    );
    if (definition?.mode !== "call") throw new Error(`nothing can be called of ${path}`);
    const { store, clock } = this.#place;
    this.#serial += 1;
    const newId = () => `call-${this.#serial}`;
    const call = { definition, input: "{}", by: "key:whole", requestId: "none", delay: 3_600_000 };
    const job = await store.transaction((transaction) =>
      queueCallWithin({ clock, newId }, transaction, call),
    );
    this.know(path.split("/{")[0] ?? "", job);
  }

  /** Notes a job that has failed: a call of a function that is no more, and so nobody tries it again. */
  async failJob(): Promise<void> {
    const { store, clock } = this.#place;
    this.#serial += 1;
    const id = `failed-${this.#serial}`;
    const call = { kind: "function.call:gone/gone", target: "function:gone/gone", state: {}, by: "service" };
    await store.transaction((transaction) =>
      recordJob({ clock, newId: () => id }, transaction, call, { status: "failed", error: "refused" }),
    );
    this.know(`/v1/${this.name}/_admin/jobs`, id);
  }

  /** Notes the id of what there is now. */
  know(path: string, id: string): void {
    this.known.set(path, [...(this.known.get(path) ?? []), id]);
  }

  get name(): string {
    return this.#realm.name;
  }

  get functions(): readonly FunctionDefinition[] {
    return this.#realm.functions ?? [];
  }

  /** The path of documents themselves, whichever way leads to them. */
  collection(path: string): string {
    return path.replace("/_admin/data/", "/");
  }

  /** A token as it is mailed to a user. */
  async mailed(purpose: MailedPurpose, id: string): Promise<string> {
    const user = await this.#user(id);
    const { store } = this.#place;
    const { token, record } = newMailed(this.#place, purpose, user, user.email);
    await putToken(store, record, (put) => store.transaction(put));
    return token;
  }

  /** The token of an invitation for whoever has it. */
  async invitation(): Promise<string> {
    this.#serial += 1;
    const newId = () => `invitation-${this.#serial}`;
    const given = { email: null, roles: [], lifetime: 86_400_000 };
    const { token, record } = newInvitation(
      { clock: this.#server.clock, newId },
      { actor: "key:whole" },
      given,
    );
    await this.#place.store.collection(collections.invitations).insert(writeInvitation(record, 1));
    return token;
  }

  /** What the app shows now of the secret that a user was given last. */
  code(caller: CallerName): string | undefined {
    const secret = this.secrets.get(caller);
    if (secret === undefined) return undefined;
    const counter = Math.floor(this.#server.clock.now() / 1_000 / period);
    return HOTP.generate({ secret: Secret.fromBase32(secret), counter });
  }

  get #place() {
    return { store: this.#server.store(this.#realm.name), clock: this.#server.clock };
  }

  /** As they are, or anew where a request has deleted them. */
  async #user(id: string): Promise<UserRecord> {
    const users = this.#place.store.collection(collections.users);
    const stored = await users.get(id, "live");
    if (stored !== undefined) return readUser(stored).record;
    const { store, clock } = this.#place;
    return insertUser(store, clock, id, {
      roles: this.#roles.get(id) ?? [],
      // Whose code nobody has.
      totp: id === "guarded" ? { secret: { key: "", box: "" }, step: 0, recovery: [] } : null,
    });
  }

  async #begin(user: UserRecord): Promise<{ readonly token: string; readonly session: string }> {
    this.#serial += 1;
    // So that lists of sessions have an order that is the same in every run.
    this.#server.clock.advance(1);
    const session = `session-${this.#serial}`;
    const { store, clock } = this.#place;
    const { id, generation } = user;
    return { token: await insertSession(store, clock, id, session, { generation }), session };
  }
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
