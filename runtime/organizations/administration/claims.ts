import { administratorRoute } from "../../auth/administration/administrator.ts";
import { appendAudit } from "../../auth/administration/audit.ts";
import { readObject } from "../../auth/input.ts";
import type { Route } from "../../realm/exchange.ts";
import type { OrganizationRealm } from "../route.ts";
import { changeExisting } from "./change.ts";

/** Characters of JSON: rules read the claims of every organization of a caller. */
const longest = 16_384;

/** PUT `/orgs/{org}/claims`: in place of what they were; members read them, and rules by `orgClaims`. */
export function putClaims(realm: OrganizationRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, { caller }) => {
    const claims = readObject(exchange, longest);
    await changeExisting(realm, exchange, async ({ record }) => ({
      org: { ...record, claims },
      result: undefined,
      along: (transaction) =>
        appendAudit(realm, transaction, exchange, caller, {
          action: "org.claims",
          target: `org:${record.id}`,
        }),
    }));
    return { status: 200, body: JSON.stringify(claims) };
  });
}
