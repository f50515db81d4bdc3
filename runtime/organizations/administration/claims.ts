import { appendAudit } from "../../auth/administration/audit.ts";
import { administratorRoute } from "../../auth/contracted.ts";
import * as contract from "../../contract/organization-administration.ts";
import { ofOrganizations } from "../route.ts";
import { changeExisting } from "./change.ts";

/** Characters of JSON: rules read the claims of every organization of a caller. */
const longest = 16_384;

export const putClaims = administratorRoute(
  contract.putClaims,
  ofOrganizations((realm) => async ({ exchange, body }, { caller }) => {
    const claims = body((given, tell) => {
      if (JSON.stringify(given).length > longest) tell("", `must have at most ${longest} characters`);
    });
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
  }),
);
