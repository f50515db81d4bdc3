import { type AuditedRequest, appendAudit } from "../../auth/administration/audit.ts";
import { administratorRoute } from "../../auth/contracted.ts";
import * as contract from "../../contract/organization-administration.ts";
import type { JsonObject } from "../../json.ts";
import type { Caller } from "../../realm/caller.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import { ofOrganizations } from "../route.ts";
import { changeExisting } from "./change.ts";

/** Characters of JSON: rules read the claims of every organization of a caller. */
const longest = 16_384;

export const putClaims = administratorRoute(
  contract.putClaims,
  ofOrganizations((realm) => async ({ exchange, body }, { caller }) => {
    const claims = body((given, tell) => {
      const reason = claimsProblem(given);
      if (reason !== undefined) tell("", reason);
    });
    await replaceClaims(realm, exchange, caller, claims);
    return claims;
  }),
);

/** What hinders an object to be claims. */
export function claimsProblem(claims: JsonObject): string | undefined {
  return JSON.stringify(claims).length > longest ? `must have at most ${longest} characters` : undefined;
}

/**
 * Puts claims in place of those that the organization `{org}` has, audited.
 * @throws ApiError as {@link changeExisting}
 */
export async function replaceClaims(
  realm: Pick<RealmInstance, "store" | "clock" | "newId">,
  from: Pick<Exchange, "params"> & AuditedRequest,
  by: Caller,
  claims: JsonObject,
): Promise<void> {
  await changeExisting(realm, from, async ({ record }) => ({
    org: { ...record, claims },
    result: undefined,
    along: (transaction) =>
      appendAudit(realm, transaction, from, by, { action: "org.claims", target: `org:${record.id}` }),
  }));
}
