import { administratorRoute } from "../../auth/administration/administrator.ts";
import { createOrganizationInvitation } from "../../contract/organization-invitations.ts";
import { traitsOf } from "../../contract/traits.ts";
import { bodyReader } from "../../http/contract-body.ts";
import type { Route } from "../../realm/exchange.ts";
import { answerInvited } from "../invitation-create.ts";
import type { OrganizationRealm } from "../route.ts";
import { changeExisting } from "./change.ts";

/** POST `/orgs/{org}/invitations`: as managers of the organization invite, but with any role and team. */
export function createInvitationTo(realm: OrganizationRealm): Route {
  const read = bodyReader(createOrganizationInvitation, traitsOf(realm.definition));
  return administratorRoute(realm, { area: "users", to: "change" }, (exchange, { caller }) =>
    answerInvited(realm, exchange, caller, read(exchange), (decide) =>
      changeExisting(realm, exchange, (org) => decide(org.record)),
    ),
  );
}
