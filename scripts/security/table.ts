/**
 * What every operation is and whom it serves: here by method and path for the service's own routes, in `documents.ts` by
 * collection for documents. Nothing of it is read from the code or from the OpenAPI document: a new route is in neither
 * table, and the matrix fails until somebody has decided whose it is.
 */
import type { JsonObject } from "../../runtime/json.ts";
import type { AdminArea } from "../../runtime/realm/administration.ts";

/** An operation of the service's own. */
export interface Own {
  readonly who: /** Anybody; credentials are not even looked at. */
    | "public"
    /** Anybody whose credential, if any, is good. */
    | "anybody"
    /** Users in a session of theirs. */
    | "session"
    /** Administrators of an area, or of one of two. */
    | { readonly area: AdminArea; readonly or?: AdminArea; readonly to: "see" | "change" }
    /**
     * Members of an organization that `maker` made and `agent` is a plain member of, in a session of theirs: all of them,
     * or those who manage it.
     */
    | { readonly organization: "members" | "managers" }
    /** Whom a function's rule lets: users, or anybody; keys that may call it. */
    | { readonly calls: "users" | "anybody" }
    /** `maker`, who queued the job, and who administers functions; others are told of none. */
    | { readonly queued: "see" | "change" };
  readonly body?: JsonObject;
  /** What it answers to one who may. */
  readonly answer: string;
  /** What it answers to a session, where that differs from a key. */
  readonly session?: string;
  /** What it answers to a plain member of the organization, where that differs from its manager. */
  readonly member?: string;
}

const see = (area: AdminArea): Own["who"] => ({ area, to: "see" });
const change = (area: AdminArea): Own["who"] => ({ area, to: "change" });
const jobs = (to: "see" | "change"): Own["who"] => ({ area: "functions", or: "data", to });
const members: Own["who"] = { organization: "members" };
const managers: Own["who"] = { organization: "managers" };

/** Asked without what they need, where that is the shortest way to learn that the caller was let in. */
export const invalid = "400 validation_error";
const unproved = "401 reauth_required";

/** What files in these tests hold. */
export const written = { written: "in a file" };

