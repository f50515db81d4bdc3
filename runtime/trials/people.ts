/** Users and organizations of tests: made at once, without passwords, mails or limits. */
import { collections as accounts } from "../auth/collections.ts";
import { writeUser } from "../auth/records.ts";
import { newUser } from "../auth/users.ts";
import { timestamp } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import { collections as organizations } from "../organizations/collections.ts";
import { newMember } from "../organizations/member-change.ts";
import { writeMember, writeOrganization } from "../organizations/records.ts";
import { freeSlug, slugFrom } from "../organizations/slugs.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { emailKey } from "../validation/people.ts";

/** A user to be made. */
export interface TestUser {
  /** Default: one that no other has. */
  readonly email?: string;
  /** Default: true. */
  readonly email_verified?: boolean;
  /** Default: `default_roles` of realm.yaml. */
  readonly roles?: readonly string[];
  readonly locale?: string;
  readonly profile?: JsonObject;
}

/** @throws Error for a realm with `auth: disabled`, and for a role that it does not have */
export async function addUser(
  realm: RealmInstance,
  { email, email_verified = true, roles, locale, profile }: TestUser,
): Promise<{ readonly id: string; readonly email: string }> {
  const settings = realm.definition.accounts;
  if (settings === undefined) throw new Error(`realm ${realm.definition.name} has no accounts`);
  requireKnown(roles, settings.roles, `realm ${realm.definition.name}`);
  const address = email ?? `${realm.newId()}@example.com`;
  const user = newUser(realm, {
    ...{ email: address, email_key: emailKey(address) ?? address, email_verified, password: null },
    ...{ roles: roles ?? settings.defaultRoles, locale: locale ?? null, profile: profile ?? null },
  });
  await realm.store.transaction(async (transaction) => {
    await transaction.collection(accounts.users).insert(writeUser(user, 1));
  });
  return { id: user.id, email: address };
}

/** An organization to be made. */
export interface TestOrganization {
  readonly name: string;
  readonly claims?: JsonObject;
  /** Their roles, by the ids of users; the first is who made it. */
  readonly members?: Readonly<Record<string, readonly string[]>>;
}

/** @throws Error for a realm without organizations, and for a role that its organizations do not have */
export async function addOrganization(
  realm: RealmInstance,
  { name, claims = {}, members = {} }: TestOrganization,
): Promise<{ readonly id: string }> {
  const settings = realm.definition.accounts?.organizations;
  if (settings === undefined) throw new Error(`realm ${realm.definition.name} has no organizations`);
  requireKnown(Object.values(members).flat(), settings.roles, "its organizations");
  const slug = await freeSlug(realm.store, slugFrom(name));
  const id = realm.newId();
  const [creator = ""] = Object.keys(members);
  await realm.store.transaction(async (transaction) => {
    await transaction.collection(organizations.organizations).insert(
      writeOrganization(
        {
          ...{ id, name, slug, slug_key: slug, status: "active", require_mfa: false, claims, teams: [] },
          created_at: timestamp(realm.clock.now()),
          ...{ created_by: creator, deleted_at: null, cleanup: null },
        },
        1,
      ),
    );
    for (const [user, roles] of Object.entries(members)) {
      const member = { ...newMember(realm, id, user), roles };
      await transaction.collection(organizations.members).insert(writeMember(member, 1));
    }
  });
  return { id };
}

function requireKnown(
  roles: readonly string[] = [],
  known: readonly { readonly name: string }[],
  whose: string,
): void {
  const unknown = roles.find((role) => !known.some(({ name }) => name === role));
  if (unknown !== undefined) throw new Error(`${whose} has no role '${unknown}'`);
}
