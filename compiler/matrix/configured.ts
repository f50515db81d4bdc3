/** Rules under a given `app_config`, which administrators may replace while a server runs. */
import type { JsonObject } from "../../runtime/json.ts";
import { member } from "../../runtime/rules/index.ts";
import { isScalar } from "../../runtime/rules/values.ts";
import { type Condition, mapLeaves, mapOperands, type Value } from "../rules/form/form.ts";
import { simplify } from "../rules/form/simplify.ts";

/** The condition with what stands in `app_config` in place of what it reads of it. */
export function configured(condition: Condition, appConfig: JsonObject): Condition {
  return simplify(
    mapLeaves(condition, (leaf) => mapOperands(leaf, (value) => configuredValue(value, appConfig))),
  );
}

function configuredValue(value: Value, appConfig: JsonObject): Value {
  const inner = (part: Value): Value => configuredValue(part, appConfig);
  switch (value.kind) {
    case "read":
      return value.root === "appConfig" ? standing(value, member(appConfig, ...value.path)) : value;
    case "length":
    case "ends":
      return { ...value, of: inner(value.of) };
    case "claim":
      return { ...value, org: inner(value.org) };
    case "pick":
      return { ...value, yes: inner(value.yes), no: inner(value.no) };
    default:
      return value;
  }
}

/** What is neither a scalar nor a list of scalars stays to be read. */
function standing(value: Value & { readonly kind: "read" }, is: unknown): Value {
  const { type, at } = value;
  if (is === undefined || is === null) return { kind: "null", at };
  if (isScalar(is)) return { kind: "literal", value: is, type, at };
  return Array.isArray(is) && is.every(isScalar) ? { kind: "list", items: is, places: [], type, at } : value;
}
