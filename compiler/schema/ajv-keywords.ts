/** Keywords that ajv's own code does not judge as documents need it. */
import { createRequire } from "node:module";
import type { CodeKeywordDefinition, Vocabulary } from "ajv";
import { _, type Code, Name, str } from "ajv/dist/compile/codegen/index.js";
import { beyondSafeIntegers } from "../../runtime/json.ts";
import { duplicateItems } from "../../runtime/validation/equal.ts";
import { linearPattern } from "../../runtime/validation/linear-pattern.ts";
import { isMultipleOf } from "../../runtime/validation/multiples.ts";
import { slowPatternKeyword } from "./slow-pattern.ts";

const require = createRequire(import.meta.url);

function ofAjv(vocabulary: string): CodeKeywordDefinition {
  const module: { readonly default: CodeKeywordDefinition } = require(
    `ajv/dist/vocabularies/${vocabulary}.js`,
  );
  return module.default;
}

const ajvOneOf = ofAjv("applicator/oneOf");
const ajvPatternProperties = ofAjv("applicator/patternProperties");
const ajvRef = ofAjv("core/ref");
const ajvUnevaluatedProperties = ofAjv("unevaluated/unevaluatedProperties");

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
 * Names known to be evaluated while a validator runs, and more: `true` stands for all names, nothing for none. A new object, for
 * ajv may share the one that it is made from, and without prototype, where every name of `Object`'s would be found.
 */
function evaluated(names: Name, more: Code = _``): Code {
  return _`${names} === true || { __proto__: null, ...${names}${more} }`;
}

/** Ajv's adds names to what may be `true` or nothing. */
const patternProperties: CodeKeywordDefinition = {
  ...ajvPatternProperties,
  code(context) {
    const { gen, it } = context;
    const { props } = it;
    if (!(props instanceof Name)) return ajvPatternProperties.code(context);
    const matching = gen.var("props", _`{ __proto__: null }`);
    it.props = matching;
    ajvPatternProperties.code(context);
    gen.assign(props, evaluated(props, _`, ...${matching}`));
    it.props = props;
  },
};

/** Ajv's lets the names beside a `$ref` into those of the schema that it leads to, for the next documents as well. */
const ref: CodeKeywordDefinition = {
  ...ajvRef,
  code(context) {
    ajvRef.code(context);
    const { props } = context.it;
    if (props instanceof Name) context.gen.assign(props, evaluated(props));
  },
};

/** Ajv's takes `constructor` and its like for evaluated. */
const unevaluatedProperties: CodeKeywordDefinition = {
  ...ajvUnevaluatedProperties,
  code(context) {
    const { props } = context.it;
    if (props instanceof Name) context.gen.assign(props, evaluated(props));
    ajvUnevaluatedProperties.code(context);
  },
};

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
  Object.entries({ $ref: ref, multipleOf, oneOf, patternProperties, unevaluatedProperties, uniqueItems }),
);

/** A vocabulary with our keywords in the place of ajv's. */
export function ownVocabulary(vocabulary: Vocabulary): Vocabulary {
  return vocabulary.map((each) =>
    typeof each === "string" ? each : (ours.get(String(each.keyword)) ?? each),
  );
}
