import { administratorRoute } from "../../auth/contracted.ts";
import { createInvitationTo as contract } from "../../contract/organization-administration.ts";
import { answerInvited } from "../invitation-create.ts";
import { ofOrganizations } from "../route.ts";
import { changeExisting } from "./change.ts";

export const createInvitationTo = administratorRoute(
  contract,
  ofOrganizations(
    (realm) =>
      ({ exchange, body }, { caller }) =>
        answerInvited(realm, exchange, caller, body, (decide) =>
          changeExisting(realm, exchange, (org) => decide(org.record)),
        ),
  ),
);
