import { dataRoutes } from "../../documents/administration/routes.ts";
import { listDocuments } from "../../documents/routes/list.ts";
import { documentFields, field } from "../../filter/fields.ts";
import type { CollectionDefinition, RealmDefinition } from "../../realm/definition.ts";
import type { RealmModule, RouteTable } from "../../realm/exchange.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { IndexShape } from "../../store/contract/shape.ts";

const fields = { ...documentFields, sku: field("sku", "string") };

/** A realm with `auth: disabled` and one collection, `main/items`, that is listed, for tests of the process. */
export function shopModule(parts: {
  /** Default: `shop`. */
  readonly realm?: string;
  readonly softDelete?: CollectionDefinition["softDelete"];
  readonly indexes?: readonly IndexShape[];
  readonly routes?: RouteTable;
}): RealmModule {
  const { realm = "shop" } = parts;
  const items: CollectionDefinition = {
    realm,
    database: "main",
    name: "items",
    fields,
    indexes: parts.indexes ?? [],
    validate: () => true,
    references: {
      same: { database: "main", collection: "items", field: fields.sku, key: "id", many: false },
    },
    ...(parts.softDelete && { softDelete: parts.softDelete }),
  };
  const definition: RealmDefinition = {
    name: realm,
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    openapi: { access: "public", document: {} },
    collections: [items],
  };
  const lists = { [`/v1/${realm}/main/items`]: { GET: listDocuments(items) } };
  return { definition, routes: [dataRoutes(realm, [items]), lists, parts.routes ?? {}] };
}

export const uniqueSku: IndexShape = {
  name: "sku",
  keys: [{ field: fields.sku, descending: false }],
  unique: true,
};

/** A stored document of `main/items`. */
export function item(
  id: string,
  more: Partial<DocumentWrite> & { readonly sku?: string } = {},
): DocumentWrite {
  const { sku = id, ...write } = more;
  return { id, version: 1, text: JSON.stringify({ id, sku }), createdAt: 0, ...write };
}
