import { createKey } from "../../runtime/auth/command-keys.ts";
import type { NewKey } from "../../runtime/auth/keys.ts";
import type { HeldClock } from "../../runtime/instance/testing/servers.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import type { Store } from "../../runtime/store/contract/store.ts";
import type { CallerName } from "./requests.ts";

/** The keys of the callers that have one. `other`: the store of a realm whose keys are none of this one. */
export async function keysOf(
  { own, other }: { readonly own: Store; readonly other: Store },
  clock: HeldClock,
  { name, accounts }: RealmDefinition,
): Promise<ReadonlyMap<CallerName, string>> {
  const kinds: readonly (readonly [CallerName, NewKey])[] = [
    ["key", { name: "whole", admin: true }],
    ["reader", { name: "reader", admin: false, scopes: { read: "*" } }],
    ["areas", { name: "areas", admin: ["users", "invitations", "data"], scopes: { read: "*" } }],
    ...(accounts === undefined
      ? []
      : [["delegate", { name: "delegate", admin: false, onBehalfOf: true }] as const]),
  ];
  const keys = new Map<CallerName, string>();
  for (const [caller, key] of kinds) {
    // So that lists of keys have an order that is the same in every run.
    clock.advance(1);
    keys.set(caller, await createKey(own, clock, key));
  }
  return keys.set("foreign", await createKey(other, clock, { name: `of ${name}`, admin: true }));
}
