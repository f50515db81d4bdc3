/** A realm of as many collections as wanted, like those that people write: each a little different from the others. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Collections of one database. */
const PER_DATABASE = 25;

/** Writes a configuration folder. `change` makes other settings of a collection's. */
export function writeConfiguration(
  folder: string,
  count: number,
  change: (settings: string) => string = (settings) => settings,
): void {
  const write = (path: string, text: string): void => {
    const target = join(folder, "company", path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  write("realm.yaml", realm);
  write("_shared/common.json", json({ $defs: shared }));
  for (let at = 0; at < count; at++) {
    const place = `${databaseOf(at)}/${nameOf(at)}`;
    write(`${place}/schema.json`, json(schemaOf(at)));
    write(`${place}/collection.yaml`, change(settingsOf(at)));
    write(`${place}/indexes.json`, json(indexesOf(at)));
  }
}

const realm = `auth: enabled
signup: open
roles:
  clerk: {}
  lead: { admin: [users, invitations, data] }
  auditor: { admin: read }
organizations:
  create: user.id != null
  roles: { manager: { manage: [org, members, roles, teams] }, member: {} }
  creator_roles: [manager]
  default_roles: [member]
app_config:
  open_for_changes: true
`;

const subjects = [
  ...["orders", "invoices", "payments", "shipments", "returns", "products", "prices", "suppliers"],
  ...["contracts", "employees", "shifts", "leads", "campaigns", "assets", "repairs", "visits"],
];

function nameOf(at: number): string {
  return `${subjects[at % subjects.length]}_${at}`;
}

function databaseOf(at: number): string {
  return `area_${Math.floor(at / PER_DATABASE)}`;
}

const text = (maxLength: number): object => ({ type: "string", minLength: 1, maxLength });
const moment = { type: "string", format: "date-time", "x-svc-store": "date" };
const ofShared = (name: string): object => ({ $ref: `../../_shared/common.json#/$defs/${name}` });

const shared = {
  address: {
    type: "object",
    description: "Where something is sent.",
    properties: {
      street: text(200),
      city: text(100),
      postal_code: { type: "string", pattern: "^[A-Z0-9 -]{2,12}$" },
      country: { type: "string", pattern: "^[A-Z]{2}$", description: "ISO 3166-1 alpha-2" },
    },
    required: ["city", "country"],
    additionalProperties: false,
  },
  money: {
    type: "object",
    properties: {
      amount: { type: "integer", minimum: 0 },
      currency: { enum: ["EUR", "USD", "GBP", "CHF"] },
    },
    required: ["amount", "currency"],
    additionalProperties: false,
  },
};

/** Fields that some collections have, two of three each. */
const further: Readonly<Record<string, object>> = {
  description: { type: "string", maxLength: 5_000, description: "For whoever reads it later." },
  reference_number: { type: "string", pattern: "^[A-Z]{2}-[0-9]{4,10}$" },
  quantity: { type: "integer", minimum: 0, maximum: 100_000 },
  weight: { type: "number", minimum: 0, multipleOf: 0.001 },
  is_urgent: { type: "boolean", default: false },
  email: { type: "string", format: "email" },
  assignee_id: { type: ["string", "null"] },
  address: ofShared("address"),
  total: ofShared("money"),
  tags: { type: "array", items: text(40), maxItems: 20, uniqueItems: true },
  lines: {
    type: "array",
    maxItems: 200,
    items: {
      type: "object",
      properties: {
        title: text(200),
        quantity: { type: "integer", minimum: 1 },
        price: ofShared("money"),
        delivery: {
          type: "object",
          properties: { carrier: { enum: ["post", "courier", "pickup"] }, expected_at: moment },
          additionalProperties: false,
        },
      },
      required: ["title", "quantity"],
      additionalProperties: false,
    },
  },
  contact: {
    type: "object",
    description: "Whom to ask.",
    properties: { name: text(100), phone: { type: "string", maxLength: 40 }, address: ofShared("address") },
    required: ["name"],
    additionalProperties: false,
  },
  outcome: {
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "accepted" }, accepted_at: moment },
        required: ["kind"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { kind: { const: "refused" }, reason: text(500) },
        required: ["kind", "reason"],
        additionalProperties: false,
      },
    ],
  },
  rating: { type: "integer", minimum: 1, maximum: 5 },
  language: { type: "string", pattern: "^[a-z]{2}$" },
};

const states = ["draft", "open", "approved", "done", "archived"];

function schemaOf(at: number): object {
  const chosen = Object.entries(further).filter((_, index) => (index + at) % 3 !== 0);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: nameOf(at),
    description: `What the company keeps of ${subjects[at % subjects.length]}.`,
    type: "object",
    properties: {
      title: text(200),
      status: { enum: states },
      due_at: moment,
      parent_id: { type: "string" },
      owner_name: text(100),
      [`code_${at}`]: { type: "string", pattern: `^[A-Z]{${(at % 4) + 1}}[0-9]+$` },
      ...Object.fromEntries(chosen),
    },
    required: ["title", "status"],
    additionalProperties: false,
  };
}

function settingsOf(at: number): string {
  const parent = Math.max(0, at - 1);
  const target = databaseOf(parent) === databaseOf(at) ? parent : at;
  const isOfOrganizations = at % 3 === 0;
  const belongs = isOfOrganizations ? "inOrg(document._meta.org)" : "document._meta.owner == user.id";
  const written = isOfOrganizations ? "inOrg(data._meta.org)" : "user.id != null";
  return `rules:
  read: >-
    hasRole('lead', 'clerk') || (${belongs} && document.status != 'archived')
  create: appConfig.open_for_changes && ${written} && ['draft', 'open'].includes(data.status)
  update: >-
    hasRole('lead') || (document._meta.owner == user.id && document.status != 'done' && data.status != 'archived')
  delete: hasRole('lead') || (document._meta.owner == user.id && document.status == 'draft')
fields:
  owner_name:
    read: hasRole('lead') || document._meta.owner == user.id
    write: hasRole('lead')
references:
  parent: { collection: ${nameOf(target)}, field: parent_id }
aggregate:
  group_by: [status, due_at]
${isOfOrganizations ? "organization: required\non_org_delete: keep\n" : ""}${at % 2 === 0 ? "soft_delete: { retention: 30d }\n" : ""}`;
}

function indexesOf(at: number): object {
  return {
    indexes: [
      { fields: ["_meta.owner"] },
      { fields: ["status", "-due_at"] },
      { fields: ["parent_id"] },
      ...(at % 3 === 0 ? [{ fields: ["_meta.org"] }] : [{ fields: [`code_${at}`], unique: true }]),
    ],
    ...(at % 4 === 0 ? { text: { fields: { title: 5, status: 1 }, default_language: "en" } } : {}),
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
