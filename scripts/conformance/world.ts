import { collections } from "../../runtime/auth/collections.ts";
import { passwords } from "../../runtime/auth/credentials/passwords.ts";
import { newToken, tokenHash } from "../../runtime/auth/credentials/tokens.ts";
import { createKey } from "../../runtime/auth/keys.ts";
import { writeSession, writeUser } from "../../runtime/auth/records.ts";
import { timestamp } from "../../runtime/clock.ts";
import type { HeldClock, Started } from "../../runtime/instance/testing.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import type { Pairs } from "./queries.ts";
import type { CallerName } from "./requests.ts";

/** Of every user; the address is `<id>@example.com`. */
export const password = "correct horse";
const hashed = passwords.hash(password);

/** Who sends a request: `token` for `Authorization`, and the id of another session of theirs. */
export interface Identity {
  readonly token: string | undefined;
  readonly otherSession: string;
}

/** A realm on a running server, with callers of every kind and the ids that requests have come to know. */
export class World {
  readonly url: string;
  /** By the path of what they name. */
  readonly known = new Map<string, string[]>();
  /** What was last created, by the path of its collection. */
  readonly created = new Map<string, JsonObject>();
  /** Queries that go on where a page ended, by the path of the list. */
  readonly pages = new Map<string, Pairs[]>();
  readonly #server: Started<HeldClock>;
  readonly #realm: RealmModule["definition"];
  readonly #tokens = new Map<CallerName, string>();
  #serial = 0;

  private constructor(server: Started<HeldClock>, { definition }: RealmModule) {
    this.#server = server;
    this.#realm = definition;
    this.url = server.url;
  }

  /** @param other a realm whose keys are no keys of this one */
  static async open(server: Started<HeldClock>, module: RealmModule, other: string): Promise<World> {
    const world = new World(server, module);
    const { clock } = server;
    const { name, accounts } = module.definition;
    const key = { name: "whole", admin: true };
    const reader = { name: "reader", admin: false, scopes: { read: "*" as const } };
    world.#tokens.set("key", await createKey(server.store(name), clock, key));
    world.#tokens.set("reader", await createKey(server.store(name), clock, reader));
    const foreign = { name: `of ${name}`, admin: true };
    world.#tokens.set("foreign", await createKey(server.store(other), clock, foreign));
    world.#tokens.set("ended", newToken("svs"));
    if (accounts !== undefined) {
      for (const id of ["user", "boss", "known", "victim", "victim-2"]) {
        await world.#createUser(id, id === "boss" ? accounts.roles : []);
      }
      world.known.set(`/v1/${name}/_admin/users`, ["victim", "victim-2"]);
    }
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

  /** Users have a new session each time, since requests end them. */
  async identity(caller: CallerName): Promise<Identity> {
    this.#server.clock.advance(100);
    if ((caller !== "user" && caller !== "boss") || this.#realm.accounts === undefined) {
      return { token: this.#tokens.get(caller), otherSession: "none" };
    }
    const { token } = await this.#createSession(caller);
    const { session } = await this.#createSession(caller);
    return { token, otherSession: session };
  }

  async #createUser(id: string, roles: readonly string[]): Promise<void> {
    const user = {
      id,
      email: `${id}@example.com`,
      email_key: `${id}@example.com`,
      email_verified: true,
      password: await hashed,
      roles,
      disabled: false,
      locale: null,
      profile: null,
      created_at: timestamp(this.#server.clock.now()),
      generation: 1,
    };
    await this.#collection(collections.users).insert(writeUser(user, 1));
  }

  async #createSession(user: string): Promise<{ readonly token: string; readonly session: string }> {
    const token = newToken("svs");
    this.#serial += 1;
    // So that lists of sessions have an order that is the same in every run.
    this.#server.clock.advance(1);
    const session = `session-${this.#serial}`;
    const now = this.#server.clock.now();
    const record = {
      id: tokenHash(token),
      session,
      user,
      generation: 1,
      created_at: timestamp(now),
      last_used_at: timestamp(now),
      expires_at: timestamp(now + 86_400_000),
      user_agent: null,
      address: "127.0.0.1",
    };
    await this.#collection(collections.sessions).insert(writeSession(record, 1));
    return { token, session };
  }

  #collection(name: string) {
    return this.#server.store(this.#realm.name).collection(name);
  }
}
