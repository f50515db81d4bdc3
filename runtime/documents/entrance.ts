import { type RouteContract, takesNeedlessBody } from "../contract/contract.ts";
import type { ApiError } from "../errors.ts";
import { checkNeedlessBody } from "../http/body.ts";
import type { JsonObject } from "../json.ts";
import { kept } from "../kept.ts";
import type { AppConfigMark } from "../realm/app-config.ts";
import { assuranceOf, type Caller, type KeyCaller, keyOf, ownOrganization } from "../realm/caller.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type {
  Exchange,
  OrganizationAsks,
  OrganizationMarks,
  RealmInstance,
  Received,
  RouteClass,
} from "../realm/exchange.ts";
import type { Memberships } from "../realm/memberships.ts";
import type { RuleContext } from "../realm/rule.ts";
import { ruleContext, withMemberships } from "../rules/context.ts";
import type { Access, Author } from "./access.ts";
import { reachedFrom } from "./expand/references.ts";
import type { Named, Place } from "./organizations.ts";

/** A way to the documents of a realm. The routes on it do the same, whoever takes it. */
export interface Entrance {
  /** Of its routes. */
  readonly class: RouteClass;
  /** What tells its idempotency keys from those of other ways. */
  readonly name: string;
  /** Who comes to read. */
  readonly reader: Identify;
  /** What following references from what was read needs to know of who comes, beside. */
  readonly further: Further;
  /** Who comes to write. */
  readonly writer: Identify;
  /** What the organization that a create names is to its caller. */
  readonly place: (access: Access, named: Named) => Place | Promise<Place>;
}

/** Knows all that the access knows, and more. */
export type Further = (access: Access) => Access | Promise<Access>;

/** The function throws ApiError where somebody may not come this way. */
export type Identify = (exchange: Exchange) => Access | Promise<Access>;

/**
 * Opens a way when a realm starts.
 * @param collections those that its route serves
 */
export type Open = (realm: RealmInstance, collections: readonly CollectionDefinition[]) => Entrance;

/** How requests of one route come in. */
export interface Gate {
  /** Who comes. */
  readonly enter: Identify;
  /**
   * The body, and whom it is from: asked once more where it was long in coming, since sessions end and keys are revoked
   * meanwhile.
   * @param access of who came
   * @param refusal as of {@link Exchange.receive}
   * @throws (rejects with) ApiError as that and as `enter` do, and for a needless body that is not well-formed
   */
  readonly receive: (
    access: Access,
    exchange: Exchange,
    refusal?: () => ApiError | undefined,
  ) => Promise<{ readonly received: Received; readonly access: Access }>;
}

/** A route of documents: to see them, or to change them. */
export type RouteThrough = RouteContract & { readonly who: { readonly to: "see" | "change" } };

export function gate(route: RouteThrough, { reader, writer }: Entrance): Gate {
  const enter = route.who.to === "see" ? reader : writer;
  const needless = takesNeedlessBody(route);
  return {
    enter,
    async receive(access, exchange, refusal) {
      const received = await exchange.receive(refusal);
      const still = received.inPieces ? await enter(exchange) : access;
      if (needless) checkNeedlessBody(received);
      return { received, access: still };
    },
  };
}

/** The collections' own routes: the access rules decide (spec: Authentication 2). */
export const clientEntrance: Open = (realm, collections) => {
  const served = new Set(collections);
  // Creates ask what the caller is in the organization, whatever the rules ask.
  const creates = collections.some(({ organization }) => organization !== undefined);
  const reads = asksOf(served);
  const expands = asksOf(reachedFrom(realm, collections));
  return {
    class: "document",
    name: "",
    reader: clientOf(realm, reads),
    further: furtherOf(realm, {
      memberships: expands.memberships && !reads.memberships,
      withheld: expands.withheld && !reads.withheld,
    }),
    writer: clientOf(realm, { ...reads, memberships: creates || reads.memberships }),
    place: ({ caller, context }, named) => {
      const own = ownOrganization(caller);
      if (own === undefined && named.org === undefined) return { ...named, teams: undefined };
      const { org = own } = named;
      return { ...named, teams: memberTeams(context, org), ...(own !== undefined && { own }) };
    },
  };
};

/** API keys have no memberships. */
function memberTeams(
  context: RuleContext | undefined,
  org: string | undefined,
): ReadonlySet<string> | undefined {
  return org === undefined ? undefined : context?.memberships.get(org)?.teams;
}

