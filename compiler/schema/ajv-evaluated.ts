/**
 * What a schema evaluates, for `unevaluatedProperties` and `unevaluatedItems`: in place of ajv's own tracking, which loses names
 * that are known before a branch, counts those of branches that do not fit, and knows of items how many come first only.
 *
 * In `it.props` and `it.items` stands what is known while code is printed (names, a number of items, `true` for all), or the name
 * of a variable that holds an `Evaluated` of the runtime. Nothing changes such a value; `evaluated` makes a new one.
 */
import { createRequire } from "node:module";
import type { CodeKeywordDefinition, KeywordCxt } from "ajv";
import { _, type Code, Name, stringify } from "ajv/dist/compile/codegen/index.js";
import type { SchemaCxt } from "ajv/dist/compile/index.js";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { evaluated } from "../../runtime/validation/evaluated.ts";
import { keyword } from "./keywords.ts";
import { mapHeld } from "./walk.ts";

const require = createRequire(import.meta.url);
const { Type }: typeof import("ajv/dist/compile/util.js") = require("ajv/dist/compile/util.js");

/** Which of the two a schema asks for; of the other one nothing is tracked. */
export interface Tracking {
  readonly props: boolean;
  readonly items: boolean;
}

type Side = keyof Tracking;
const sides = ["props", "items"] as const;

type Known = SchemaCxt["props"] | SchemaCxt["items"];

/** The keywords that evaluate by themselves, or may lead to such. */
const evaluating: Readonly<Record<Side | "both", readonly string[]>> = {
  both: ["$ref", "$dynamicRef"],
  props: ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
  items: ["prefixItems", "items", "contains", "unevaluatedItems"],
};

/** Whether a schema may evaluate something of the value that it is asked of. */
function mayEvaluate(schema: JsonValue | undefined, side: Side): boolean {
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).some(([name, held]) => {
    if (evaluating.both.includes(name) || evaluating[side].includes(name)) return true;
    if (keyword(name).inPlace !== true || name === "not") return false;
    let found = false;
    mapHeld(name, held, (inner) => {
      found ||= mayEvaluate(inner, side);
      return inner;
    });
    return found;
  });
}

/** The definition of a keyword that takes part in what is evaluated; of others, as it is. */
export function tracked(def: CodeKeywordDefinition, tracking: Tracking): CodeKeywordDefinition {
  const code = trackingCode(def);
  if (code === undefined) return def;
  return {
    ...def,
    code(context, ruleType) {
      const { it } = context;
      const before = { props: it.props, items: it.items };
      const asked = sides.filter(
        (side) => tracking[side] && before[side] !== true && takesPart(context, side),
      );
      // `true` is what ajv adds nothing to.
      for (const side of sides) set(it, side, asked.includes(side) ? undefined : true);
      code(context, ruleType);
      for (const side of sides)
        set(it, side, asked.includes(side) ? together(context, before[side], it[side]) : before[side]);
    },
  };
}

function trackingCode(def: CodeKeywordDefinition): CodeKeywordDefinition["code"] | undefined {
  switch (def.keyword) {
    case "additionalProperties":
    case "items":
    case "prefixItems":
    case "properties":
      return def.code;
    case "allOf":
      return conjunction(def);
    case "anyOf":
    case "dependentSchemas":
    case "if":
    case "oneOf":
      return branching(def);
    case "contains":
      return contains(def);
    case "patternProperties":
      return patternProperties(def);
    case "$dynamicRef":
    case "$ref":
      return reference(def);
    default:
      return undefined;
  }
}

function takesPart({ keyword: name, schema, parentSchema }: KeywordCxt, side: Side): boolean {
  // Of objects alone, and ajv puts what it prints where the value is one: of arrays what is known would be lost there.
  if (name === "dependentSchemas" && side === "items") return false;
  const branches = name === "if" ? [parentSchema["if"], parentSchema["then"], parentSchema["else"]] : [];
  return mayEvaluate({ [name]: schema }, side) || branches.some((each) => mayEvaluate(each, side));
}

/** Of `items`, names are in variables alone. */
function set(it: SchemaCxt, side: Side, known: Known): void {
  if (known === undefined) delete it[side];
  else Object.assign(it, { [side]: known });
}

function together(context: KeywordCxt, some: Known, more: Known): Known {
  if (some === true || more === true) return true;
  if (some === undefined || more === undefined) return some ?? more;
  if (some instanceof Name || more instanceof Name)
    return context.gen.var("evaluated", both(context, some, more));
  if (typeof some === "object" && typeof more === "object") return { ...some, ...more };
  return Math.max(Number(some), Number(more));
}

function both({ gen }: KeywordCxt, some: Known, more: Known): Code {
  const helper = gen.scopeValue("func", { ref: evaluated, code: _`require("realmc/runtime").evaluated` });
  return _`${helper}(${codeFor(some)}, ${codeFor(more)})`;
}

