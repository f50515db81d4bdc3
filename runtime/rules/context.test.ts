import { expect, it } from "vitest";
import { anonymous, type Caller, type RuleUser } from "../auth/caller.ts";
import { ruleContext } from "./context.ts";

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

const realm = { clock: { now: () => Date.UTC(2026, 2, 1) }, definition: { appConfig: { open: true } } };
const signedIn: Caller = { kind: "user", actor: "user:u1", user, sessionId: "s", cookie: false };
const key: Caller = { kind: "key", actor: "key:k", keyId: "k", scopes: undefined, admin: true };

it("rules see the user, the request's instant and the realm's configuration", () => {
  expect(ruleContext(realm, signedIn)).toEqual({
    user,
    now: "2026-03-01T00:00:00.000Z",
    appConfig: { open: true },
  });
});

it("anonymous callers, API keys and nobody are absent", () => {
  for (const caller of [anonymous, key, undefined]) expect(ruleContext(realm, caller).user).toBeUndefined();
});
