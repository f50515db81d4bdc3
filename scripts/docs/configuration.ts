/** The tables of `docs/configuration.md`, printed from the published JSON Schemas. */
import { objectOf, text } from "../../compiler/model/given.ts";
import { valueAt } from "../../compiler/schema/place.ts";
import collectionSchema from "../../docs/schemas/collection.schema.json" with { type: "json" };
import functionSchema from "../../docs/schemas/function.schema.json" with { type: "json" };
import indexesSchema from "../../docs/schemas/indexes.schema.json" with { type: "json" };
import realmSchema from "../../docs/schemas/realm.schema.json" with { type: "json" };
import schemaSchema from "../../docs/schemas/schema.schema.json" with { type: "json" };
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";

const tables: Readonly<Record<string, () => string>> = {
  "realm.yaml": () => keyTable(realmSchema),
  "collection.yaml": () => keyTable(collectionSchema),
  "indexes.json": () => keyTable(indexesSchema),
  "function.yaml": () => keyTable(functionSchema),
  "schema.json": keywordList,
};

/** The document with every block between `<!-- keys: … -->` and `<!-- end -->` printed anew. */
export function withTables(document: string): string {
  return document.replace(
    /(<!-- keys: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g,
    (block, start: string, name: string, end: string) => {
      const table = tables[name];
      return table === undefined ? block : `${start}\n${table()}\n\n${end}`;
    },
  );
}

interface Row {
  readonly key: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

function keyTable(schema: JsonObject): string {
  const rows = rowsOf(schema, schema, "").filter((row) => row.schema["x-refused"] === undefined);
  const lines = rows.map(({ key, schema: each, required }) => {
    const fallback = required
      ? "required"
      : each.default === undefined
        ? ""
        : `\`${JSON.stringify(each.default)}\``;
    return `| \`${key}\` | ${valueText(resolved(schema, each))} | ${fallback} | ${cell(text(each.description ?? null) ?? "")} |`;
  });
  return ["| Key | Value | Default | Meaning |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

/** Every key with the keys inside of it, `<name>` for names that the user chooses. */
function rowsOf(root: JsonObject, schema: JsonObject, prefix: string): Row[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(objectOf(schema.properties)).flatMap(([name, value]) => {
    const each = objectOf(value);
    const key = prefix + name;
    return [{ key, schema: each, required: required.includes(name) }, ...inside(root, each, key)];
  });
}

function inside(root: JsonObject, schema: JsonObject, key: string): Row[] {
  if (text(schema.$ref ?? null)?.startsWith("schema.schema.json") === true) return [];
  const own = resolved(root, schema);
  const named = objectOf(own.additionalProperties);
  const names = rowsOf(root, resolved(root, named), `${key}.<name>.`);
  const items = rowsOf(root, objectOf(own.items), `${key}[].`);
  return [...rowsOf(root, own, `${key}.`), ...names, ...items];
}

/** A schema with what its `$ref` into the same file says. */
function resolved(root: JsonObject, schema: JsonObject): JsonObject {
  const ref = text(schema.$ref ?? null);
  if (ref?.startsWith("#") !== true) return schema;
  const target: JsonValue | undefined = valueAt(root, ref.slice(1));
  return isJsonObject(target) ? { ...target, ...schema } : schema;
}

function valueText(schema: JsonObject): string {
  if (text(schema.$ref ?? null) !== undefined && schema.type === undefined) return "a schema";
  const size = objectOf(schema["x-size"]);
  if (size.least !== undefined) return `a size from ${String(size.least)} to ${String(size.most)}`;
  const rate = objectOf(schema["x-rate"]);
  const most = rate.most === undefined ? "" : `, ${String(rate.most)} at most`;
  if (text(schema["x-expected"] ?? null) !== undefined) return cell(`${String(schema["x-expected"])}${most}`);
  if (Array.isArray(schema.enum))
    return schema.enum.map((value: JsonValue) => `\`${String(value)}\``).join(", ");
  const { minimum, maximum } = schema;
  const range = typeof minimum === "number" && typeof maximum === "number" ? ` ${minimum}-${maximum}` : "";
  return `${String(schema.type)}${range}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** The keywords of documents' schemas, each with what it says. */
function keywordList(): string {
  const { properties } = objectOf(valueAt(schemaSchema, "/$defs/schema"));
  const known = Object.entries(objectOf(properties)).filter(
    ([, value]) => objectOf(value)["x-refused"] === undefined,
  );
  return `Known keywords: ${known.map(([name]) => `\`${name}\``).join(", ")}.`;
}
