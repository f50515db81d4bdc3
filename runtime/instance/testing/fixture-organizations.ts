import { accountRoutes } from "../../auth/accounts/routes.ts";
import { documentFields, organizationFields } from "../../filter/fields.ts";
import { someAccounts } from "../../http/testing/server.ts";
import { jobRoutes } from "../../jobs/routes.ts";
import { organizationRoutes } from "../../organizations/routes.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmModule } from "../../realm/exchange.ts";

const day = 86_400_000;

/**
 * A realm in which everybody may create organizations, with two collections of documents that belong to them:
 * `main/tickets` goes with an organization, `main/invoices` stays.
 */
export function organizationsModule(realm: string): RealmModule {
  const collection = (name: string, onDelete: "delete" | "keep"): CollectionDefinition => ({
    realm,
    database: "main",
    name,
    fields: { ...documentFields, ...organizationFields },
    indexes: [],
    validate: () => true,
    organization: { required: true, onDelete },
  });
  const definition = {
    name: realm,
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    accounts: {
      ...someAccounts,
      email: { from: "shop@example.com", verifyLink: "https://shop.example.com/verify?token={token}" },
      sessionLifetime: day,
      sessionIdleTimeout: day,
      organizations: {
        create: () => true,
        roles: [{ name: "owner", manage: ["org"] as const }],
        creatorRoles: ["owner"],
        defaultRoles: [],
        teamRoles: [],
        membersVisibleTo: "members" as const,
        membersShow: [],
        allowRequireMfa: false,
        keys: false,
        invitationsSignUp: true,
        invitationMail: { names: true },
        maxTeamsPerOrg: 50,
        maxTeamsPerMember: 20,
        maxPendingInvitations: 500,
      },
    },
    collections: [collection("tickets", "delete"), collection("invoices", "keep")],
  };
  return { definition, routes: [accountRoutes(realm), organizationRoutes(realm), jobRoutes(realm)] };
}