function asksOf(collections: ReadonlySet<CollectionDefinition>): OrganizationAsks {
  return {
    memberships: [...collections].some(({ asksMemberships }) => asksMemberships === true),
    withheld: [...collections].some(({ organization }) => organization !== undefined),
  };
}

const nobody: Access = {
  caller: undefined,
  context: undefined,
  scopes: undefined,
  withheld: undefined,
  author: undefined,
  audit: undefined,
};

/**
 * Who comes, by their credential, and under the rules. What it answers throws ApiError as `authenticate` does.
 * @param authenticate default: the realm's
 */
export function clientOf(
  realm: RealmInstance,
  asks: OrganizationAsks,
  authenticate: RealmInstance["authenticate"] = realm.authenticate,
): Identify {
  const { appConfig, clock, definition, organizations } = realm;
  if (definition.accounts === undefined) return () => nobody;
  const membershipsOf = (asks.memberships && organizations?.membershipsOf) || undefined;
  const withheldNow = (asks.withheld && organizations?.withheld) || (() => undefined);
  const marksFor = ((asks.memberships || asks.withheld) && organizations?.marks) || (() => undefined);
  const accessWith = (
    caller: Exclude<Caller, KeyCaller>,
    config: JsonObject,
    memberships: Memberships | undefined,
    withheld: Access["withheld"],
  ): Access => ({
    caller,
    context: ruleContext(clock, config, caller, memberships),
    // What limits a caller beside the rules.
    scopes: keyOf(caller)?.scopes,
    withheld,
    author: kept(authors, caller, () => authorOf(caller)),
    audit: undefined,
  });
  const keyAccessWith = (caller: KeyCaller, withheld: Access["withheld"]): Access => {
    const access = kept(keyAccesses, caller, () => keyAccess(caller));
    return withheld === undefined ? access : { ...access, withheld };
  };
  const accessOf = (
    caller: Caller,
    marks: OrganizationMarks | undefined,
    mark: AppConfigMark | undefined,
  ): Access | Promise<Access> => {
    const withheld = withheldNow(marks);
    if (caller.kind === "key") {
      return withheld instanceof Promise
        ? withheld.then((read) => keyAccessWith(caller, read))
        : keyAccessWith(caller, withheld);
    }
    const config = appConfig.forRules(mark);
    const memberships =
      caller.kind === "user" ? membershipsOf?.(caller.user.id, assuranceOf(caller), marks) : undefined;
    // Awaiting what is there already would cost every request a turn.
    return config instanceof Promise || memberships instanceof Promise || withheld instanceof Promise
      ? Promise.all([config, memberships, withheld]).then((read) => accessWith(caller, ...read))
      : accessWith(caller, config, memberships, withheld);
  };
  return (exchange) => {
    const marks = marksFor(asks);
    const mark = appConfig.mark(marks);
    const caller = authenticate(exchange, mark ?? marks);
    return caller instanceof Promise
      ? caller.then((known) => accessOf(known, marks, mark))
      : accessOf(caller, marks, mark);
  };
}

/** What was asked already is not asked again. */
function furtherOf({ organizations }: RealmInstance, asks: OrganizationAsks): Further {
  if (organizations === undefined || !(asks.memberships || asks.withheld)) return (access) => access;
  return async (access) => {
    const { caller, context } = access;
    const [memberships, withheld] = await Promise.all([
      asks.memberships && caller?.kind === "user"
        ? organizations.membershipsOf(caller.user.id, assuranceOf(caller))
        : undefined,
      asks.withheld ? organizations.withheld() : access.withheld,
    ]);
    if (context === undefined || memberships === undefined) return { ...access, withheld };
    return { ...access, withheld, context: withMemberships(context, memberships) };
  };
}

/** The same again for the same caller: they are kept as long as what they were read from stands. */
const keyAccesses = new WeakMap<KeyCaller, Access>();
const authors = new WeakMap<Caller, Author>();

/** A key bypasses the rules, within its scopes (spec: Authentication 2, 3). */
function keyAccess(caller: KeyCaller): Access {
  const { scopes, actor } = caller;
  return {
    caller,
    context: undefined,
    scopes,
    withheld: undefined,
    author: { actor, owner: null },
    audit: undefined,
  };
}

/** What a key that acts for a user creates is the user's (spec: Document). */
function authorOf(caller: Caller): Author {
  return { actor: caller.actor, owner: caller.kind === "user" ? caller.user.id : null };
}
