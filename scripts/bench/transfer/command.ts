/** A command of a bundle of the realm `open`, for `run.ts`, which is told the memory that it took. */
import { readFileSync } from "node:fs";
import { validatorOf } from "../../../runtime/documents/testing/shop.ts";
import { documentFields, field } from "../../../runtime/filter/fields.ts";
import { run } from "../../../runtime/instance/main.ts";

const schema = JSON.parse(readFileSync("scripts/bench/config/open/shop/items/schema.json", "utf8"));
const fields = {
  ...documentFields,
  sku: field("sku", "string"),
  name: field("name", "string"),
  status: field("status", "string"),
  price: field("price", "number"),
  stock: field("stock", "integer"),
  tags: field("tags", "string", ["tags"]),
  supplier: field("supplier", "object"),
  "supplier.name": field("supplier.name", "string"),
  "supplier.country": field("supplier.country", "string"),
  description: field("description", "string"),
};
const realm = "open";
const ascending = (path: "sku" | "status") => ({ field: fields[path], descending: false });
const items = {
  ...{ realm, database: "shop", name: "items", fields, validate: validatorOf(schema) },
  indexes: [
    { name: "sku", keys: [ascending("sku")], unique: true },
    { name: "status", keys: [ascending("status")], unique: false },
  ],
};
const definition = {
  ...{ name: realm, origins: [], appConfig: {}, effective: { realm: {}, databases: {} } },
  collections: [items],
};
process.exitCode = await run(
  { fingerprint: "bench", realms: [{ definition, routes: [] }] },
  process.argv.slice(2),
  {
    environment: process.env,
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
  },
);
process.send?.({ memory: process.resourceUsage().maxRSS });
process.disconnect?.();
