/** The configuration that the examples of the catalogue are part of. */

/** Its files by their paths; `config/` is what the compiler is given. */
export const exampleRealm: Readonly<Record<string, string>> = {
  "config/helpdesk/realm.yaml": `auth: enabled
roles:
  editor: {}
  hr: {}
organizations:
  roles:
    owner: { manage: [org] }
    member: {}
  creator_roles: [owner]
`,
  "config/helpdesk/_shared/address.json": `{ "type": "object", "properties": { "city": { "type": "string" } } }
`,
  "config/helpdesk/support/tickets/schema.json": `{
  "type": "object",
  "properties": {
    "title": { "type": "string" },
    "slug": { "type": "string" },
    "note": { "type": "string" },
    "status": { "enum": ["open", "closed"] },
    "public": { "type": "boolean" },
    "self_edited": { "type": "boolean" },
    "amount": { "type": "number" },
    "hours": { "type": "number" },
    "salary": { "type": "integer" },
    "tax_id": { "type": "string" },
    "due_at": { "type": "string", "format": "date", "x-svc-store": "date" },
    "publish_at": { "type": "string", "format": "date-time", "x-svc-store": "date" },
    "lang": { "type": "string" },
    "langs": { "type": "array", "items": { "type": "string" } },
    "owner_id": { "type": "string" },
    "author_id": { "type": "string" },
    "editor_id": { "type": "string" },
    "tags": { "type": "array", "items": { "type": "string" } },
    "tag_ids": { "type": "array", "items": { "type": "string" } },
    "product_ids": { "type": "array", "items": { "type": "string" } },
    "address": { "$ref": "../../_shared/address.json" },
    "lines": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "sku": { "type": "string" },
          "cost": { "type": "number" },
          "product_id": { "type": "string" }
        }
      }
    }
  }
}
`,
  "config/helpdesk/support/tickets/indexes.json": `{
  "indexes": [
    { "fields": ["title"] },
    { "fields": ["public"] },
    { "fields": ["self_edited"] },
    { "fields": ["owner_id"] },
    { "fields": ["due_at"] },
    { "fields": ["publish_at"] },
    { "fields": ["_meta.created_at"] }
  ]
}
`,
  "config/helpdesk/support/people/schema.json": `{ "type": "object", "properties": { "name": { "type": "string" } } }
`,
  "config/helpdesk/support/products/schema.json": `{ "type": "object", "properties": { "name": { "type": "string" } } }
`,
  "config/helpdesk/support/tags/schema.json": `{ "type": "object", "properties": { "slug": { "type": "string" } } }
`,
  "config/helpdesk/support/tags/indexes.json": `{ "indexes": [{ "fields": ["slug"], "unique": true }] }
`,
};

const tickets = "config/helpdesk/support/tickets";

/** So that each role of the realm is named by a rule. */
const namesRoles = "rules:\n  create: hasRole('editor', 'hr') || hasOrgRole(data.name, 'member')\n";
const staff = "config/helpdesk/support/staff";

const close = "config/helpdesk/support/_func/close";

/** A function of any mode. */
const handler = "export default () => undefined;\n";

/** A collection.yaml with files, in YAML or JSON. */
const filed = /^files:|"files":/m;

/**
 * Where a file of an example stands: `realm.yaml` is the realm's, `function.yaml` and `handler.ts` are those of its function
 * `close`, other names without a folder are those of its collection
 * `tickets`, and paths start at the realm.
 */
export function examplePath(name: string): string {
  if (name === "function.yaml" || name === "handler.ts") return `${close}/${name}`;
  return name.includes("/") || name === "realm.yaml" ? `config/helpdesk/${name}` : `${tickets}/${name}`;
}

/**
 * The realm with files of an example in it. Indexes go with the schema whose fields they are about, the rule that names roles
 * goes with the realm that has them, and storage comes with files.
 */
export function exampleFiles(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const own = Object.entries(files).map(([name, text]) => [examplePath(name), `${text}\n`] as const);
  const kept = Object.entries(exampleRealm).filter(
    ([path]) => files["schema.json"] === undefined || path !== `${tickets}/indexes.json`,
  );
  const named =
    files["realm.yaml"] === undefined
      ? [
          [`${staff}/collection.yaml`, namesRoles],
          [`${staff}/schema.json`, '{ "type": "object", "properties": { "name": { "type": "string" } } }\n'],
        ]
      : [];
  const realm = "config/helpdesk/realm.yaml";
  const storage = filed.test(files["collection.yaml"] ?? "")
    ? [[realm, `${exampleRealm[realm]}storage: { driver: local }\n`]]
    : [];
  const handlers = files["function.yaml"] === undefined ? [] : [[`${close}/handler.ts`, handler]];
  return Object.fromEntries([...kept, ...named, ...handlers, ...storage, ...own]);
}