function codeFor(known: Known): Code {
  if (known === undefined) return _`undefined`;
  return known instanceof Name ? known : stringify(known);
}

/** All of its schemas hold, or nothing that they evaluate matters. */
function conjunction({ code }: CodeKeywordDefinition): CodeKeywordDefinition["code"] {
  return (context, ruleType) => {
    context.mergeEvaluated = (of) => {
      for (const side of sides) set(context.it, side, together(context, context.it[side], of[side]));
    };
    code(context, ruleType);
  };
}

/** What a branch evaluates counts where it fits, which shows while the validator runs. */
function branching({ code }: CodeKeywordDefinition): CodeKeywordDefinition["code"] {
  return (context, ruleType) => {
    const { gen, it, keyword: name } = context;
    for (const side of sides) if (it[side] !== true) set(it, side, gen.var("evaluated", _`undefined`));
    const add = (of: SchemaCxt): void => {
      for (const side of sides) {
        const known = it[side];
        if (known instanceof Name && of[side] !== undefined)
          gen.assign(known, both(context, known, of[side]));
      }
    };
    const addWhere = (valid: Name, of: SchemaCxt): void => {
      if (sides.some((side) => it[side] instanceof Name && of[side] !== undefined))
        gen.if(valid, () => add(of));
    };
    let last: Name | undefined;
    const subschema = context.subschema.bind(context);
    context.subschema = (applied, valid) => {
      last = valid;
      return subschema(applied, valid);
    };
    // Ajv's `if` says so of its condition whether or not it holds, `oneOf` of what holds alone.
    context.mergeEvaluated = (of) => (name === "if" && last !== undefined ? addWhere(last, of) : add(of));
    context.mergeValidEvaluated = (of, valid) => {
      addWhere(valid, of);
      return sides.some((side) => it[side] instanceof Name);
    };
    code(context, ruleType);
    if (name !== "if" || last !== undefined || sides.every((side) => it[side] === true)) return;
    // Without `then` and `else`, ajv does not ask it.
    const valid = gen.name("_valid");
    addWhere(valid, subschema({ keyword: name, compositeRule: true, createErrors: false }, valid));
    context.reset();
  };
}

/** Ajv shares what the schema that a reference leads to has found, for the next documents as well. */
function reference({ code }: CodeKeywordDefinition): CodeKeywordDefinition["code"] {
  const inline = conjunction({ keyword: "$ref", code });
  return (context, ruleType) => {
    inline(context, ruleType);
    const { gen, it } = context;
    for (const side of sides) {
      const known = it[side];
      if (known instanceof Name) set(it, side, gen.var("evaluated", both(context, undefined, known)));
    }
  };
}

/** Into a variable of its own: ajv adds names to what may be `true`. */
function patternProperties({ code }: CodeKeywordDefinition): CodeKeywordDefinition["code"] {
  return (context, ruleType) => {
    const { gen, it } = context;
    if (it.props !== true) set(it, "props", gen.var("evaluated", _`{ __proto__: null }`));
    code(context, ruleType);
  };
}

/** Asks all items: those that fit are evaluated. */
function contains({ code }: CodeKeywordDefinition): CodeKeywordDefinition["code"] {
  return (context, ruleType) => {
    const { gen, it, data, parentSchema } = context;
    if (it.items === true) return code(context, ruleType);
    const { minContains: min = 1, maxContains: max } = parentSchema;
    context.setParams({ min, max });
    const items = gen.var("evaluated", _`{ __proto__: null }`);
    const count = gen.let("count", 0);
    const valid = gen.name("_valid");
    gen.forRange("i", 0, _`${data}.length`, (i) => {
      context.subschema(
        { keyword: "contains", dataProp: i, dataPropType: Type.Num, compositeRule: true },
        valid,
      );
      gen.if(valid, () => gen.code(_`${count}++`).assign(_`${items}[${i}]`, true));
    });
    const enough = _`${count} >= ${min}`;
    context.result(max === undefined ? enough : _`${enough} && ${count} <= ${max}`, () => context.reset());
    set(it, "items", items);
  };
}

/** Ajv's knows of a number of first items alone. */
export function unevaluatedItems(def: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...def,
    code(context, ruleType) {
      const { gen, it, data } = context;
      const { items } = it;
      if (!(items instanceof Name)) return def.code(context, ruleType);
      const valid = gen.name("valid");
      gen.if(_`${items} !== true`, () =>
        gen.forRange("i", 0, _`${data}.length`, (i) =>
          gen.if(_`!${items}?.[${i}]`, () => {
            context.subschema({ keyword: "unevaluatedItems", dataProp: i, dataPropType: Type.Num }, valid);
          }),
        ),
      );
      set(it, "items", true);
    },
  };
}
