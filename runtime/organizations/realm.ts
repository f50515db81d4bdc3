import type { RealmInstance, RealmOrganizations } from "../realm/exchange.ts";
import { accountChanges } from "./account.ts";
import { collections } from "./collections.ts";
import { Marks } from "./marks.ts";
import { LiveMemberships } from "./memberships.ts";
import { addService, endService } from "./service-members.ts";
import { Withheld } from "./withheld.ts";

/** What accounts and documents ask of the organizations of a realm; undefined where it has none. */
export function realmOrganizations(
  realm: Pick<RealmInstance, "definition" | "store" | "clock">,
): RealmOrganizations | undefined {
  const settings = realm.definition.accounts?.organizations;
  if (settings === undefined) return undefined;
  const memberships = new LiveMemberships(realm, settings);
  const withheld = new Withheld(realm);
  const isShared = realm.store.revision(collections.organizations) === undefined;
  return {
    marks: (asks) => (isShared ? new Marks(asks) : undefined),
    membershipsOf: (user, assurance, marks) => memberships.of(user, assurance, marks?.memberships),
    withheld: (marks) => withheld.current(marks?.withheld),
    accountChange: accountChanges({ ...realm, settings }),
    addService: addService({ ...realm, settings }),
    endService: endService(realm),
  };
}
