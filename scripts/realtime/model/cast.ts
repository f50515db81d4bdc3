/** Those who subscribe, and those who come in their place when their credential has ended. */
import type { Random } from "../../organizations/model/prng.ts";
import { insertUser } from "../../people.ts";
import { ask } from "../wire/requests.ts";
import { newWanted } from "./choose.ts";
import type { Wanted } from "./followed.ts";
import { type Known, newKey, newSession, users } from "./people.ts";
import type { Stage } from "./stage.ts";
import { Subscriber } from "./subscriber.ts";
import type { Moments } from "./timeline.ts";
import type { CollectionName } from "./world.ts";

const roles = ["anonymous", "ann", "bob", "cid", "eve", "delegate", "key", "limited key", "guest"] as const;
type Role = (typeof roles)[number];

const minute = 60_000;

/** How a credential ends, with the word that its stream is told. */
export const endings = ["signed_out", "revoked", "disabled", "deleted", "reauth"] as const;

export class Cast {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #moments: Moments;
  readonly #documentsOf: (collection: CollectionName) => readonly string[];
  readonly #playing = new Map<Subscriber, { readonly role: Role; readonly known: Known }>();
  #serial = 0;

  constructor(
    stage: Stage,
    random: Random,
    moments: Moments,
    documentsOf: (collection: CollectionName) => readonly string[],
  ) {
    this.#stage = stage;
    this.#random = random;
    this.#moments = moments;
    this.#documentsOf = documentsOf;
  }

  get subscribers(): readonly Subscriber[] {
    return [...this.#playing.keys()];
  }

  async gather(): Promise<void> {
    for (const role of roles) await this.#enter(role);
  }

  /** For a subscription that is added. */
  wanted(): Wanted {
    return newWanted(this.#random, this.#documentsOf);
  }

  nextName(): string {
    this.#serial += 1;
    return `s${this.#serial}`;
  }

  /** Whoever has ended is followed by another one of their kind. */
  async replaceEnded(): Promise<readonly Subscriber[]> {
    const ended = [...this.#playing].filter(([{ ended }]) => ended !== undefined);
    for (const [subscriber, { role, known }] of ended) {
      if (subscriber.ended === "reauth" && known.caller.kind === "session") {
        const { caller } = known;
        const credential = await this.#session(caller.user, caller.mfa, role);
        subscriber.renew(credential);
        this.#playing.set(subscriber, { role, known: { caller, credential } });
        continue;
      }
      this.#playing.delete(subscriber);
      await this.#enter(role);
    }
    return ended.map(([subscriber]) => subscriber);
  }

  /** Ends somebody's credential; answers who is to be told, and what. */
  async endOne(
    how: (typeof endings)[number],
  ): Promise<{ readonly subscriber: Subscriber; readonly ended: string } | undefined> {
    const asGuest = how === "disabled" || how === "deleted";
    const mortal = [...this.#playing].filter(
      ([
        { isOpen },
        {
          role,
          known: { caller },
        },
      ]) => {
        if (!isOpen) return false;
        if (asGuest) return role === "guest";
        if (how === "reauth") return role === "guest";
        return caller.kind === "session" || (how === "revoked" && caller.kind === "key");
      },
    );
    if (mortal.length === 0) return undefined;
    const [subscriber, { known }] = this.#random.pick(mortal);
    const { caller, credential = "" } = known;
    if (how === "reauth") return { subscriber, ended: "reauth" };
    if (how === "signed_out") {
      await this.#ask("POST", "/_auth/logout", credential);
    } else if (caller.kind === "key") {
      const { body } = await this.#ask("GET", "/_admin/keys?limit=100", "administrator");
      const listed: readonly { readonly id: string; readonly name: string }[] = JSON.parse(
        JSON.stringify(body["items"]),
      );
      const id = listed.find(({ name }) => name === credential)?.id;
      await this.#ask("DELETE", `/_admin/keys/${id}`, "administrator");
    } else if (caller.kind === "session") {
      const path = `/_admin/users/${caller.user}`;
      if (how === "revoked") await this.#ask("DELETE", `${path}/sessions`, "administrator");
      else if (how === "deleted") await this.#ask("DELETE", path, "administrator");
      else await this.#ask("PATCH", path, "administrator", { disabled: true });
    }
    return { subscriber, ended: `session_ended ${how}` };
  }

  async #ask(method: string, path: string, credential: string, body?: { readonly disabled: boolean }) {
    const answer = await ask(method, this.#stage.url() + path, {
      headers: this.#stage.credentials.bearer(credential),
      ...(body !== undefined && { body }),
    });
    if (answer.status >= 300 || answer.status < 200) {
      throw new Error(`${method} ${path} answered ${answer.status} ${answer.code}`);
    }
    return answer;
  }

  async #enter(role: Role): Promise<void> {
    const known = await this.#known(role);
    this.#serial += 1;
    const serial = this.#serial;
    const options = {
      name: `${role} ${serial}`,
      caller: known.caller,
      session: known.credential,
      place: this.#stage,
      moments: this.#moments,
      localAddress: role === "anonymous" ? "127.0.0.2" : undefined,
    };
    this.#playing.set(new Subscriber(options, this.#subscriptions(role)), { role, known });
  }

  #subscriptions(role: Role): ReadonlyMap<string, Wanted> {
    const wanted = new Map<string, Wanted>([["beat", { collection: "beats", doc: "beat" }]]);
    const count = this.#random.pick([3, 5, 8] as const);
    for (let n = 0; n < count; n += 1) wanted.set(this.nextName(), this.wanted());
    // One at least is there for the flood.
    if (role === "anonymous" || this.#random.chance(0.3)) wanted.set("blob", { collection: "blobs" });
    return wanted;
  }

  async #known(role: Role): Promise<Known> {
    const { clock, credentials } = this.#stage;
    const store = this.#stage.store();
    switch (role) {
      case "anonymous":
        return { caller: { kind: "anonymous" }, credential: undefined };
      case "delegate":
        return { caller: { kind: "delegate", user: this.#random.pick(users) }, credential: "delegate" };
      case "key":
      case "limited key":
        return newKey(store, clock, credentials, role === "limited key");
      case "guest": {
        const user = credentials.next("guest");
        await insertUser(store, clock, user);
        const credential = await this.#session(user, false, role);
        return { caller: { kind: "session", user, mfa: false }, credential };
      }
      default: {
        const mfa = this.#random.chance(0.5);
        const credential = await this.#session(role, mfa, role);
        return { caller: { kind: "session", user: role, mfa }, credential };
      }
    }
  }

  /** That of a guest is over when the next wait is. */
  #session(user: string, mfa: boolean, role: Role): Promise<string> {
    const { clock, credentials } = this.#stage;
    const lifetime = role === "guest" ? { lifetime: 15 * minute } : {};
    return newSession(this.#stage.store(), clock, credentials, user, { mfa, ...lifetime });
  }
}
