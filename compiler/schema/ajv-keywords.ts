/** Keywords that ajv's own code does not judge as documents need it. */
import { createRequire } from "node:module";
import type { CodeKeywordDefinition, Vocabulary } from "ajv";
import { _, str } from "ajv/dist/compile/codegen/index.js";
import { beyondSafeIntegers } from "../../runtime/json.ts";
import { duplicateItems } from "../../runtime/validation/equal.ts";
import { linearPattern } from "../../runtime/validation/linear-pattern.ts";
import { isMultipleOf } from "../../runtime/validation/multiples.ts";
import { type Tracking, tracked, unevaluatedItems } from "./ajv-evaluated.ts";
import { slowPatternKeyword } from "./slow-pattern.ts";

const require = createRequire(import.meta.url);

function ofAjv(vocabulary: string): CodeKeywordDefinition {
  const module: { readonly default: CodeKeywordDefinition } = require(
    `ajv/dist/vocabularies/${vocabulary}.js`,
  );
  return module.default;
}

const ajvOneOf = ofAjv("applicator/oneOf");

/** Ajv's compares every pair of items. */
const uniqueItems: CodeKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  error: {
    message: ({ params: { i, j } }) =>
      str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
    params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
  },
  code(context) {
    if (context.schema !== true) return;
    const helper = context.gen.scopeValue("func", {
      ref: duplicateItems,
      code: _`require("realmc/runtime").duplicateItems`,
    });
    const duplicate = context.gen.const("duplicate", _`${helper}(${context.data})`);
    context.setParams({ i: _`${duplicate}.i`, j: _`${duplicate}.j` });
    context.fail(_`${duplicate} !== undefined`);
  },
};

/** Ajv's divides doubles, and 19.99 / 0.01 is no whole one. */
const multipleOf: CodeKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  error: {
    message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
  code(context) {
    const helper = context.gen.scopeValue("func", {
      ref: isMultipleOf,
      code: _`require("realmc/runtime").isMultipleOf`,
    });
    context.fail(_`!${helper}(${context.data}, ${context.schemaCode})`);
  },
};

/** Of a value that fits several branches, ajv's keeps what the others say against it. */
const oneOf: CodeKeywordDefinition = {
  ...ajvOneOf,
  code(context) {
    const report = context.error.bind(context);
    context.error = (...more) => {
      context.gen.if(_`${context.params["passing"]} !== null`, () => context.reset());
      report(...more);
    };
    ajvOneOf.code(context);
  },
};

/**
 * Ajv's ends at the first error within, and loses errors there: what stands beside `prefixItems` is not asked of a shorter list,
 * and the last property that a pattern of `patternProperties` matches speaks for all.
 */
function askingAll(def: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...def,
    code(context, ruleType) {
      const subschema = context.subschema.bind(context);
      context.subschema = ({ allErrors: _first, ...applied }, valid) => subschema(applied, valid);
      def.code(context, ruleType);
    },
  };
}

/** Beside `type: integer`, which ajv takes 1e300 for: a double beyond ±(2^53 - 1) may stand for other integers too. */
export const safeInteger = "safeInteger";

export const safeIntegers: CodeKeywordDefinition = {
  keyword: safeInteger,
  type: "number",
  schemaType: "boolean",
  error: { message: beyondSafeIntegers },
  code(context) {
    const { data } = context;
    context.fail(_`${data} > ${Number.MAX_SAFE_INTEGER} || ${data} < ${-Number.MAX_SAFE_INTEGER}`);
  },
};

/** In place of `pattern`, where it takes long by backtracking: values beyond `maxLength` are refused for their length alone. */
export const slowPattern: CodeKeywordDefinition = {
  keyword: slowPatternKeyword,
  type: "string",
  schemaType: "string",
  error: {
    message: ({ schemaCode }) => str`must match the pattern "${schemaCode}"`,
    params: ({ schemaCode }) => _`{pattern: ${schemaCode}}`,
  },
  code(context) {
    const { schema: source, parentSchema, gen, data } = context;
    const maxLength = Number(parentSchema["maxLength"]);
    const pattern = gen.scopeValue("pattern", {
      key: `linear ${maxLength} ${source}`,
      ref: linearPattern(source, maxLength),
      code: _`require("realmc/runtime").linearPattern(${source}, ${maxLength})`,
    });
    context.pass(_`${pattern}.test(${data})`);
  },
};

const ours: ReadonlyMap<string, CodeKeywordDefinition> = new Map(
  Object.entries({
    if: askingAll(ofAjv("applicator/if")),
    multipleOf,
    not: askingAll(ofAjv("applicator/not")),
    oneOf,
    unevaluatedItems: unevaluatedItems(ofAjv("unevaluated/unevaluatedItems")),
    uniqueItems,
  }),
);

/** A vocabulary with our keywords in the place of ajv's. */
export function ownVocabulary(vocabulary: Vocabulary, tracking: Tracking): Vocabulary {
  return vocabulary.map((each) => {
    const own = typeof each === "string" ? undefined : ours.get(String(each.keyword));
    const def = own ?? each;
    return isOfCode(def) && (tracking.props || tracking.items) ? tracked(def, tracking) : def;
  });
}

function isOfCode(def: Vocabulary[number]): def is CodeKeywordDefinition {
  return typeof def === "object" && "code" in def;
}
