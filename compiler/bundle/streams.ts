/** OpenAPI 3.2 documents, which can say what one event of a stream is. */
import type { OpenAPIV3_1 } from "openapi-types";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";

const streamed = "text/event-stream";

/**
 * The same API as an OpenAPI 3.2 document: of `text/event-stream` the schema is that of one event (`itemSchema`), and the
 * `data` of an event is text with a schema of its content, as server-sent events have it.
 * @returns undefined where nothing is streamed: the document by 3.1 says all of it
 */
export function documentWithItems(document: OpenAPIV3_1.Document | JsonObject): JsonObject | undefined {
  const copy: unknown = structuredClone(document);
  if (!isJsonObject(copy)) return undefined;
  const contents = objectsIn(copy).filter((each) => isJsonObject(each[streamed]));
  if (contents.length === 0) return undefined;
  const events = new Set<JsonObject>();
  for (const content of contents) {
    const { schema, ...others } = isJsonObject(content[streamed]) ? content[streamed] : {};
    content[streamed] = { ...others, itemSchema: schema ?? true };
    for (const event of eventsOf(copy, schema)) events.add(event);
  }
  for (const { properties } of events) {
    if (!isJsonObject(properties) || properties["data"] === undefined) continue;
    properties["data"] = {
      type: "string",
      contentMediaType: "application/json",
      contentSchema: properties["data"],
    };
  }
  return { ...copy, openapi: "3.2.0" };
}

/** An object and those in it, at any depth. */
function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

/** The schemas of single events that a schema chooses from. */
function eventsOf(document: JsonObject, schema: JsonValue | undefined): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [];
  if (typeof schema["$ref"] === "string") return eventsOf(document, referred(document, schema["$ref"]));
  return Array.isArray(schema["anyOf"])
    ? schema["anyOf"].flatMap((each) => eventsOf(document, each))
    : [schema];
}

/** What a reference within a document leads to. */
function referred(document: JsonObject, reference: string): JsonValue | undefined {
  const steps = reference.slice("#/".length).split("/");
  return steps.reduce<JsonValue | undefined>(
    (at, step) => (isJsonObject(at) ? at[step] : undefined),
    document,
  );
}
