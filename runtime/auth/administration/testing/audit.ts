import { TRUE } from "../../../filter/algebra.ts";
import type { JsonObject } from "../../../json.ts";
import { collections } from "../../collections.ts";
import { lists } from "../../paging.ts";
import type { Accounts } from "../../testing/accounts.ts";

/** What the audit trail says of a target, oldest first. */
export async function auditOf(server: Accounts, target: string, realm = "shop"): Promise<JsonObject[]> {
  const found = await server
    .store(realm)
    .collection(collections.audit)
    .find({ filter: TRUE, visibility: "live", order: lists.audit.order, limit: 1_000, skip: 0 });
  const all: JsonObject[] = found.map(({ text }) => JSON.parse(text));
  return all.filter((record) => record["target"] === target).reverse();
}
