import type { Operation } from "./operations.ts";
import { accountOf, managersOf, manages, refuse, type World } from "./world.ts";

type AccountOperation = Extract<Operation, { kind: "account" | "wait" }>;

export function applyAccount(world: World, operation: AccountOperation): string {
  if (operation.kind === "wait") {
    world.now += operation.minutes * 60_000;
    return "204";
  }
  const { person, to } = operation;
  const account = accountOf(world, person);
  const { id } = account;
  if (to === "anew") {
    // A new account of somebody who has none is made past the server.
    if (account.status !== "deleted") return "204";
    const next = `${person}${Number(id.slice(person.length)) + 1}`;
    world.accounts.set(next, { id: next, person, status: "active" });
    world.newest.set(person, next);
    return "204";
  }
  if (account.status === "deleted") refuse("404 not_found");
  const before = new Map(
    [...world.orgs.values()].map((org) => [org, managersOf(world, org).length] as const),
  );
  account.status = to === "enabled" ? "active" : to;
  for (const [org, managers] of before) {
    const member = org.members.get(id);
    if (member === undefined) continue;
    const managed = manages(org, member).has("org");
    if (to === "deleted") org.members.delete(id);
    const left = managersOf(world, org).length;
    if (managers > 0 && left === 0) org.status = "orphaned";
    if (to === "enabled" && managed && org.status === "orphaned") org.status = "active";
  }
  return to === "deleted" ? "204" : "200";
}
