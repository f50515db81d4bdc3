import { askedFrom } from "../auth/accounts/mailing.ts";
import { emailKey } from "../auth/credentials/email.ts";
import { newToken, tokenHash } from "../auth/credentials/tokens.ts";
import { BodyReader, invalid } from "../auth/input.ts";
import { readLifetime } from "../auth/invitations.ts";
import { organizationInvitationMail } from "../auth/mails.ts";
import { timestamp } from "../clock.ts";
import { isId } from "../ids.ts";
import type { Caller } from "../realm/caller.ts";
import type { Answer, Received, Route } from "../realm/exchange.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import type { Decision } from "./change.ts";
import { isManaging, readOrganizationRoles, requireGivable, teamsOf } from "./granting.ts";
import { invitationDecision, invitationEntry, invitationLink, requireRoom, takeMail } from "./invitation.ts";
import type { OrganizationInvitationRecord, OrganizationRecord } from "./records.ts";
import { changeAs, type Need, type OrganizationRealm, organizationRoute, type Standing } from "./route.ts";
import { requireTeamsWithin } from "./teams.ts";

/** Bounds the record: it names everyone who used the invitation. */
const mostUses = 10_000;

const bindings = ["user", "email", "none"] as const;

/** What an invitation is to be. */
interface NewInvitation
  extends Pick<OrganizationInvitationRecord, "binding" | "user" | "email" | "roles" | "teams" | "max_uses"> {
  /** Milliseconds. */
  readonly lifetime: number;
  /** It is mailed too. */
  readonly send: boolean;
}

const invites: Need = { manage: ["members"] };

/** POST `/_orgs/{org}/invitations`: with roles and teams that the caller could give. */
export function createOrganizationInvitation(realm: OrganizationRealm): Route {
  return organizationRoute(realm, invites, (exchange, standing) =>
    answerInvited(realm, exchange, standing.caller, (decide) =>
      changeAs(realm, invites, standing, (now) => decide(now.org.record, now)),
    ),
  );
}

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
  change: (decide: InvitationDecider) => Promise<OrganizationInvitationRecord>,
): Promise<Answer> {
  const asked = readInvitation(exchange, realm.settings);
  const token = newToken("svi");
  const id = realm.newId();
  const to =
    asked.send && asked.email !== null && (await takeMail(realm, asked.email, askedFrom(exchange, by)))
      ? asked.email
      : undefined;
  const mail = to === undefined ? undefined : organizationInvitationMail(realm.definition, to, token);
  const invitation = await change(async (org, granter) => {
    requireAllowed(realm.settings, org, asked, granter);
    await requireRoom(realm, org.id);
    const after = invitationRecord(realm, by, org, { ...asked, id, token: tokenHash(token) });
    const { binding, user, roles, teams, max_uses, expires_at } = after;
    const details = { binding, user, roles, teams, max_uses, expires_at };
    const write = { before: undefined, after, action: "org.invitation.create", details, mail } as const;
    return invitationDecision(realm, exchange, by, org, write, after);
  });
  if (mail !== undefined) realm.wakeJobs();
  const entry = invitationEntry(invitation, realm.clock.now());
  return { status: 201, body: JSON.stringify({ ...entry, token, link: invitationLink(realm, token) }) };
}

/** @throws ApiError `validation_error` */
function readInvitation(exchange: Received, settings: OrganizationSettings): NewInvitation {
  const body = new BodyReader(exchange, "application/json");
  const user = body.optionalString("user") ?? null;
  const email = body.optionalString("email") ?? null;
  const binding = readBinding(body, user, email);
  if (user !== null && !isId(user)) body.problem("user", "must be the id of a user");
  if (email !== null && emailKey(email) === undefined) body.problem("email", "must be an e-mail address");
  for (const [name, value] of [
    ["user", user],
    ["email", email],
  ] as const) {
    if (binding === name && value === null) body.problem(name, `is required with binding ${name}`);
    if (binding !== name && value !== null) body.problem(name, `is only allowed with binding ${name}`);
  }
  const send = body.optionalBoolean("send") ?? false;
  if (send && binding !== "email") body.problem("send", "is only allowed with binding email");
  const asked = {
    binding,
    user,
    email,
    roles: readOrganizationRoles(body, settings) ?? [],
    teams: [...new Set(body.optionalStrings("teams"))],
    max_uses: readUses(body, binding),
    lifetime: readLifetime(body),
    send,
  };
  body.finish();
  return asked;
}

/** The optional member `binding`; without it the invitation is for the address or the user named, if any. */
function readBinding(
  body: BodyReader,
  user: string | null,
  email: string | null,
): OrganizationInvitationRecord["binding"] {
  const given = body.optionalString("binding") ?? undefined;
  const binding = bindings.find((name) => name === given);
  if (given !== undefined && binding === undefined) body.problem("binding", "must be user, email or none");
  return binding ?? (email !== null ? "email" : user !== null ? "user" : "none");
}

function readUses(body: BodyReader, binding: OrganizationInvitationRecord["binding"]): number {
  const value = body.value("max_uses") ?? 1;
  if (body.value("max_uses") !== undefined && binding !== "none") {
    body.problem("max_uses", "is only allowed with binding none");
  }
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= mostUses) return value;
  body.problem("max_uses", `must be an integer from 1 to ${mostUses}`);
  return 1;
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
  const teams = teamsOf(org, ids);
  const unknown = ids.flatMap((id, at) =>
    teams.some((team) => team.id === id)
      ? []
      : [{ path: `teams.${at}`, reason: "is no team of the organization" }],
  );
  if (unknown.length > 0) throw invalid(unknown);
  if (binding === "none") {
    const reason = "an invitation for whoever has its link cannot give a role that manages";
    if (isManaging(settings, roles)) throw invalid([{ path: "roles", reason }]);
    if (isManaging(settings, [], teams)) throw invalid([{ path: "teams", reason }]);
  }
  if (granter !== undefined) requireGivable(settings, granter, roles, teams);
  requireTeamsWithin(settings, ids);
}

function invitationRecord(
  { clock }: Pick<OrganizationRealm, "clock">,
  by: Caller,
  org: OrganizationRecord,
  { lifetime, send: _, ...given }: NewInvitation & Pick<OrganizationInvitationRecord, "id" | "token">,
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
