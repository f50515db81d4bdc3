import { administratorRoute } from "../../auth/administration/administrator.ts";
import { appendAudit } from "../../auth/administration/audit.ts";
import { BodyReader } from "../../auth/input.ts";
import type { Read } from "../../auth/records.ts";
import { ApiError } from "../../errors.ts";
import type { Received, Route } from "../../realm/exchange.ts";
import { changeOrganization, type Decision } from "../change.ts";
import { finishErasing, stillErasing } from "../finish-erasing.ts";
import { readSlug } from "../names.ts";
import type { OrganizationRecord } from "../records.ts";
import type { OrganizationRealm } from "../route.ts";
import { noSuchOrganization, requireOrganization } from "./change.ts";
import { administratorBody } from "./organizations.ts";

/**
 * POST `/orgs/{org}/reactivate`: a deleted organization is active again, without members, by the slug that it had or
 * another one (spec: States, Organization). What `on_org_delete` erases is erased before.
 */
export function reactivateOrganization(realm: OrganizationRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, { caller }) => {
    const asked = read(exchange);
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
  });
}

/** The optional `slug`; without a body there is none. */
function read(exchange: Received): string | undefined {
  if (exchange.body === "none") return undefined;
  const body = new BodyReader(exchange, "application/json");
  const slug = readSlug(body);
  body.finish();
  return slug;
}

function notDeleted(): ApiError {
  return new ApiError("conflict", "The organization is not deleted.");
}
