import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue, objectIn } from "../../runtime/json.ts";
import { documentWithItems } from "./streams.ts";

function documentOf(realm: string): JsonObject {
  const path = new URL(`../../generated/${realm}/openapi.json`, import.meta.url);
  const document = objectIn(readFileSync(path, "utf8"));
  if (document === undefined) throw new Error(`no document of ${realm}`);
  return document;
}

function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce((found, step) => (isJsonObject(found) ? found[step] : undefined), value);
}

describe.each(["helpdesk", "inventory"])("the document of %s by OpenAPI 3.2", (realm) => {
  const before = documentOf(realm);
  const text = JSON.stringify(before);
  const items = documentWithItems(before) ?? {};
  const schemas = (document: JsonObject): JsonObject => {
    const { components } = document;
    const found = isJsonObject(components) ? components["schemas"] : undefined;
    return isJsonObject(found) ? found : {};
  };

  it("is valid, and leaves the other as it was", async () => {
    expect(items["openapi"]).toBe("3.2.0");
    expect(await new Validator().validate({ ...items })).toEqual({ valid: true });
    expect(JSON.stringify(before)).toBe(text);
  });

  it("has the schema of one event for each stream", () => {
    const stream = at(items, "paths", `/v1/${realm}/_realtime`, "post", "responses", "200", "content");
    expect(stream).toEqual({
      "text/event-stream": { itemSchema: { $ref: "#/components/schemas/RealtimeEvent" } },
    });
  });

  it("says of each event that its data is text, which holds what the other document shows", () => {
    const union = schemas(items)["RealtimeEvent"];
    const events = isJsonObject(union) && Array.isArray(union["anyOf"]) ? union["anyOf"] : [];
    expect(events.length).toBeGreaterThan(3);
    for (const event of events) {
      const name = isJsonObject(event) ? String(event["$ref"]).split("/").at(-1) : undefined;
      const data = at(schemas(before), name ?? "", "properties", "data");
      expect(data).toMatchObject({ type: "object" });
      expect(at(schemas(items), name ?? "", "properties", "data")).toEqual({
        type: "string",
        contentMediaType: "application/json",
        contentSchema: data,
      });
    }
  });

  it("says all else as the other does", () => {
    const rest = ({ openapi: _, components: __, paths: ___, ...others }: JsonObject): JsonObject => others;
    expect(rest(items)).toEqual(rest(before));
    const paths = (document: JsonObject): readonly string[] =>
      Object.keys(isJsonObject(document["paths"]) ? document["paths"] : {});
    expect(paths(items)).toEqual(paths(before));
    expect(Object.keys(schemas(items))).toEqual(Object.keys(schemas(before)));
  });
});

it("there is none for realms that stream nothing", () => {
  expect(documentWithItems({ openapi: "3.1.1", info: {}, paths: {} })).toBeUndefined();
});
