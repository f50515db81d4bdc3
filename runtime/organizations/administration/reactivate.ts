import { appendAudit } from "../../auth/administration/audit.ts";
import { administratorRoute } from "../../auth/contracted.ts";
import type { Read } from "../../auth/records.ts";
import * as contract from "../../contract/organization-administration.ts";
import { ApiError } from "../../errors.ts";
import { changeOrganization, type Decision } from "../change.ts";
import { finishErasing, stillErasing } from "../finish-erasing.ts";
import type { OrganizationRecord } from "../records.ts";
import { ofOrganizations } from "../route.ts";
import { noSuchOrganization, requireOrganization } from "./change.ts";
import { administratorBody } from "./organizations.ts";

/** By the slug that it had or another one (spec: States, Organization). What `on_org_delete` erases is erased before. */
export const reactivateOrganization = administratorRoute(
  contract.reactivateOrganization,
  ofOrganizations((realm) => async ({ exchange, body }, { caller }) => {
    const { slug: asked } = body();
    const { id, status } = await requireOrganization(realm, exchange);
    if (status !== "deleted") throw notDeleted();
    await finishErasing(realm, id);
    const decide = async ({
      record: before,
    }: Read<OrganizationRecord>): Promise<Decision<OrganizationRecord>> => {
      if (before.status !== "deleted") throw notDeleted();
      if (before.cleanup !== null) throw stillErasing(before.cleanup.job);
      const slug = asked ?? before.slug;
      const org: OrganizationRecord = { ...before, slug, slug_key: slug, status: "active", deleted_at: null };
      return {
        org,
        result: org,
        along: (transaction) =>
          appendAudit(realm, transaction, exchange, caller, {
            action: "org.reactivate",
            target: `org:${id}`,
          }),
      };
    };
    const org = await changeOrganization(realm, id, decide, noSuchOrganization);
    return { status: 200, body: await administratorBody(realm, org) };
  }),
);

function notDeleted(): ApiError {
  return new ApiError("conflict", "The organization is not deleted.");
}
