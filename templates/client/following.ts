/** What `client.ts` says of collections that can be followed. */
import { storedFields } from "../../compiler/model/file-fields.ts";
import { knownField } from "../../compiler/model/known-fields.ts";
import type { Collection, Realm } from "../../compiler/model/model.ts";
import { serverFields } from "../../compiler/model/server-fields.ts";
import type { OrderKinds } from "../../runtime/client/order.ts";
import { deletionFields, type FieldKind } from "../../runtime/filter/fields.ts";

export function followable({ databases }: Pick<Realm, "databases">): readonly Collection[] {
  return databases.flatMap(({ collections }) => collections.filter(({ realtime }) => realtime !== undefined));
}

type OrderKind = OrderKinds[string] | "text";

/** Paths of the fields whose order clients can make again: those that give lists a cursor. */
export function ordersOf(realm: Realm, collection: Collection): readonly string[] {
  return orders(realm, collection).map(([path]) => path);
}

/** What those of them hold that hold no text. */
export function orderKinds(realm: Realm, collection: Collection): readonly (readonly [string, OrderKind])[] {
  return orders(realm, collection).filter(([, kind]) => kind !== "text");
}

function orders(realm: Realm, collection: Collection): readonly (readonly [string, OrderKind])[] {
  const server = Object.keys(serverFields(realm, collection));
  const paths = [...server, ...storedFields(collection).map(({ path }) => path)];
  return paths.flatMap((path) => {
    const field = knownField(realm, collection, path);
    // Subscriptions see live documents only: deletion marks are no fields there.
    if (field === undefined || field.arrays.length > 0 || Object.hasOwn(deletionFields, path)) return [];
    const kind = orderKind(field.kinds);
    return kind === undefined ? [] : [[path, kind] as const];
  });
}

/** Undefined for objects and for fields of several types. */
function orderKind(kinds: readonly FieldKind[]): OrderKind | undefined {
  if (kinds.includes("date") && kinds.includes("date-time") && kinds.length === 2) return "instant";
  const [kind, ...others] = new Set(kinds.map((each) => orderKindOf[each]));
  return others.length === 0 ? kind : undefined;
}

const orderKindOf: Readonly<Record<FieldKind, OrderKind | undefined>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
  "date-time": "text",
  date: "text",
  object: undefined,
};