/** By method and path below the realm; `{}` stands for a parameter. */
export const own: Readonly<Record<string, Own>> = {
  "GET /_openapi.json": { who: "anybody", answer: "200" },
  // Whoever has the link, or the address.
  "GET /_files/{}": { who: "public", answer: "200" },
  "PUT /_files/{}": { who: "public", body: written, answer: "204" },

  "POST /_auth/signup": { who: "public", body: {}, answer: invalid },
  "POST /_auth/login": { who: "public", body: {}, answer: invalid },
  "POST /_auth/password/forgot": { who: "public", body: {}, answer: invalid },
  "POST /_auth/password/reset": { who: "public", body: {}, answer: invalid },
  "POST /_auth/email/verify": { who: "public", body: {}, answer: invalid },
  "POST /_auth/logout": { who: "session", answer: "204" },
  "GET /_auth/me": { who: "session", answer: "200" },
  "PATCH /_auth/me": { who: "session", body: { locale: "de" }, answer: "200" },
  "DELETE /_auth/me": { who: "session", answer: unproved },
  "GET /_auth/sessions": { who: "session", answer: "200" },
  "DELETE /_auth/sessions": { who: "session", answer: "204" },
  "DELETE /_auth/sessions/{}": { who: "session", answer: "204" },
  "GET /_auth/tokens": { who: "session", answer: "200" },
  "POST /_auth/tokens": { who: "session", body: { name: "laptop" }, answer: unproved },
  "POST /_auth/tokens/{}/rotate": { who: "session", body: {}, answer: unproved },
  "DELETE /_auth/tokens/{}": { who: "session", answer: "204" },
  "POST /_auth/password/change": { who: "session", body: {}, answer: invalid },
  "POST /_auth/email/verify/send": { who: "session", answer: "202" },
  "POST /_auth/email/change": { who: "session", body: { email: "new@example.com" }, answer: unproved },
  "POST /_auth/reauth": { who: "session", body: {}, answer: invalid },
  "POST /_auth/mfa/totp": { who: "session", answer: unproved },
  "POST /_auth/mfa/totp/confirm": { who: "session", body: {}, answer: invalid },
  "DELETE /_auth/mfa/totp": { who: "session", answer: unproved },
  "POST /_auth/mfa/recovery_codes": { who: "session", answer: unproved },

  "GET /_admin/users": { who: see("users"), answer: "200" },
  "POST /_admin/users": { who: change("users"), body: {}, answer: invalid },
  "GET /_admin/users/{}": { who: see("users"), answer: "200" },
  "GET /_admin/users/{}/access": { who: see("users"), answer: "200" },
  "PATCH /_admin/users/{}": { who: change("users"), body: { locale: "de" }, answer: "200" },
  "DELETE /_admin/users/{}": { who: change("users"), answer: "204", session: unproved },
  "DELETE /_admin/users/{}/mfa": { who: change("users"), answer: "204", session: unproved },
  "GET /_admin/users/{}/sessions": { who: see("users"), answer: "200" },
  "DELETE /_admin/users/{}/sessions": { who: change("users"), answer: "204" },
  "GET /_admin/invitations": { who: see("invitations"), answer: "200" },
  "POST /_admin/invitations": { who: change("invitations"), body: {}, answer: "201" },
  "DELETE /_admin/invitations/{}": { who: change("invitations"), answer: "204" },
  "GET /_admin/keys": { who: see("apikeys"), answer: "200" },
  "POST /_admin/keys": { who: change("apikeys"), body: {}, answer: invalid },
  "POST /_admin/keys/{}/rotate": { who: change("apikeys"), body: {}, answer: "200" },
  "DELETE /_admin/keys/{}": { who: change("apikeys"), answer: "204" },
  "GET /_admin/secrets": { who: see("secrets"), answer: "200" },
  "PUT /_admin/secrets/{}": { who: change("secrets"), body: { value: "of the bank" }, answer: "200" },
  "DELETE /_admin/secrets/{}": { who: change("secrets"), answer: "204" },
  "GET /_admin/audit": { who: see("audit"), answer: "200" },
  "GET /_admin/config": { who: see("config"), answer: "200" },
  "GET /_admin/config/files": { who: see("config"), answer: "200" },
  "GET /_admin/config/app": { who: see("config"), answer: "200" },
  // What the realms' rules need of it.
  "PUT /_admin/config/app": {
    who: change("config"),
    body: { open: true, accepting_tickets: true },
    answer: "200",
  },

  "GET /_orgs": { who: "session", answer: "200" },
  "POST /_orgs": { who: "session", body: {}, answer: invalid },
  "POST /_orgs/invitations/preview": {
    who: "session",
    body: { token: "none" },
    answer: "400 invalid_invitation",
  },
  "POST /_orgs/invitations/accept": {
    who: "session",
    body: { token: "none" },
    answer: "400 invalid_invitation",
  },
  // Whoever has a token that was mailed.
  "POST /_orgs/invitations/signup": { who: "public", body: {}, answer: invalid },
  "GET /_orgs/{}": { who: members, answer: "200" },
  "PATCH /_orgs/{}": { who: managers, body: { name: "Another" }, answer: "200" },
  "DELETE /_orgs/{}": { who: managers, answer: unproved },
  "POST /_orgs/{}/leave": { who: members, answer: "409 last_org_manager", member: "204" },
  "GET /_orgs/{}/members": { who: members, answer: "200" },
  "PATCH /_orgs/{}/members/{}": { who: managers, body: { roles: ["agent"] }, answer: "200" },
  "DELETE /_orgs/{}/members/{}": { who: managers, answer: "204" },
  "GET /_orgs/{}/invitations": { who: managers, answer: "200" },
  "POST /_orgs/{}/invitations": { who: managers, body: {}, answer: "201" },
  "DELETE /_orgs/{}/invitations/{}": { who: managers, answer: "204" },
  "POST /_orgs/{}/invitations/{}/link": { who: managers, answer: "200" },
  // The invitation is for a user, who is not mailed to.
  "POST /_orgs/{}/invitations/{}/send": { who: managers, answer: "409 conflict" },
  "GET /_orgs/{}/keys": { who: managers, answer: "200" },
  "POST /_orgs/{}/keys": { who: managers, body: { name: "import" }, answer: unproved },
  "POST /_orgs/{}/keys/{}/rotate": { who: managers, body: {}, answer: unproved },
  "DELETE /_orgs/{}/keys/{}": { who: managers, answer: "204" },
  "GET /_orgs/{}/teams": { who: members, answer: "200" },
  "POST /_orgs/{}/teams": { who: managers, body: { name: "Another" }, answer: "201" },
  "PATCH /_orgs/{}/teams/{}": { who: managers, body: { roles: ["planner"] }, answer: "200" },
  "DELETE /_orgs/{}/teams/{}": { who: managers, answer: "204" },
  "GET /_orgs/{}/teams/{}/members": { who: members, answer: "200" },
  "PUT /_orgs/{}/teams/{}/members/{}": { who: managers, answer: "200" },
  "DELETE /_orgs/{}/teams/{}/members/{}": { who: managers, answer: "200" },
  "POST /_orgs/{}/teams/{}/roles": { who: managers, body: { user: "agent", role: "lead" }, answer: "201" },
  // The role that the agent has in the team grants none.
  "PATCH /_orgs/{}/teams/{}/roles": {
    who: managers,
    body: { user: "agent", role: "substitute", until: null },
    answer: "200",
  },
  "DELETE /_orgs/{}/teams/{}/roles": {
    who: managers,
    body: { user: "agent", role: "substitute" },
    answer: "204",
  },

  "GET /_admin/orgs": { who: see("users"), answer: "200" },
  "POST /_admin/orgs": { who: change("users"), body: { name: "Another", owner: "maker" }, answer: "201" },
  "GET /_admin/orgs/{}": { who: see("users"), answer: "200" },
  // Of one that was deleted, so that no job is left behind that goes on while others ask.
  "DELETE /_admin/orgs/{}": { who: change("users"), answer: "409 conflict", session: unproved },
  "GET /_admin/orgs/{}/owned": { who: see("users"), answer: "200" },
  "POST /_admin/orgs/{}/reactivate": { who: change("users"), answer: "200" },
  "PUT /_admin/orgs/{}/members/{}": { who: change("users"), body: { roles: [] }, answer: "200" },
  "DELETE /_admin/orgs/{}/members/{}": { who: change("users"), answer: "204" },
  "POST /_admin/orgs/{}/invitations": { who: change("users"), body: {}, answer: "201" },
  "PUT /_admin/orgs/{}/claims": { who: change("users"), body: { plan: "none" }, answer: "200" },
  "PUT /_admin/orgs/{}/manager": { who: change("users"), body: { user: "agent" }, answer: "200" },
  "GET /_admin/jobs": { who: jobs("see"), answer: "200" },
  "GET /_admin/jobs/{}": { who: jobs("see"), answer: "200" },
  // Of one that has not failed.
  "POST /_admin/jobs/{}/retry": { who: jobs("change"), answer: "409 conflict" },

  "GET /_admin/migrations": { who: see("data"), answer: "200" },
  "PATCH /_admin/migrations/{}": { who: change("data"), body: { paused: false }, answer: "200" },
  "GET /_admin/functions": { who: see("functions"), answer: "200" },
  "GET /_admin/functions/{}/{}/invocations": { who: see("functions"), answer: "200" },
  "POST /_admin/functions/{}/{}/run": { who: change("functions"), body: {}, answer: invalid },
  // Neither takes such an input.
  "POST /main/_func/ping": { who: { calls: "users" }, body: { odd: true }, answer: invalid },
  "POST /support/_func/close": { who: { calls: "users" }, body: { odd: true }, answer: invalid },
  // There are no threads here to run them.
  "POST /main/_func/hook": { who: { calls: "anybody" }, answer: "503 unavailable" },
  "POST /support/_func/inbound": { who: { calls: "anybody" }, answer: "503 unavailable" },
  "GET /main/_jobs/{}": { who: { queued: "see" }, answer: "200" },
  "GET /support/_jobs/{}": { who: { queued: "see" }, answer: "200" },
  // Of one that was cancelled, so that none goes on while others ask.
  "DELETE /main/_jobs/{}": { who: { queued: "change" }, answer: "409 conflict" },
  "DELETE /support/_jobs/{}": { who: { queued: "change" }, answer: "409 conflict" },
};
