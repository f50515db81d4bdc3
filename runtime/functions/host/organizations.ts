import { ApiError } from "../../errors.ts";
import { problemsIn, readJson } from "../../http/body.ts";
import { isId } from "../../ids.ts";
import { claimsProblem, replaceClaims } from "../../organizations/administration/claims.ts";
import { findOrganization } from "../../organizations/change.ts";
import { organizationView } from "../../organizations/views.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { ownCaller } from "../caller.ts";
import type { HostReply, HostRequest } from "../invocation.ts";
import type { HostedRun } from "./exchange.ts";

/** `ctx.orgs.get`: any that is not deleted. */
export async function organizationOf(realm: RealmInstance, id: string): Promise<HostReply> {
  const { record } = (isPossible(realm, id) && (await findOrganization(realm, id))) || {};
  if (record === undefined || record.status === "deleted") throw noSuchOrganization();
  return { status: 200, body: JSON.stringify(organizationView(record)) };
}

/** `ctx.orgs.setClaims`: as administrators do, audited as done by the function. */
export async function setClaims(
  realm: RealmInstance,
  { definition, requestId, address }: HostedRun,
  { id, claims }: Extract<HostRequest, { kind: "claims" }>,
): Promise<HostReply> {
  if (!isPossible(realm, id)) throw noSuchOrganization();
  const body = readJson(
    { body: Buffer.from(claims), headers: { "content-type": "application/json" } },
    "json",
  );
  const { value } = body;
  const problems = problemsIn(body);
  const reason = claimsProblem(value);
  const details = reason === undefined ? problems : [...problems, { path: "", reason }];
  if (details.length > 0) throw new ApiError("validation_error", "The claims are not valid.", { details });
  const from = { params: { org: id }, requestId, address: address === "" ? null : address };
  await replaceClaims(realm, from, ownCaller(definition), value);
  return organizationOf(realm, id);
}

function isPossible({ organizations }: RealmInstance, id: string): boolean {
  return organizations !== undefined && isId(id);
}

function noSuchOrganization(): ApiError {
  return new ApiError("not_found", "There is no such organization.");
}
