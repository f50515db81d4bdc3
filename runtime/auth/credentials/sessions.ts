import type { RuleUser, UserCaller } from "../../realm/caller.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { collections } from "../collections.ts";
import { readUser } from "../records.ts";
import { ruleUser } from "../users.ts";
import { RecordCache } from "./cache.ts";
import { type LiveSession, liveSession, SessionUse } from "./use.ts";

/** A user as it is checked on every request. */
interface LiveUser {
  readonly user: RuleUser;
  readonly actor: `user:${string}`;
  readonly disabled: boolean;
  readonly generation: number;
}

/** Finds the user behind a session. */
export class SessionResolver {
  readonly #realm: Omit<RealmInstance, "authenticate">;
  readonly #idleTimeout: number;
  readonly #sessions: RecordCache<LiveSession>;
  readonly #users: RecordCache<LiveUser>;
  readonly #use: SessionUse;

  constructor(realm: Omit<RealmInstance, "authenticate">, accounts: AccountSettings) {
    this.#realm = realm;
    this.#idleTimeout = accounts.sessionIdleTimeout;
    this.#sessions = new RecordCache(realm.store, collections.sessions, liveSession);
    this.#users = new RecordCache(realm.store, collections.users, (document) => {
      const { record } = readUser(document);
      const { disabled, generation } = record;
      return { user: ruleUser(record, accounts), actor: `user:${record.id}`, disabled, generation };
    });
    this.#use = new SessionUse(realm, accounts.sessionIdleTimeout);
  }

  /**
   * The caller whose session token has this hash; undefined when it is unknown or over. Counts as a use of it. Answers at
   * once where the records are in memory, as they are for all but the first request.
   */
  resolve(hash: string, cookie: boolean): UserCaller | undefined | Promise<UserCaller | undefined> {
    const session = this.#sessions.peek(hash);
    const owner = session === undefined ? undefined : this.#users.peek(session.record.user);
    if (session === undefined || owner === undefined) return this.#load(hash, cookie);
    return this.#caller(session, owner, cookie);
  }

  async #load(hash: string, cookie: boolean): Promise<UserCaller | undefined> {
    const session = this.#sessions.peek(hash) ?? (await this.#sessions.load(hash));
    if (session === undefined) return undefined;
    const id = session.record.user;
    const owner = this.#users.peek(id) ?? (await this.#users.load(id));
    return owner === undefined ? undefined : this.#caller(session, owner, cookie);
  }

  #caller(session: LiveSession, owner: LiveUser, cookie: boolean): UserCaller | undefined {
    const now = this.#realm.clock.now();
    if (session.expires <= now || now - this.#use.lastUsed(session) >= this.#idleTimeout) return undefined;
    if (owner.disabled || owner.generation !== session.record.generation) return undefined;
    this.#use.note(session, now);
    return { kind: "user", actor: owner.actor, user: owner.user, sessionId: session.record.session, cookie };
  }
}
