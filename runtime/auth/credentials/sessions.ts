import type { AccountSettings } from "../../documents/definition.ts";
import type { RealmInstance } from "../../http/exchange.ts";
import type { RuleUser, UserCaller } from "../caller.ts";
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

  /** The caller whose session token has this hash; undefined when it is unknown or over. Counts as a use of it. */
  async resolve(hash: string, cookie: boolean): Promise<UserCaller | undefined> {
    const now = this.#realm.clock.now();
    const session = this.#sessions.peek(hash) ?? (await this.#sessions.load(hash));
    if (session === undefined || session.expires <= now) return undefined;
    if (now - this.#use.lastUsed(session) >= this.#idleTimeout) return undefined;
    const id = session.record.user;
    const owner = this.#users.peek(id) ?? (await this.#users.load(id));
    if (owner === undefined || owner.disabled || owner.generation !== session.record.generation)
      return undefined;
    this.#use.note(session, now);
    return { kind: "user", actor: owner.actor, user: owner.user, sessionId: session.record.session, cookie };
  }
}
