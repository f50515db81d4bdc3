import type { JsonObject, JsonValue } from "../../runtime/json.ts";

/** Offsets in a file's text; the end is exclusive. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** A value as it stands in a file, the same for YAML and JSON. */
export type SourceNode = ScalarNode | ListNode | ObjectNode;

export interface ScalarNode extends Extent {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** How it is written, which decides how its text maps to the file. */
  readonly style: "plain" | "single" | "double" | "block";
}

export interface ListNode extends Extent {
  readonly kind: "list";
  readonly items: readonly SourceNode[];
}

export interface ObjectNode extends Extent {
  readonly kind: "object";
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly key: Extent;
  readonly value: SourceNode;
}

/** The JSON value of a node. Members named `__proto__` are plain data. */
export function toJson(node: SourceNode): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(toJson);
  return objectToJson(node);
}

export function objectToJson(node: ObjectNode): JsonObject {
  return Object.fromEntries(node.members.map((member) => [member.name, toJson(member.value)]));
}
