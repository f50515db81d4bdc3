import { askedFrom, mayMail } from "../auth/accounts/mailing.ts";
import { newToken, tokenHash } from "../auth/credentials/tokens.ts";
import { readLifetime } from "../auth/invitations.ts";
import { timestamp } from "../clock.ts";
import {
  createOrganizationInvitation as contract,
  type newInvitation,
} from "../contract/organization-invitations.ts";
import type { Value } from "../contract/schema.ts";
import { invalidBody } from "../errors.ts";
import type { ReadBody } from "../http/contract-body.ts";
import { isId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Caller } from "../realm/caller.ts";
import type { Received } from "../realm/exchange.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { emailKey } from "../validation/people.ts";
import type { Decision } from "./change.ts";
import { isManaging, requireGivable } from "./granting.ts";
import {
  invitationDecision,
  invitationEntry,
  invitationLink,
  invitationMail,
  requireRoom,
} from "./invitation.ts";
import type { OrganizationInvitationRecord, OrganizationRecord } from "./records.ts";
import { changeAs, memberRoute, type OrganizationRealm, type Standing } from "./route.ts";
import { requireTeams, requireTeamsWithin } from "./teams.ts";

interface NewInvitation
  extends Pick<OrganizationInvitationRecord, "binding" | "user" | "email" | "roles" | "teams" | "max_uses"> {
  /** Milliseconds. */
  readonly lifetime: number;
  /** It is mailed too. */
  readonly send: boolean;
}

type AskedInvitation = Value<typeof newInvitation>;

export const createOrganizationInvitation = memberRoute(
  contract,
  (realm) =>
    ({ exchange, body }, standing) =>
      answerInvited(realm, exchange, standing.caller, body, (decide) =>
        changeAs(realm, standing, (now) => decide(now.org.record, now)),
      ),
);

/**
 * Decides the invitation that the body asks for.
 * @param granter who can give only what they could give; absent: anything
 * @throws ApiError `validation_error` | `forbidden` | `team_limit_reached` | `invitations_limit`
 */
export type InvitationDecider = (
  org: OrganizationRecord,
  granter?: Pick<Standing, "manage">,
) => Promise<Decision<OrganizationInvitationRecord>>;

/**
 * Invites to an organization: 201 with the invitation, its token and its link, this once.
 * @param change changes the organization as it is decided
 * @throws ApiError `validation_error` | what `change` throws
 */
export async function answerInvited(
  realm: OrganizationRealm,
  exchange: Received,
  by: Caller,
  body: ReadBody<AskedInvitation>,
  change: (decide: InvitationDecider) => Promise<OrganizationInvitationRecord>,
): Promise<JsonObject> {
  const asked = readInvitation(body);
  const token = newToken("svi");
  const id = realm.newId();
  const to =
    asked.send && asked.email !== null && (await mayMail(realm, asked.email, askedFrom(exchange, by)))
      ? asked.email
      : undefined;
  // One that nobody but the recipient sees, so that it proves the address.
  const mailed = to === undefined ? undefined : { to, token: newToken("svi") };
  const invitation = await change(async (org, granter) => {
    requireAllowed(realm.settings, org, asked, granter);
    await requireRoom(realm, org.id);
    const after = invitationRecord(realm, by, org, {
      ...asked,
      id,
      token: tokenHash(token),
      ...(mailed && { mailed_token: tokenHash(mailed.token) }),
    });
    const mail = mailed && invitationMail(realm, mailed.to, mailed.token, org, by);
    const { binding, user, roles, teams, max_uses, expires_at } = after;
    const details = { binding, user, roles, teams, max_uses, expires_at };
    const write = { before: undefined, after, action: "org.invitation.create", details, mail } as const;
    return invitationDecision(realm, exchange, by, org, write, after);
  });
  if (mailed !== undefined) realm.wakeJobs();
  const entry = invitationEntry(invitation, realm.clock.now());
  return { ...entry, token, link: invitationLink(realm, token) };
}

/** @throws ApiError `validation_error` */
function readInvitation(body: ReadBody<AskedInvitation>): NewInvitation {
  let lifetime = 0;
  const asked = body((given, tell) => {
    const { user, email } = given;
    const binding = bindingOf(given);
    if (isGiven(user) && !isId(user)) tell("user", "must be the id of a user");
    if (isGiven(email) && emailKey(email) === undefined) tell("email", "must be an e-mail address");
    for (const name of ["user", "email"] as const) {
      if (binding === name && !isGiven(given[name])) tell(name, `is required with binding ${name}`);
      if (binding !== name && isGiven(given[name])) tell(name, `is only allowed with binding ${name}`);
    }
    if (given.send && binding !== "email") tell("send", "is only allowed with binding email");
    if (given.max_uses !== undefined && binding !== "none") {
      tell("max_uses", "is only allowed with binding none");
    }
    lifetime = readLifetime(given.expires_in, tell);
  });
  const { user = null, email = null, roles = [], teams, max_uses, send = false } = asked;
  return {
    binding: bindingOf(asked),
    user,
    email,
    roles,
    teams: [...new Set(teams)],
    max_uses: max_uses ?? 1,
    lifetime,
    send,
  };
}

function isGiven(value: string | null | undefined): value is string {
  return typeof value === "string";
}

/** Unless it is said, an invitation is for the address or the user named, if any. */
function bindingOf({ binding, email, user }: AskedInvitation): OrganizationInvitationRecord["binding"] {
  return binding ?? (isGiven(email) ? "email" : isGiven(user) ? "user" : "none");
}

/**
 * Whether it may give what it gives (spec: Organization endpoints 3).
 * @throws ApiError `validation_error` | `forbidden` | `team_limit_reached`
 */
function requireAllowed(
  settings: OrganizationSettings,
  org: OrganizationRecord,
  { binding, roles, teams: ids }: NewInvitation,
  granter: Pick<Standing, "manage"> | undefined,
): void {
  const teams = requireTeams(org, ids);
  if (binding === "none") {
    const reason = "an invitation for whoever has its link cannot give a role that manages";
    if (isManaging(settings, roles)) throw invalidBody([{ path: "roles", reason }]);
    if (isManaging(settings, [], teams)) throw invalidBody([{ path: "teams", reason }]);
  }
  if (granter !== undefined) requireGivable(settings, granter, roles, teams);
  requireTeamsWithin(settings, ids);
}

function invitationRecord(
  { clock }: Pick<OrganizationRealm, "clock">,
  by: Caller,
  org: OrganizationRecord,
  {
    lifetime,
    send: _,
    ...given
  }: NewInvitation & Pick<OrganizationInvitationRecord, "id" | "token" | "mailed_token">,
): OrganizationInvitationRecord {
  const now = clock.now();
  return {
    ...given,
    org: org.id,
    uses: 0,
    used_by: [],
    revoked: false,
    expires_at: timestamp(now + lifetime),
    created_at: timestamp(now),
    created_by: by.actor,
  };
}
