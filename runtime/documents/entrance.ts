import type { JsonObject } from "../json.ts";
import { kept } from "../kept.ts";
import type { Caller, KeyCaller, KeyScopes, UserCaller } from "../realm/caller.ts";
import type { Exchange, RealmInstance, RouteClass } from "../realm/exchange.ts";
import { ruleContext } from "../rules/context.ts";
import type { Access, Author } from "./access.ts";

/** A way to the documents of a realm. The routes on it do the same, whoever takes it. */
export interface Entrance {
  /** Of its routes. */
  readonly class: RouteClass;
  /** What tells its idempotency keys from those of other ways. */
  readonly name: string;
  /** Who comes to read. */
  readonly reader: Identify;
  /** Who comes to write. */
  readonly writer: Identify;
}

/** The function throws ApiError where somebody may not come this way. */
export type Identify = (exchange: Exchange) => Access | Promise<Access>;

/** Opens a way when a realm starts. */
export type Open = (realm: RealmInstance) => Entrance;

/** The collections' own routes: the access rules decide (spec: Authentication 2). */
export const clientEntrance: Open = (realm) => {
  const identify = clientOf(realm);
  return { class: "document", name: "", reader: identify, writer: identify };
};

const nobody: Access = {
  caller: undefined,
  context: undefined,
  scopes: undefined,
  author: undefined,
  audit: undefined,
};

/** What it answers throws ApiError as `realm.authenticate` does. */
function clientOf({ authenticate, appConfig, clock, definition }: RealmInstance): Identify {
  if (definition.accounts === undefined) return () => nobody;
  const accessWith = (config: JsonObject, caller: Exclude<Caller, KeyCaller>): Access => ({
    caller,
    context: ruleContext(clock, config, caller),
    scopes: scopesOf(caller),
    author: kept(authors, caller, () => authorOf(caller)),
    audit: undefined,
  });
  const accessOf = (caller: Caller): Access | Promise<Access> => {
    if (caller.kind === "key") return kept(keyAccesses, caller, () => keyAccess(caller));
    const config = appConfig();
    return config instanceof Promise
      ? config.then((read) => accessWith(read, caller))
      : accessWith(config, caller);
  };
  // Awaiting what is there already would cost every request a turn.
  return (exchange) => {
    const caller = authenticate(exchange);
    return caller instanceof Promise ? caller.then(accessOf) : accessOf(caller);
  };
}

/** The same again for the same caller: they are kept as long as what they were read from stands. */
const keyAccesses = new WeakMap<KeyCaller, Access>();
const authors = new WeakMap<Caller, Author>();

/** A key bypasses the rules, within its scopes (spec: Authentication 2, 3). */
function keyAccess(caller: KeyCaller): Access {
  const { scopes, actor } = caller;
  return { caller, context: undefined, scopes, author: { actor, owner: null }, audit: undefined };
}

/** What a key that acts for a user creates is the user's (spec: Document). */
function authorOf(caller: Caller): Author {
  return { actor: caller.actor, owner: caller.kind === "user" ? caller.user.id : null };
}

/** What limits a caller beside the rules: the scopes of the key that acts for them. */
function scopesOf(caller: Exclude<Caller, KeyCaller>): KeyScopes | undefined {
  return caller.kind === "user" ? delegatedScopes(caller) : undefined;
}

function delegatedScopes({ credential }: UserCaller): KeyScopes | undefined {
  return credential.kind === "key" ? credential.key.scopes : undefined;
}
