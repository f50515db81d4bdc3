import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";

/** What can be wrong with `aggregate` of collection.yaml. */
export const codes = {
  "aggregate-empty": {
    severity: "error",
    summary: "An aggregate declaration that declares nothing.",
    message: "aggregate names neither fields to group by nor metrics",
    hint: "add group_by or metrics, or remove aggregate",
    explanation: "Requests may only use what is declared; with nothing declared they could only count.",
    wrong: { "collection.yaml": "aggregate: {}" },
    right: { "collection.yaml": "aggregate: { group_by: [status] }" },
  },
  "aggregate-field": {
    severity: "error",
    summary: "An aggregate declaration names a field that is not declared.",
    message: "'{field}' is not a declared field of {collection}",
    explanation:
      "Fields are those of the schema, `id`, and the members of `_meta` that live documents of the collection have.",
    wrong: { "collection.yaml": "aggregate: { group_by: [staus] }" },
    right: { "collection.yaml": "aggregate: { group_by: [status] }" },
  },
  "aggregate-array": {
    severity: "error",
    summary: "An aggregate declaration names a field inside the elements of an array.",
    message: "'{field}' lies in the elements of the array '{array}'; aggregations do not look into them",
    explanation:
      "An array of scalars can be grouped by, and its different elements counted; what the objects in an array hold cannot.",
    wrong: {
      "schema.json": `{
  "type": "object",
  "properties": {
    "lines": {
      "type": "array",
      "items": { "type": "object", "properties": { "sku": { "type": "string" } } }
    }
  }
}`,
      "collection.yaml": "aggregate: { group_by: [lines.sku] }",
    },
    right: { "collection.yaml": "aggregate: { group_by: [tags] }" },
  },
  "aggregate-name": {
    severity: "error",
    summary: "An aggregate declaration names a field that no request could name.",
    message: "'{field}' contains '{sign}', which requests for aggregations read otherwise",
    explanation:
      "In `group_by=status,due_at:month&order_by=-status` commas separate, a colon starts a period or names a function, and a minus sign at the start means descending order.",
    wrong: {
      "schema.json": '{ "type": "object", "properties": { "cost:net": { "type": "number" } } }',
      "collection.yaml": "aggregate: { group_by: ['cost:net'] }",
    },
    right: {
      "schema.json": '{ "type": "object", "properties": { "cost_net": { "type": "number" } } }',
      "collection.yaml": "aggregate: { group_by: [cost_net] }",
    },
  },
  "aggregate-type": {
    severity: "error",
    summary: "A field holds values that it cannot be aggregated by.",
    message: "{use} needs {needs} in '{field}', which is {found}",
    explanation:
      "Groups are made of scalars, or of the elements of an array of scalars, and `distinct` counts such; `sum` and `avg` are for numbers, `min` and `max` for numbers, strings or dates. Null is allowed beside them.",
    wrong: { "collection.yaml": "aggregate: { metrics: { title: [sum] } }" },
    right: { "collection.yaml": "aggregate: { metrics: { hours: [sum] } }" },
  },
} as const satisfies Codes;

export const diagnose = diagnoser(codes);
