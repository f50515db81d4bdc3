import { dateNormalizer } from "../../../filter/dates.ts";
import { documentFields, field, ownershipFields } from "../../../filter/fields.ts";
import { textIndex } from "../../../filter/search/index.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../json.ts";
import type { CollectionDefinition } from "../../../realm/definition.ts";
import { collection, type Received, type Sent, type Shop, text, validatorOf } from "../../testing/shop.ts";

export const fields = {
  ...documentFields,
  ...ownershipFields,
  title: field("title", "string"),
  status: field("status", "string"),
  hours: field("hours", "number"),
  qty: field("qty", ["integer", "null"]),
  open: field("open", "boolean"),
  code: field("code", ["string", "integer"]),
  "address.city": field("address.city", "string"),
  due_at: field("due_at", ["date-time", "null"]),
  day: field("day", "date"),
  salary: field("salary", "integer"),
  tags: field("tags", "string", ["tags"]),
  dues: field("dues", "date-time", ["dues"]),
};

const schema: JsonObject = {
  type: "object",
  properties: {
    title: { type: "string" },
    status: { type: "string" },
    hours: { type: "number" },
    qty: { type: ["integer", "null"] },
    open: { type: "boolean" },
    code: { type: ["string", "integer"] },
    address: { type: "object", properties: { city: { type: "string" } } },
    due_at: { type: ["string", "null"] },
    day: { type: "string" },
    salary: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    dues: { type: "array", items: { type: "string" } },
  },
  additionalProperties: false,
};

/** Aggregates nearly everything that it has. */
export function sales(name: string, more: Partial<CollectionDefinition> = {}): CollectionDefinition {
  return collection(name, {
    fields,
    validate: validatorOf(schema),
    normalizeDates: dateNormalizer(fields.due_at, fields.day),
    text: textIndex({ fields: [{ field: fields.title, weight: 1 }], defaultLanguage: "en" }),
    aggregate: {
      groupBy: [
        fields.status,
        fields.hours,
        fields.open,
        fields.code,
        fields["address.city"],
        fields.due_at,
        fields.day,
        fields.salary,
        fields.tags,
        fields.dues,
      ],
      metrics: [
        { field: fields.hours, functions: ["sum", "avg", "min", "max", "distinct"] },
        { field: fields.qty, functions: ["sum"] },
        { field: fields.due_at, functions: ["min", "max"] },
        { field: fields.status, functions: ["min", "distinct"] },
        { field: fields.salary, functions: ["sum"] },
        { field: fields.tags, functions: ["distinct"] },
      ],
    },
    ...more,
  });
}

export type Asked = Readonly<Record<string, string | JsonObject>>;

/** `GET <name>/_aggregate` with these parameters, objects as JSON. */
export function aggregate(shop: Shop, name: string, asked: Asked = {}, sent: Sent = {}): Promise<Received> {
  return shop.send("GET", `${name}/_aggregate?${queryOf(asked)}`, sent);
}

export function queryOf(asked: Asked): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    query.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return query.toString();
}

export function groups({ body }: Received): readonly JsonObject[] {
  return Array.isArray(body["groups"]) ? body["groups"].filter(isJsonObject) : [];
}

/** Each group's values, keys first. */
export function rows(received: Received): readonly (readonly (JsonValue | undefined)[])[] {
  return groups(received).map(({ key, ...metrics }) => [
    ...Object.values(isJsonObject(key) ? key : {}),
    ...Object.values(metrics),
  ]);
}

/** Stores documents; answers their ids. */
export async function create(
  shop: Shop,
  name: string,
  bodies: readonly JsonObject[],
  sent: Sent = {},
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    const { body: stored } = await shop.send("POST", name, { ...sent, body });
    ids.push(text(stored, "id"));
  }
  return ids;
}
