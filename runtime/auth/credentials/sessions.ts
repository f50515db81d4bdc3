import { documentFields } from "../../filter/fields.ts";
import type { Along } from "../../realm/along.ts";
import type { SessionCaller } from "../../realm/caller.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { collections, sessionFields } from "../collections.ts";
import { readAlong, userStep } from "./along.ts";
import { RecordCache } from "./cache.ts";
import { type LiveSession, type LiveUser, liveSession } from "./live.ts";
import { SessionUse } from "./session-use.ts";

type Realm = Pick<RealmInstance, "store" | "clock" | "background" | "log">;

/** The user of the session that the step before finds. */
const ownerStep = userStep({ step: 0, field: sessionFields.user });

/** Finds the user behind a session. */
export class SessionResolver {
  readonly #realm: Realm;
  readonly #settings: AccountSettings;
  readonly #sessions: RecordCache<LiveSession>;
  readonly #users: RecordCache<LiveUser>;
  readonly #use: SessionUse;

  constructor(realm: Realm, settings: AccountSettings, users: RecordCache<LiveUser>) {
    this.#realm = realm;
    this.#settings = settings;
    this.#sessions = new RecordCache(realm.store, collections.sessions, liveSession);
    this.#users = users;
    this.#use = new SessionUse(realm);
  }

  /**
   * The caller whose session token has this hash; undefined when it is unknown or over. Counts as a use of it. Answers at
   * once where the records are in memory, as they are for all but the first request; on a shared store they never are, and
   * one command reads both.
   */
  resolve(
    hash: string,
    cookie: boolean,
    along?: Along,
  ): SessionCaller | undefined | Promise<SessionCaller | undefined> {
    const session = this.#sessions.peek(hash);
    const owner = session === undefined ? undefined : this.#users.peek(session.user);
    if (session === undefined || owner === undefined) return this.#load(hash, cookie, along);
    return this.#caller(session, owner, cookie);
  }

  /** Notes that a session administers: its administration lapses when that was too long ago. */
  administers({ credential }: SessionCaller): void {
    this.#use.noteAdministration(credential.id, this.#realm.clock.now());
  }

  used({ credential: { id, hash } }: SessionCaller): void {
    // What is noted of it nowhere yet was not written for a minute.
    this.#use.note({ id, hash, lastUsed: 0 }, this.#realm.clock.now());
  }

  async #load(hash: string, cookie: boolean, along: Along | undefined): Promise<SessionCaller | undefined> {
    if (!this.#sessions.keeps) return this.#read(hash, cookie, along);
    const session = this.#sessions.peek(hash) ?? (await this.#sessions.load(hash));
    if (session === undefined) return undefined;
    const owner = this.#users.peek(session.user) ?? (await this.#users.load(session.user));
    return owner === undefined ? undefined : this.#caller(session, owner, cookie);
  }

  async #read(hash: string, cookie: boolean, along: Along | undefined): Promise<SessionCaller | undefined> {
    const step = { collection: collections.sessions, key: documentFields.id, value: hash, limit: 1 };
    const [session, owner] = await readAlong(this.#realm.store, [step, ownerStep], ownerStep.value, along);
    if (session === undefined || owner === undefined) return undefined;
    return this.#caller(this.#sessions.of(session), this.#users.of(owner), cookie);
  }

  #caller(session: LiveSession, owner: LiveUser, cookie: boolean): SessionCaller | undefined {
    const now = this.#realm.clock.now();
    const { sessionIdleTimeout } = this.#settings;
    if (session.expires <= now || now - this.#use.lastUsed(session) >= sessionIdleTimeout) return undefined;
    if (owner.disabled || owner.generation !== session.generation) return undefined;
    this.#use.note(session, now);
    const lapsed = owner.administration !== undefined && this.#isLapsed(session, now);
    const kept = session.caller;
    if (
      kept?.owner === owner &&
      kept.caller.credential.cookie === cookie &&
      kept.caller.credential.lapsed === lapsed
    ) {
      return kept.caller;
    }
    const caller = sessionCaller(session, owner, cookie, lapsed);
    session.caller = { owner, caller };
    return caller;
  }

  #isLapsed(session: LiveSession, now: number): boolean {
    const { adminIdleTimeout, adminMaxLifetime } = this.#settings;
    return (
      now - session.proved >= adminMaxLifetime ||
      now - this.#use.lastAdministered(session) >= adminIdleTimeout
    );
  }
}

function sessionCaller(
  { hash, id, expires, mfa }: LiveSession,
  { actor, user, verified, administration }: LiveUser,
  cookie: boolean,
  lapsed: boolean,
): SessionCaller {
  return {
    kind: "user",
    actor,
    user: mfa ? verified : user,
    credential: { kind: "session", id, hash, expires, cookie, administration, lapsed },
  };
}
