/** Files that hold a list, of steps: everywhere else they are objects with that list under a key of their own. */
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import type { ListNode, ObjectNode } from "./node.ts";

export function isStepsFile(path: string): boolean {
  return /\/_migrations\/[^/]+\.yaml$/.test(path);
}

export function withSteps(list: ListNode): ObjectNode {
  const { start, end } = list;
  return {
    kind: "object",
    start,
    end,
    members: [{ name: "steps", key: { start, end: start }, value: list }],
  };
}

/** What stands in the file of a value. */
export function valueInFile(path: string, value: JsonObject): JsonValue {
  return isStepsFile(path) ? (value.steps ?? []) : value;
}
