import { ApiError } from "../../errors.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import { changeOrganization, type Decision, findOrganization } from "../change.ts";
import type { OrganizationRecord } from "../records.ts";

type Decide<T> = Parameters<typeof changeOrganization<T>>[2];

/**
 * Changes the organization whom the path names, as {@link changeOrganization} does; not one that is deleted.
 * @throws ApiError `not_found` | `conflict` | as {@link changeOrganization}
 */
export function changeExisting<T>(
  realm: Pick<RealmInstance, "store" | "clock">,
  { params: { org = "" } }: Pick<Exchange, "params">,
  decide: Decide<T>,
): Promise<T> {
  const decideExisting = async (read: Parameters<Decide<T>>[0]): Promise<Decision<T>> => {
    if (read.record.status === "deleted")
      throw new ApiError("conflict", "The organization is deleted; all it can be is reactivated.");
    return decide(read);
  };
  return changeOrganization(realm, org, decideExisting, noSuchOrganization);
}

/**
 * The organization whom the path names, of any status.
 * @throws ApiError `not_found`
 */
export async function requireOrganization(
  realm: Pick<RealmInstance, "store">,
  { params: { org = "" } }: Pick<Exchange, "params">,
): Promise<OrganizationRecord> {
  const found = await findOrganization(realm, org);
  if (found === undefined) throw noSuchOrganization();
  return found.record;
}

/** Administrators are told: they see all there are. */
export function noSuchOrganization(): ApiError {
  return new ApiError("not_found", "There is no such organization.");
}
