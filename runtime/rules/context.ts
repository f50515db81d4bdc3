import { type Clock, timestamp } from "../clock.ts";
import type { Filter } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import { kept } from "../kept.ts";
import type { Caller, RuleUser } from "../realm/caller.ts";
import { type Memberships, noMemberships } from "../realm/memberships.ts";
import type { ReadRule, RuleContext } from "../realm/rule.ts";

/**
 * What a request's rules are evaluated with; made once per request, so that all of them see one instant. API keys are
 * nobody: whether a key bypasses the rules is decided before.
 */
export function ruleContext(
  clock: Clock,
  appConfig: JsonObject,
  caller: Caller | undefined,
  memberships: Memberships = noMemberships,
): RuleContext {
  return new RequestContext(caller?.kind === "user" ? caller.user : undefined, appConfig, clock, memberships);
}

/** The same of the same request, whose caller's memberships were not asked for before. */
export function withMemberships(context: RuleContext, memberships: Memberships): RuleContext {
  return context instanceof RequestContext ? context.with(memberships) : { ...context, memberships };
}

/**
 * What a read rule leaves to ask of documents: made once for a user, as long as the record that they were read from
 * stands, unless the rule asks for the time.
 */
export function filterFor(rule: ReadRule, context: RuleContext): Filter {
  return context instanceof RequestContext ? context.filter(rule) : rule.filter(context);
}

interface CallerFilters {
  readonly appConfig: JsonObject;
  /** Rules that ask for memberships are asked with those of the caller, the others of the same caller with none. */
  readonly byMemberships: WeakMap<Memberships, Map<ReadRule, Filter>>;
}

/** By user; those of anonymous callers by `appConfig`. */
const callerFilters = new WeakMap<RuleUser | JsonObject, CallerFilters>();

class RequestContext implements RuleContext {
  readonly user: RuleUser | undefined;
  readonly appConfig: JsonObject;
  readonly memberships: Memberships;
  readonly #clock: Clock;
  #now: string | undefined;
  #timesAsked = 0;

  constructor(user: RuleUser | undefined, appConfig: JsonObject, clock: Clock, memberships: Memberships) {
    this.user = user;
    this.appConfig = appConfig;
    this.memberships = memberships;
    this.#clock = clock;
  }

  with(memberships: Memberships): RequestContext {
    const context = new RequestContext(this.user, this.appConfig, this.#clock, memberships);
    context.#now = this.now;
    return context;
  }

  /** Few rules ask for the time, and printing it costs as much as authenticating. */
  get now(): string {
    this.#timesAsked += 1;
    this.#now ??= timestamp(this.#clock.now());
    return this.#now;
  }

  filter(rule: ReadRule): Filter {
    const filters = this.#callerFilters();
    const known = filters.get(rule);
    if (known !== undefined) return known;
    const before = this.#timesAsked;
    const filter = rule.filter(this);
    if (this.#timesAsked === before) filters.set(rule, filter);
    return filter;
  }

  #callerFilters(): Map<ReadRule, Filter> {
    const { appConfig, memberships, user = appConfig } = this;
    let known = callerFilters.get(user);
    if (known?.appConfig !== appConfig) {
      known = { appConfig, byMemberships: new WeakMap() };
      callerFilters.set(user, known);
    }
    return kept(known.byMemberships, memberships, () => new Map<ReadRule, Filter>());
  }
}
