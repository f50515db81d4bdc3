import { describe, expect, it } from "vitest";
import { eq, FALSE } from "../filter/algebra.ts";
import { field } from "../filter/fields.ts";
import { anonymous, type Caller, type RuleUser } from "../realm/caller.ts";
import type { Memberships } from "../realm/memberships.ts";
import type { ReadRule, RuleContext } from "../realm/rule.ts";
import { filterFor, ruleContext, withMemberships } from "./context.ts";

const user: RuleUser = {
  id: "u1",
  email: "ada@example.com",
  email_verified: true,
  roles: [],
  locale: null,
  mfa: false,
  created_at: "2026-01-01T00:00:00.000Z",
  profile: null,
};

const clock = { now: () => Date.UTC(2026, 2, 1) };
const appConfig = { open: true };
const signedIn: Caller = {
  kind: "user",
  actor: "user:u1",
  user,
  credential: {
    kind: "session",
    id: "s",
    hash: "",
    expires: 0,
    cookie: false,
    administration: undefined,
    lapsed: false,
  },
};
const key: Caller = {
  kind: "key",
  actor: "key:k",
  keyId: "k",
  scopes: undefined,
  administration: undefined,
  delegates: false,
  expires: Number.POSITIVE_INFINITY,
};

it("rules see the user, the request's instant and the realm's configuration", () => {
  const context = ruleContext(clock, appConfig, signedIn);
  expect(context.user).toBe(user);
  expect(context.now).toBe("2026-03-01T00:00:00.000Z");
  expect(context.appConfig).toEqual({ open: true });
});

it("one instant holds for the whole request", () => {
  let time = Date.UTC(2026, 2, 1);
  const context = ruleContext({ now: () => time }, appConfig, signedIn);
  const { now } = context;
  time += 1;
  expect(context.now).toBe(now);
});

it("memberships that are asked for later are those of the same request: one instant, one caller", () => {
  let time = Date.UTC(2026, 2, 1);
  const context = ruleContext({ now: () => time }, appConfig, signedIn);
  const { now } = context;
  time += 1;
  const memberships: Memberships = new Map();
  const further = withMemberships(context, memberships);
  expect(further.memberships).toBe(memberships);
  expect(further).toMatchObject({ user, appConfig, now });
  expect(context.memberships).not.toBe(memberships);
});

describe("the filter of a rule", () => {
  const title = field("title", "string");
  const titled = (value: (context: RuleContext) => string | undefined): ReadRule => ({
    filter: (context) => eq(title, value(context)),
    check: () => false,
  });

  it("is made once for a user, whose record it lives as long as", () => {
    const rule = titled((context) => context.user?.id);
    const first = filterFor(rule, ruleContext(clock, appConfig, signedIn));
    expect(first).toEqual(eq(title, "u1"));
    expect(filterFor(rule, ruleContext(clock, appConfig, signedIn))).toBe(first);
    const changed = { ...signedIn, user: { ...user, id: "u2" } };
    expect(filterFor(rule, ruleContext(clock, appConfig, changed))).toEqual(eq(title, "u2"));
    expect(filterFor(rule, ruleContext(clock, appConfig, anonymous))).toEqual(FALSE);
    expect(filterFor(rule, ruleContext(clock, appConfig, signedIn))).toBe(first);
  });

  it("is another for each rule", () => {
    const context = ruleContext(clock, appConfig, signedIn);
    expect(
      filterFor(
        titled(() => "a"),
        context,
      ),
    ).toEqual(eq(title, "a"));
    expect(
      filterFor(
        titled(() => "b"),
        context,
      ),
    ).toEqual(eq(title, "b"));
  });

  it("is made anew when the realm's configuration is another", () => {
    const rule = titled(({ appConfig }) => `${appConfig["open"]}`);
    const closed = { open: false };
    for (const caller of [signedIn, anonymous]) {
      expect(filterFor(rule, ruleContext(clock, appConfig, caller))).toEqual(eq(title, "true"));
      expect(filterFor(rule, ruleContext(clock, closed, caller))).toEqual(eq(title, "false"));
      expect(filterFor(rule, ruleContext(clock, appConfig, caller))).toEqual(eq(title, "true"));
    }
  });

  it("is made once for the same memberships, beside that of routes that ask for none", () => {
    const rule = titled(({ memberships }) => [...memberships.keys()].join());
    const member = (org: string) => ({
      org,
      roles: new Set<string>(),
      teams: new Set<string>(),
      teamRoles: new Map(),
      claims: {},
    });
    const [one, other] = ["o1", "o2"].map((org) => new Map([[org, member(org)]]));
    const filterWith = (memberships?: Memberships) =>
      filterFor(rule, ruleContext(clock, appConfig, signedIn, memberships));
    const first = filterWith(one);
    expect(first).toEqual(eq(title, "o1"));
    expect(filterWith()).toEqual(eq(title, ""));
    expect(filterWith(other)).toEqual(eq(title, "o2"));
    expect(filterWith(one)).toBe(first);
  });

  it("is made for every request where the rule asks for the time, asked before or not", () => {
    const rule = titled(({ now }) => now);
    for (const day of [1, 2]) {
      const context = ruleContext({ now: () => Date.UTC(2026, 2, day) }, appConfig, signedIn);
      if (day === 2) expect(context.now).toBe("2026-03-02T00:00:00.000Z");
      expect(filterFor(rule, context)).toEqual(eq(title, `2026-03-0${day}T00:00:00.000Z`));
    }
  });
});

it("anonymous callers, API keys and nobody are absent", () => {
  for (const caller of [anonymous, key, undefined])
    expect(ruleContext(clock, appConfig, caller).user).toBeUndefined();
});
