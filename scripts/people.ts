/**
 * Users, sessions, proofs and organizations put straight into a realm's store, past sign-up and its tens of milliseconds for
 * each password.
 */
import { newProof } from "../runtime/auth/accounts/proof.ts";
import { collections } from "../runtime/auth/collections.ts";
import { passwords } from "../runtime/auth/credentials/passwords.ts";
import { newToken, tokenHash } from "../runtime/auth/credentials/tokens.ts";
import type { KeyRecord } from "../runtime/auth/key-records.ts";
import {
  type SessionRecord,
  type UserRecord,
  writeSession,
  writeToken,
  writeUser,
} from "../runtime/auth/records.ts";
import { type Clock, timestamp } from "../runtime/clock.ts";
import { collections as organizationCollections } from "../runtime/organizations/collections.ts";
import {
  type MemberRecord,
  memberId,
  type OrganizationRecord,
  writeMember,
  writeOrganization,
} from "../runtime/organizations/records.ts";
import { serviceMember } from "../runtime/organizations/service-members.ts";
import type { Store } from "../runtime/store/contract/store.ts";

/** Of every user. */
export const password = "correct horse";
const hashed = passwords.hash(password);

export const addressOf = (id: string): string => `${id.toLowerCase()}@example.com`;

/** A user with a verified address, `<id>@example.com`. */
export async function insertUser(
  store: Store,
  clock: Clock,
  id: string,
  more: Partial<UserRecord> = {},
): Promise<UserRecord> {
  const user: UserRecord = {
    id,
    email: addressOf(id),
    email_key: addressOf(id),
    email_verified: true,
    password: await hashed,
    roles: [],
    disabled: false,
    locale: null,
    profile: null,
    created_at: timestamp(clock.now()),
    generation: 1,
    totp: null,
    totp_pending: null,
    ...more,
  };
  await store.collection(collections.users).insert(writeUser(user, 1));
  return user;
}

/**
 * A session of a day that begins now.
 * @param session its id, which clients see
 * @returns its token
 */
export async function insertSession(
  store: Store,
  clock: Clock,
  user: string,
  session: string,
  more: Partial<SessionRecord> = {},
): Promise<string> {
  const token = newToken("svs");
  const now = timestamp(clock.now());
  const record: SessionRecord = {
    id: tokenHash(token),
    session,
    user,
    generation: 1,
    created_at: now,
    last_used_at: now,
    expires_at: timestamp(clock.now() + 86_400_000),
    user_agent: null,
    address: "127.0.0.1",
    mfa: false,
    proved_at: now,
    administered_at: now,
    ...more,
  };
  await store.collection(collections.sessions).insert(writeSession(record, 1));
  return token;
}

/** A proof of identity for a session, as `/reauth` answers it. */
export async function insertProof(
  store: Store,
  clock: Clock,
  user: UserRecord,
  session: string,
): Promise<string> {
  const { token, record } = newProof({ clock }, user, session);
  await store.collection(collections.tokens).insert(writeToken(record));
  return token;
}

/** The service member that a key is in its organization. */
export async function insertService(
  store: Store,
  clock: Clock,
  org: string,
  key: Pick<KeyRecord, "key" | "name">,
  roles: readonly string[],
): Promise<void> {
  const member = serviceMember({ clock }, org, key, { roles, teams: [] });
  await store.collection(organizationCollections.members).insert(writeMember(member, 1));
}

/** What somebody is in an organization. */
export type Membership = Partial<Pick<MemberRecord, "roles" | "teams" | "team_roles">>;

/**
 * An organization, `<id>` by name and slug too.
 * @param members by user; the first has created it
 */
export async function insertOrganization(
  store: Store,
  clock: Clock,
  id: string,
  members: Readonly<Record<string, Membership>>,
  more: Partial<OrganizationRecord> = {},
): Promise<void> {
  const created_at = timestamp(clock.now());
  const org: OrganizationRecord = {
    id,
    name: id,
    slug: id,
    slug_key: id,
    status: "active",
    require_mfa: false,
    claims: {},
    teams: [],
    created_at,
    created_by: Object.keys(members)[0] ?? id,
    deleted_at: null,
    cleanup: null,
    ...more,
  };
  await store.collection(organizationCollections.organizations).insert(writeOrganization(org, 1));
  for (const [user, membership] of Object.entries(members)) {
    const none = { roles: [], teams: [], team_roles: [] };
    const member = { id: memberId(id, user), org: id, user, ...none, ...membership, created_at };
    await store.collection(organizationCollections.members).insert(writeMember(member, 1));
  }
}
