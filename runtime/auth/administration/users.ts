import { ApiError } from "../../errors.ts";
import { and, eq, type Filter, TRUE, text } from "../../filter/algebra.ts";
import type { Answer, Route } from "../../realm/exchange.ts";
import { endSessions } from "../accounts/sessions.ts";
import { collections, userFields } from "../collections.ts";
import { BodyReader } from "../input.ts";
import { answerPage, invalidParameter, pageParameters, pageRequest } from "../paging.ts";
import type { AccountRealm } from "../realm.ts";
import { readUser, type UserRecord } from "../records.ts";
import { changeUser, userView } from "../users.ts";
import { administratorRoute } from "./administrator.ts";
import { type AuditEntry, appendAudit } from "./audit.ts";

/** GET `/users`: all, or those with part of an address (`q`), a `role`, a `status`. */
export function listUsers(realm: AccountRealm): Route {
  return administratorRoute(
    realm,
    async (_, _caller, query) => {
      const page = pageRequest(query);
      const users = realm.store.collection(collections.users);
      const entry = (user: UserRecord) => administratorView(realm, user);
      return answerPage(users, search(realm, query), userFields.created_at, page, readUser, entry);
    },
    [...pageParameters, "q", "role", "status"],
  );
}

/** @throws ApiError `invalid_query` */
function search({ accounts }: AccountRealm, query: ReadonlyMap<string, string>): Filter {
  const role = query.get("role");
  if (role !== undefined && !accounts.roles.includes(role))
    throw invalidParameter("role", "is no role of this realm");
  const status = query.get("status");
  if (status !== undefined && status !== "active" && status !== "disabled") {
    throw invalidParameter("status", "must be active or disabled");
  }
  const part = query.get("q")?.toLowerCase();
  return and(
    role === undefined ? TRUE : eq(userFields.roles, role),
    status === undefined ? TRUE : eq(userFields.disabled, status === "disabled"),
    part === undefined ? TRUE : text("contains", userFields.email_key, part),
  );
}

/** GET `/users/{id}`. */
export function getUser(realm: AccountRealm): Route {
  return administratorRoute(realm, async ({ params }) => {
    const document = await realm.store.collection(collections.users).get(params.id ?? "", "live");
    return answer(realm, document === undefined ? undefined : readUser(document).record);
  });
}

/** PATCH `/users/{id}`: `roles` replaces the user's roles; `disabled: true` ends all of the user's sessions. */
export function patchUser(realm: AccountRealm): Route {
  return administratorRoute(realm, async (exchange, caller) => {
    const body = new BodyReader(exchange, "either");
    const given = body.optionalStrings("roles");
    const disabled = body.optionalBoolean("disabled");
    for (const [at, role] of given?.entries() ?? []) {
      if (!realm.accounts.roles.includes(role)) body.problem(`roles.${at}`, "is no role of this realm");
    }
    body.finish();
    const roles = given === undefined ? undefined : [...new Set(given)];
    const user = await changeUser(
      realm.store,
      exchange.params.id ?? "",
      (before) => changed(before, roles, disabled),
      async (transaction, before, after) => {
        const facts = { actor: caller.actor, target: `user:${after.id}` };
        for (const entry of changes(before, after))
          await appendAudit(realm, transaction, exchange, { ...entry, ...facts });
      },
    );
    // They ended with the change of generation; this forgets them.
    if (user?.disabled === true) await endSessions(realm.store, user.id);
    return answer(realm, user);
  });
}

/** The record itself when nothing changes. */
function changed(
  before: UserRecord,
  roles: readonly string[] = before.roles,
  disabled: boolean = before.disabled,
): UserRecord {
  if (disabled === before.disabled && sameRoles(roles, before.roles)) return before;
  const generation = disabled && !before.disabled ? before.generation + 1 : before.generation;
  return { ...before, roles, disabled, generation };
}

function changes(before: UserRecord, after: UserRecord): readonly Pick<AuditEntry, "action" | "details">[] {
  const entries: Pick<AuditEntry, "action" | "details">[] = [];
  if (!sameRoles(before.roles, after.roles)) {
    entries.push({ action: "user.roles", details: { from: before.roles, to: after.roles } });
  }
  if (before.disabled !== after.disabled) {
    entries.push({ action: after.disabled ? "user.disable" : "user.enable", details: {} });
  }
  return entries;
}

function sameRoles(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((role) => other.includes(role));
}

function answer(realm: AccountRealm, user: UserRecord | undefined): Answer {
  if (user === undefined) throw new ApiError("not_found", "There is no such user.");
  return { status: 200, body: JSON.stringify(administratorView(realm, user)) };
}

/** The user with `status`. */
function administratorView({ accounts }: AccountRealm, user: UserRecord) {
  return { ...userView(user, accounts), status: user.disabled ? "disabled" : "active" };
}
